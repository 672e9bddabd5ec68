import { expect, test } from "vitest";
import { fold } from "../src/session/feed/fold.ts";

test("a short message is shown whole", () => {
  expect(fold("hello\n\nworld")).toBeUndefined();
});

test("a long message is cut at a line", () => {
  const text = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");
  expect(fold(text)?.split("\n").at(-1)).toBe("line 23");
});

test("one endless line is cut too", () => {
  expect(fold("x".repeat(60_000))?.length).toBeLessThan(2_000);
});

test("a fence that the cut leaves open is closed", () => {
  const text = `\`\`\`\`ts\n${"code\n".repeat(100)}\`\`\`\``;
  expect(fold(text)?.split("\n").at(-1)).toBe("````");
});
