const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const ITEM = /^(?:[-+*]|\d{1,9}[.)])[ \t]/;

/** A text in its paragraphs, headings, items and blocks of code: what two versions are compared by. */
export function docBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: string[] = [];
  let fence: string | undefined;
  const close = () => {
    if (open.length > 0) blocks.push(open.join("\n"));
    open = [];
  };
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      open.push(line);
      if (mark?.startsWith(fence)) fence = undefined;
      continue;
    }
    if (line.trim() === "") {
      close();
      continue;
    }
    if (mark || ITEM.test(line) || /^ {0,3}#{1,6}[ \t]/.test(line)) close();
    fence = mark;
    open.push(line);
  }
  close();
  return blocks;
}

/** The other way; items that follow each other are one list. */
export const joinBlocks = (blocks: readonly string[]): string =>
  blocks.reduce((text, block, index) => {
    const inList = ITEM.test(block) && ITEM.test(blocks[index - 1] ?? "");
    return text + (index === 0 ? "" : inList ? "\n" : "\n\n") + block;
  }, "");
