import type { Element, Root, RootContent } from "hast";
import { expect, test } from "vitest";
import { treeOf } from "../src/session/markdown/tree.ts";

function linksOf(node: Root | RootContent): string[] {
  if (node.type !== "root" && node.type !== "element") return [];
  const own = (node as Element).properties?.dataTo;
  return [...(own ? [String(own)] : []), ...node.children.flatMap((child) => linksOf(child as RootContent))];
}

test.each([
  ["See #12, and #13.", ["message:12", "message:13"]],
  ["@team-blue takes task 4, then Task #5", ["team:team-blue", "task:4", "task:5"]],
  [
    "`src/refunds/total.ts` and `deploy/` and `schema.sql`",
    ["path:src/refunds/total.ts", "path:deploy/", "path:schema.sql"],
  ],
  ["mail me@example.com, a#12, /#12, &#12; issue-#3 and 1.0", []],
  ["`total + 1`, `@decorator`, `#12`", []],
  ["[#12](https://example.com/#12)", []],
  ["```\n#12 @team task 3\n```", []],
  ["- #1\n- **@a**", ["message:1", "team:a"]],
])("%s", (text, links) => {
  expect(linksOf(treeOf(text)).toSorted()).toEqual(links.toSorted());
});

test("of a text with a hundred thousand of them the first ones are links", () => {
  expect(linksOf(treeOf("#1 ".repeat(3_000))).length).toBeLessThanOrEqual(500);
});
