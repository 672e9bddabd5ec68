import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Ticks } from "../../graphql/ticks.ts";

function source() {
  const listeners = new Map<string, () => void>();
  return {
    listeners,
    happen: (topic: string) => listeners.get(topic)?.(),
    subscribe(topic: string, listener: () => void) {
      listeners.set(topic, listener);
      return () => listeners.delete(topic);
    },
  };
}

const settled = (promise: Promise<unknown>) => Promise.race([promise.then(() => true), sleep(30, false)]);

test("the first tick comes at once, the next when something has happened on any topic", async () => {
  const events = source();
  const ticks = new Ticks(events, ["feed 1", "doc 1"], { value: () => "1", gapMs: 0 });
  ticks.want();
  expect(await ticks.next()).toEqual({ done: false, value: "1" });
  ticks.want();
  const next = ticks.next();
  expect(await settled(next)).toBe(false);
  events.happen("doc 1");
  expect(await next).toEqual({ done: false, value: "1" });
});

test("whatever happens while nobody asks is one tick", async () => {
  const events = source();
  const ticks = new Ticks(events, ["feed 1"], { value: () => "1", gapMs: 0 });
  ticks.want();
  await ticks.next();
  for (let i = 0; i < 100; i++) events.happen("feed 1");
  const next = ticks.next();
  expect(await settled(next)).toBe(false);
  ticks.want();
  expect(await settled(next)).toBe(true);
  ticks.want();
  expect(await settled(ticks.next())).toBe(false);
});

test("a reader that goes away leaves no listener behind, and whoever waits is told", async () => {
  const events = source();
  const ticks = new Ticks(events, ["feed 1", "doc 1"], { value: () => "1", gapMs: 0 });
  const next = ticks.next();
  await ticks.return();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(events.listeners.size).toBe(0);
});

test("a reader that hears of nothing looks by itself now and then, and no more once it has gone", async () => {
  const events = source();
  const ticks = new Ticks(events, ["feed 1"], { value: () => "1", gapMs: 0, lookEveryMs: 20 });
  for (let look = 0; look < 3; look++) {
    ticks.want();
    expect(await ticks.next()).toEqual({ done: false, value: "1" });
  }
  await ticks.return();
  ticks.want();
  expect(await ticks.next()).toEqual({ done: true, value: undefined });
});

test("who has just come is greeted before the gap is over, and that is not told as news", async () => {
  const events = source();
  const ticked: boolean[] = [];
  const ticks = new Ticks(events, ["feed 1"], {
    value: () => "1",
    gapMs: 600_000,
    onTick: (news) => ticked.push(news),
  });
  const next = () => {
    ticks.want();
    return ticks.next();
  };
  await next();
  events.happen("feed 1");
  await next();
  events.happen("feed 1");
  const greeted = next();
  expect(await settled(greeted)).toBe(false);
  ticks.greet();
  await greeted;
  expect(ticked).toEqual([false, true, false]);
  expect([ticks.happenings, ticks.behind]).toEqual([2, true]);
  await ticks.return();
});
