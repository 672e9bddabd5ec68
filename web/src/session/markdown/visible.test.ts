import { expect, test } from "vitest";
import { visible } from "./visible.ts";

test("characters that turn or hide text are spelled out", () => {
  expect(visible("a\u202Egnp.exe\u200B\u{E0041}\u0007")).toBe("a⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+E0041⟩⟨U+0007⟩");
});

test("lines, tabs, emoji and scripts that join letters stay", () => {
  const text = "one\n\ttwo 👩‍💻 می‌خواهم ❤️";
  expect(visible(text)).toBe(text);
});
