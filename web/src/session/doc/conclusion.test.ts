import { expect, test } from "vitest";
import { conclusionOf } from "./conclusion.ts";

test("the conclusion ends at the next heading of its level", () => {
  expect(conclusionOf("# A\n\n## Conclusion\n\nDone.\n\n### Next\n\nTests.\n\n## Log\n\nx")).toBe(
    "Done.\n\n### Next\n\nTests.",
  );
});

test("headings inside a fence are text", () => {
  expect(conclusionOf("## Conclusion\n\n```md\n## Other\n```\nend")).toBe("```md\n## Other\n```\nend");
  expect(conclusionOf("```md\n## Conclusion\nfake\n```")).toBeUndefined();
});
