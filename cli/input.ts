import { UsageError } from "./errors.ts";

/** `[ref] "text" | -`: the last one is the text, or a dash for what comes in by stdin, without its last line end. */
export async function refAndText(positionals: string[], what: string, { whole = false } = {}) {
  const [ref, text] = positionals.length > 1 ? positionals : [undefined, positionals[0]];
  if (positionals.length > 2) throw new UsageError(`Too many words: put the ${what} in quotes.`);
  if (text === undefined)
    throw new UsageError(`The ${what} is missing: give it in quotes, or - to read it from stdin.`);
  if (text !== "-") return { ref, text };
  const given = await readStdin();
  return { ref, text: whole ? given : given.replace(/\n$/, "") };
}

/** `[ref]` and nothing else. */
export function onlyRef(positionals: string[]): string | undefined {
  const [ref, stray] = positionals;
  if (stray !== undefined) throw new UsageError(`${stray} is one word too many.`);
  return ref;
}

async function readStdin(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

export function toNumber(value: string | undefined, option: string, range: { min: number; max?: number }) {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value.trim() === "" || !(number >= range.min && number <= (range.max ?? Number.MAX_VALUE))) {
    const upTo = range.max === undefined ? "or more" : `to ${range.max}`;
    throw new UsageError(`${option} must be a number, ${range.min} ${upTo}.`);
  }
  return number;
}
