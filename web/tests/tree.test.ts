import fc from "fast-check";
import type { Root, RootContent } from "hast";
import { describe, expect, test } from "vitest";
import { HARD_TEXTS } from "../../testing/hard-texts.ts";
import { isEasy, partsOf } from "../src/session/markdown/parts.ts";
import { NOTE, treeOf } from "../src/session/markdown/tree.ts";

const textOf = (node: RootContent): string =>
  node.type === "text" ? node.value : "children" in node ? (node.children as RootContent[]).map(textOf).join("") : "";
const tagsOf = ({ children }: Root) => children.flatMap((node) => ("tagName" in node ? node.tagName : []));

describe("texts that no parser survives", () => {
  for (const [name, text] of Object.entries(HARD_TEXTS)) {
    test(`${name}: the rest of the document is formatted all the same`, () => {
      const around = `# Before\n\n${text.slice(0, 8_000)}\n\n## After\n\n- good`;
      const tree = treeOf(around);
      expect(textOf(tree.children[0] as RootContent)).toBe("Before");
      // A fence or a comment that is never closed takes what follows it with it, in any markdown.
      if (!/```|~~~|<!--|^`+$/.test(text)) expect(tagsOf(tree)).toContain("h2");
    });
  }
});

test("what is too deep is shown as it was written, with a note, and nothing else is", () => {
  const deep = `${">".repeat(3_000)} x`;
  const tree = treeOf(`good **one**\n\n${deep}\n\ngood **two**`);
  const texts = tree.children.map(textOf).filter((text) => text.trim());
  expect(texts).toEqual(["good one", `${deep}\n`, NOTE, "good two"]);
});

test("a table whose rows would be filled up to millions of cells is shown as it was written", () => {
  const wide = `|${"a|".repeat(1_000)}\n|${"-|".repeat(1_000)}\n${"b\n".repeat(2_000)}`;
  expect(tagsOf(treeOf(wide))).toEqual(["pre", "p"]);
  expect(isEasy(`|${"a|".repeat(300)}\n|${"-|".repeat(300)}\n${"b\n".repeat(1_000)}`)).toBe(false);
});

test("a document of many elements is formatted as far as a browser can bear, and then goes on as it was written", () => {
  const blocks = treeOf("- item\n\nword\n\n".repeat(8_000)).children;
  expect(blocks.length).toBeLessThan(16_000);
  expect(blocks.map(textOf).join("").match(/word/g)).toHaveLength(8_000);
});

test("what people write is not held for hard", () => {
  const table = `| a | b |\n|---|---|\n${"| **x** | [y](http://z) `c` |\n".repeat(500)}`;
  const list = `${"- **one** `two` [three](http://four)\n".repeat(500)}`;
  const code = `\`\`\`json\n${"[[[{}]]],\n".repeat(2_000)}\`\`\``;
  const nested = Array.from({ length: 8 }, (_, n) => `${"  ".repeat(n)}- > level ${n}`).join("\n");
  for (const text of [table, list, code, nested]) expect(partsOf(text).filter(({ plain }) => plain)).toEqual([]);
});

test("the parts together are the text, whatever it is", () => {
  const pieces = fc.constantFrom("\n", "\n\n", "```", ">".repeat(50), "*".repeat(700), "a", "- ", "|", "    ");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (chosen) => {
      const source = chosen.join("");
      const parts = partsOf(source);
      expect(parts.map(({ text }) => text).join("")).toBe(source);
      for (const { text, start } of parts) expect(source.startsWith(text, start)).toBe(true);
    }),
  );
});
