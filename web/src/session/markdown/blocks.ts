import type { Root } from "hast";

export interface BlockMarks {
  source: string;
  /** The blocks of the text that was shown before; those which are not among them are marked. */
  before: ReadonlySet<string> | undefined;
  /** Filled with the blocks of this text. */
  blocks: Set<string>;
  /** Alternates, so that a block that changes twice is animated twice. */
  turn: number;
}

/** Numbers the headings for the outline, and marks the top-level blocks that are new. */
export function markBlocks({ source, before, blocks, turn }: BlockMarks) {
  return (tree: Root) => {
    let headings = 0;
    for (const node of tree.children) {
      if (node.type !== "element") continue;
      if (/^h[1-6]$/.test(node.tagName)) node.properties.dataHeading = headings++;
      const block = source.slice(node.position?.start.offset, node.position?.end.offset).trim();
      blocks.add(block);
      if (before && !before.has(block)) node.properties.dataChanged = turn % 2;
    }
  };
}
