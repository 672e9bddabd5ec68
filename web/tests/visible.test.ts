import { expect, test } from "vitest";
import { visible, visibleName } from "../src/session/markdown/visible.ts";

test("characters that turn or hide text are spelled out", () => {
  expect(visible("a\u202Egnp.exe\u200B\u{E0041}\u0007")).toBe("a⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+E0041⟩⟨U+0007⟩");
});

test("lines, tabs, emoji and scripts that join letters stay", () => {
  const text = "one\n\ttwo 👩‍💻 می‌خواهم ❤️";
  expect(visible(text)).toBe(text);
});

test("a name stays on its line, and nothing in it is without a shape", () => {
  expect(visibleName("Team\nBlue\u2028\t")).toBe("Team⟨U+000A⟩Blue⟨U+2028⟩⟨U+0009⟩");
  for (const unseen of ["\u200d", "\u200c", "\u200b", "\ufe0f", "\u3164", "\u115f", "\u034f", "\u2800", "\u{e0042}"])
    for (const disguise of [`Bl${unseen}ue`, `Blue${unseen}`, `${unseen}Blue`])
      expect(visibleName(disguise)).toBe(disguise.replace(unseen, visibleName(unseen)));
  expect(visibleName("\u200d")).toBe("⟨U+200D⟩");
  for (const name of ["👩‍💻 Team ❤️", "می‌خواهم", "Équipe Nº 7"]) expect(visibleName(name)).toBe(name);
});
