/** The text under the last "## Conclusion", up to the next heading of level 1 or 2; headings in fences are text. */
export function conclusionOf(doc: string): string | undefined {
  let fence: string | undefined;
  let found: string[] | undefined;
  let taking = false;
  for (const line of doc.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark && fence && mark.startsWith(fence)) fence = undefined;
    else if (!fence && /^ {0,3}##?\s/.test(line)) {
      taking = /^ {0,3}##\s+Conclusion\s*#*\s*$/i.test(line);
      if (taking) found = [];
      continue;
    }
    if (taking) found?.push(line);
  }
  return found?.join("\n").trim() || undefined;
}
