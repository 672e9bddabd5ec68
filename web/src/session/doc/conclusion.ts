interface Parts {
  /** The text under the last "## Conclusion", up to the next heading of level 1 or 2; headings in fences are text. */
  conclusion: string | undefined;
  /** The document without that section. */
  rest: string;
}

export function splitConclusion(doc: string): Parts {
  let fence: string | undefined;
  let section: { from: number; to: number } | undefined;
  let inside = false;
  const lines = doc.split("\n");
  for (const [at, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark && fence && mark.startsWith(fence)) fence = undefined;
    else if (!fence && /^ {0,3}##?\s/.test(line)) {
      if (inside && section) section.to = at;
      inside = /^ {0,3}##\s+Conclusion\s*#*\s*$/i.test(line);
      if (inside) section = { from: at, to: lines.length };
    }
  }
  if (!section) return { conclusion: undefined, rest: doc };
  const conclusion = lines
    .slice(section.from + 1, section.to)
    .join("\n")
    .trim();
  return {
    conclusion: conclusion || undefined,
    rest: lines.toSpliced(section.from, section.to - section.from).join("\n"),
  };
}
