/** Collects what the benches print: their tables, and at the end every goal and whether it was reached. */
export class Report {
  #goals: string[][] = [];

  table(title: string, head: string[], rows: (string | number)[][]) {
    console.log(`\n## ${title}\n\n${markdown(head, rows)}`);
  }

  goal(what: string, measured: number, unit: string, sense: "≤" | "≥", limit: number) {
    const reached = sense === "≤" ? measured <= limit : measured >= limit;
    this.#goals.push([what, `${figure(measured)}${unit}`, `${sense} ${limit}${unit}`, reached ? "yes" : "**no**"]);
  }

  end() {
    if (this.#goals.length > 0) this.table("Goals", ["goal", "measured", "wanted", "reached"], this.#goals);
  }
}

function markdown(head: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) =>
    `| ${cells.map((cell) => (typeof cell === "number" ? figure(cell) : cell)).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

export const figure = (value: number) => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3));

export function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] as number;
}

export const median = (values: number[]) => quantile(values, 0.5);
