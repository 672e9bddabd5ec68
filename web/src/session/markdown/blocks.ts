import type { Root } from "hast";

export interface BlockMarks {
  source: string;
  /** The blocks of the text that was shown before; those which are not among them are marked. */
  before: ReadonlySet<string> | undefined;
  /** Alternates, so that a block that changes twice is animated twice. */
  turn: number;
}

/** The tree with its headings numbered for the outline and its new top-level blocks marked, and what the blocks are. */
export function markBlocks(tree: Root, { source, before, turn }: BlockMarks): { tree: Root; blocks: Set<string> } {
  const blocks = new Set<string>();
  let headings = 0;
  const children = tree.children.map((node) => {
    if (node.type !== "element") return node;
    const properties = { ...node.properties };
    if (/^h[1-6]$/.test(node.tagName)) properties.dataHeading = headings++;
    const block = source.slice(node.position?.start.offset, node.position?.end.offset).trim();
    blocks.add(block);
    if (before && !before.has(block)) properties.dataChanged = turn % 2;
    return { ...node, properties };
  });
  return { tree: { ...tree, children }, blocks };
}
