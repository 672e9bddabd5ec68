import { expect, test } from "vitest";
import { sequenceAt } from "../src/session/timeline/lanes.ts";

const marks = [
  { sequence: 1, at: 0, handle: "a" },
  { sequence: 101, at: 1_000, handle: "b" },
];

test("a moment between two sampled messages leads to the message in between", () => {
  expect(sequenceAt(marks, 500)).toBe(51);
});

test("moments outside lead to the first and the last message", () => {
  expect([sequenceAt(marks, -5), sequenceAt(marks, 9_999), sequenceAt([], 1)]).toEqual([1, 101, undefined]);
});
