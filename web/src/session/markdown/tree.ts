import type { Element, ElementContent, Root, RootContent } from "hast";
import type { Root as Markdown, RootContent as MarkdownBlock } from "mdast";
import rehypeHighlight from "rehype-highlight";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { type Part, partsOf } from "./parts.ts";
import { withReferences } from "./references.ts";
import { stretchesOf } from "./stretches.ts";

const DEEPEST = 60;
const MOST_CELLS = 20_000;
// A page of more elements than these is slow to scroll and to search.
const MOST_NODES = 20_000;
const LONGEST_PARAGRAPH = 50_000;
const LONGEST_HIGHLIGHT = 20_000;

export const NOTE = "Shown as it was written.";

const parser = unified().use(remarkParse).use(remarkGfm).freeze();
const formatter = unified()
  // HTML is left out, as nothing asks for it.
  .use(remarkRehype)
  .use(rehypeSanitize, defaultSchema)
  .use(rehypeHighlight, { detect: false })
  .freeze();

/** The text as a tree of elements, whose blocks know where they stand in the source. Nothing in it is deep or endless. */
export function treeOf(source: string): Root {
  const blocks: MarkdownBlock[] = [];
  let left = MOST_NODES;
  for (const part of partsOf(source)) {
    if (left < 0) {
      blocks.push(...asWritten({ text: source.slice(part.start), start: part.start }));
      break;
    }
    const some = part.plain ? asWritten(part) : blocksOf(part);
    for (const block of some) left -= sizeOf(block as Nested).nodes;
    blocks.push(...some);
  }
  const tree = withReferences(formatter.runSync({ type: "root", children: blocks } satisfies Markdown) as Root);
  return { type: "root", children: withinReason(tree.children, source).map(tidied) };
}

interface Nested {
  children?: readonly Nested[];
  value?: string;
}

/** Counted without recursion: depth is what is asked for. */
function sizeOf(node: Nested): { nodes: number; depth: number; characters: number } {
  const size = { nodes: 0, depth: 0, characters: 0 };
  const open: [Nested, number][] = [[node, 1]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [{ children = [], value = "" }, depth] = next;
    size.characters += value.length;
    size.nodes += 1;
    size.depth = Math.max(size.depth, depth);
    for (const child of children) open.push([child, depth + 1]);
  }
  return size;
}

const positionOf = (start: number, end: number) => ({
  start: { line: 1, column: 1, offset: start },
  end: { line: 1, column: 1, offset: end },
});

function asWritten({ text, start }: Pick<Part, "text" | "start">): MarkdownBlock[] {
  const position = positionOf(start, start + text.length);
  return [
    { type: "code", value: text.replace(/^\n+/, "").trimEnd(), position },
    { type: "paragraph", children: [{ type: "emphasis", children: [{ type: "text", value: NOTE }] }] },
  ];
}

function blocksOf({ text, start }: Part): MarkdownBlock[] {
  return parser.parse(text).children.flatMap((block) => {
    const [from, to] = [block.position?.start.offset ?? 0, block.position?.end.offset ?? text.length];
    // Every row of a table is filled up to the width of its head.
    const cells = block.type === "table" ? block.children.length * (block.children[0]?.children.length ?? 0) : 0;
    if (cells > MOST_CELLS || sizeOf(block as Nested).depth > DEEPEST)
      return asWritten({ text: text.slice(from, to), start: start + from });
    const placed = { ...block, position: positionOf(start + from, start + to) };
    return placed.type === "code" && placed.value.length > LONGEST_HIGHLIGHT ? { ...placed, lang: null } : placed;
  });
}

/** The blocks until there are too many elements; the rest of the source follows as it was written. */
function withinReason(blocks: RootContent[], source: string): RootContent[] {
  let left = MOST_NODES;
  const end = blocks.findIndex((block) => {
    const { nodes, depth, characters } = sizeOf(block as Nested);
    left -= nodes;
    const endless = block.type === "element" && /^(p|h[1-6])$/.test(block.tagName) && characters > LONGEST_PARAGRAPH;
    return left < 0 || depth > DEEPEST * 2 || endless;
  });
  if (end === -1) return blocks;
  const start = blocks.slice(end).find(({ position }) => position)?.position?.start.offset ?? source.length;
  const text = element("pre", [element("code", [{ type: "text", value: source.slice(start) }])]);
  const note = element("p", [element("em", [{ type: "text", value: NOTE }])]);
  return [...blocks.slice(0, end), { ...text, position: positionOf(start, source.length) }, note];
}

const element = (tagName: string, children: ElementContent[]): Element => ({
  type: "element",
  tagName,
  properties: {},
  children,
});

/** Without the positions inside, which would be most of what a worker hands over, and with long texts in stretches. */
function tidied(block: RootContent): RootContent {
  const open = [block as Element];
  for (let node = open.pop(); node; node = open.pop()) {
    if (!node.children) continue;
    node.children = node.children.flatMap((child) => {
      delete child.position;
      if (child.type !== "text") return child;
      const stretches = stretchesOf(child.value);
      return stretches.length === 1 ? child : stretches.map(stretchElement);
    });
    open.push(...node.children.filter((child) => child.type === "element"));
  }
  return block;
}

const stretchElement = (value: string): Element => ({
  ...element("span", [{ type: "text", value }]),
  properties: { className: ["stretch"] },
});
