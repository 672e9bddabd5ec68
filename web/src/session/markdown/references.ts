import type { Element, ElementContent, Root, Text } from "hast";

const MOST = 500;
// Not inside a word, an address or a path.
const NAMED = /(?<![\w/#&@.-])(?:#\d{1,9}|@[a-z0-9](?:[a-z0-9-]{0,80}[a-z0-9])?|task #?\d{1,6})(?![\w/-])/gi;
const PATH =
  /^(?:[\w.@-]+\/)+[\w.@*-]*$|^[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|sql|py|rs|go|java|kt|rb|php|cs|[ch](?:pp)?|md|json|ya?ml|toml|html|css|sh)$/;

/** What a link to something of this session refers to; who shows it knows whether there is such a thing. */
export type Reference = `message:${number}` | `task:${number}` | `team:${string}` | `path:${string}`;

function referenceOf(named: string): Reference {
  const number = Number(/\d+$/.exec(named)?.[0]);
  if (named.startsWith("#")) return `message:${number}`;
  return named.startsWith("@") ? `team:${named.slice(1).toLowerCase()}` : `task:${number}`;
}

const link = (reference: Reference, child: ElementContent): Element => ({
  type: "element",
  tagName: "a",
  properties: { dataTo: reference },
  children: [child],
});

/** Numbers of messages and tasks, names of teams and paths as links; nothing inside code blocks, links and pictures. */
export function withReferences(tree: Root): Root {
  let left = MOST;
  const open: (Root | Element)[] = [tree];
  const inText = (text: Text): ElementContent[] => {
    const found = left > 0 ? [...text.value.matchAll(NAMED)].slice(0, left) : [];
    if (found.length === 0) return [text];
    left -= found.length;
    const parts: ElementContent[] = [];
    let at = 0;
    for (const { 0: named, index } of found) {
      if (index > at) parts.push({ type: "text", value: text.value.slice(at, index) });
      parts.push(link(referenceOf(named), { type: "text", value: named }));
      at = index + named.length;
    }
    if (at < text.value.length) parts.push({ type: "text", value: text.value.slice(at) });
    return parts;
  };
  const inElement = (element: Element): ElementContent => {
    if (element.tagName === "code") {
      const [only] = element.children;
      if (element.children.length !== 1 || only?.type !== "text" || !PATH.test(only.value) || left-- <= 0)
        return element;
      return link(`path:${only.value}`, element);
    }
    if (!/^(a|pre|img)$/.test(element.tagName)) open.push(element);
    return element;
  };
  for (let node = open.pop(); node; node = open.pop()) {
    node.children = (node.children as ElementContent[]).flatMap((child) =>
      child.type === "text" ? inText(child) : child.type === "element" ? inElement(child) : child,
    );
  }
  return tree;
}
