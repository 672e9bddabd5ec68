import { expect, test } from "vitest";
import { sectionsOf } from "../src/session/doc/sections.ts";

const whole = (text: string) => {
  const { sections, rest } = sectionsOf(text);
  return sections.map((section) => section.text).join("") + rest;
};

test("the sections together are the document, and headings in code are no headings", () => {
  const text = "before\n\n# One\n\n```\n## not one\n```\n\n## Two ##\n\n- a\n\n### deeper\n\nb\n";
  expect(whole(text)).toBe(text);
  expect(sectionsOf(text).sections.map(({ heading }) => heading)).toEqual([undefined, "One", "Two"]);
});

test("an edit changes the section that it is in, and no other", () => {
  const section = (n: number, words: string) => `## Part ${n}\n\n${words.repeat(200)}\n\n`;
  const doc = (third: string) => [0, 1, 2, 3, 4].map((n) => section(n, n === 3 ? third : "some words ")).join("");
  const [before, after] = [sectionsOf(doc("old ")).sections, sectionsOf(doc("quite new ")).sections];
  expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  expect(after.filter((one, n) => one.text !== before[n]?.text).map(({ heading }) => heading)).toEqual(["Part 3"]);
});

test("what is long without headings is cut between paragraphs, and appending leaves all but the end as it was", () => {
  const text = "A paragraph of some words.\n\n".repeat(1_000);
  const [before, after] = [sectionsOf(text).sections, sectionsOf(`${text}one more\n`).sections];
  expect(before.length).toBeGreaterThan(5);
  expect(after.slice(0, -1)).toEqual(before.slice(0, after.length - 1));
  expect(whole(text)).toBe(text);
});

test("two sections of one name have keys of their own", () => {
  const keys = sectionsOf("## A\n\nx\n\n## A\n\ny\n").sections.map(({ key }) => key);
  expect(new Set(keys).size).toBe(2);
});

test("a reference is known wherever it is used", () => {
  const { sections } = sectionsOf("# One\n\n[site]\n\n# Two\n\n[site]: https://example.com\n");
  expect(sections[0]?.text).toContain("https://example.com");
});

test("of fifty thousand headings the first are formatted, the rest stays as it was written", () => {
  const text = "# a\n".repeat(50_000);
  const { sections, rest } = sectionsOf(text);
  expect(sections.length).toBeLessThan(100);
  expect(rest.length).toBeGreaterThan(text.length / 2);
  expect(whole(text)).toBe(text);
});
