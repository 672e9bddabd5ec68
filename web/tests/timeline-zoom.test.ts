import { expect, test } from "vitest";
import { ticksOf } from "../src/session/timeline/axis.ts";
import { brushed, isWhole, moved, zoomed } from "../src/session/timeline/zoom.ts";

const MINUTE = 60_000;
const whole = { start: 0, end: 100 * MINUTE };

test("what is around the pointer stays where it is, and nothing outside of the session is shown", () => {
  expect(zoomed(whole, whole, 0.5, 50 * MINUTE)).toEqual({ start: 25 * MINUTE, end: 75 * MINUTE });
  expect(zoomed(whole, whole, 0.5, 100 * MINUTE)).toEqual({ start: 50 * MINUTE, end: 100 * MINUTE });
  const part = zoomed(whole, whole, 0.1, 0);
  expect(part).toEqual({ start: 0, end: 10 * MINUTE });
  expect(zoomed(part, whole, 2, 5 * MINUTE)).toEqual({ start: 0, end: 20 * MINUTE });
  expect(isWhole(zoomed(part, whole, 100, 5 * MINUTE), whole)).toBe(true);
  expect(moved(part, whole, 0.5)).toEqual({ start: 5 * MINUTE, end: 15 * MINUTE });
  expect(moved(part, whole, -0.5)).toEqual(part);
});

test("a stretch is drawn in either direction, and never shorter than something can be read in it", () => {
  expect(brushed(20 * MINUTE, 10 * MINUTE, whole)).toEqual({ start: 10 * MINUTE, end: 20 * MINUTE });
  const { start, end } = brushed(MINUTE, MINUTE + 1, whole);
  expect(end - start).toBe(10_000);
});

test("the axis of a few minutes tells them apart, and that of days says which", () => {
  const labels = (minutes: number) => ticksOf(0, minutes * MINUTE, 6).map(({ label }) => label);
  expect(new Set(labels(3)).size).toBe(labels(3).length);
  expect(labels(3 * 24 * 60).filter((label) => /[a-z]/i.test(label)).length).toBeGreaterThan(1);
  expect(labels(60).filter((label) => /^\d\d:\d\d$/.test(label)).length).toBeGreaterThan(1);
});
