import { expect, test } from "vitest";
import { splitConclusion } from "../src/session/doc/conclusion.ts";

test("the conclusion ends at the next heading of its level, and the rest is the document without it", () => {
  expect(splitConclusion("# A\n\n## Conclusion\n\nDone.\n\n### Next\n\nTests.\n\n## Log\n\nx")).toEqual({
    conclusion: "Done.\n\n### Next\n\nTests.",
    rest: "# A\n\n## Log\n\nx",
  });
});

test("of several conclusions the last one counts, and the others stay", () => {
  expect(splitConclusion("## Conclusion\nold\n## Conclusion\nnew")).toEqual({
    conclusion: "new",
    rest: "## Conclusion\nold",
  });
});

test("headings inside a fence are text", () => {
  const fenced = "```md\n## Other\n```\nend";
  expect(splitConclusion(`## Conclusion\n\n${fenced}`)).toEqual({ conclusion: fenced, rest: "" });
  const fake = "```md\n## Conclusion\nfake\n```";
  expect(splitConclusion(fake)).toEqual({ conclusion: undefined, rest: fake });
});
