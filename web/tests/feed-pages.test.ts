import { expect, test, vi } from "vitest";
import { FeedPages, PAGE } from "../src/session/feed/feed-pages.ts";
import type { Message } from "../src/session/queries.ts";

const message = (sequence: number): Message => ({
  sequence,
  type: "chat",
  content: { text: `message ${sequence}` },
  postedAt: "2026-01-01T00:00:00Z",
  postedBy: null,
  kind: "message",
  replyTo: null,
  addressedTo: null,
  expectsReply: false,
  ask: null,
});
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => message(from + n));

/** A feed of which only the first `length` messages exist yet. */
function feedOf(length: number) {
  const feed = { length, reads: [] as [number, number][] };
  const pages = new FeedPages(async (from, to) => {
    feed.reads.push([from, to]);
    return { messages: range(from, Math.min(to, feed.length)), edits: [] };
  });
  return { feed, pages };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("only the pages that are looked at are read", async () => {
  const { feed, pages } = feedOf(100_000);
  pages.show(50_001, 50_010);
  await settled();
  expect(feed.reads).toEqual([[50_001, 50_100]]);
  expect(pages.get(50_007)?.sequence).toBe(50_007);
  expect(pages.get(49_999)).toBeUndefined();
});

test("a page that has grown is read on from its last message", async () => {
  const { feed, pages } = feedOf(30);
  pages.show(1, 30);
  await settled();
  feed.length = 42;
  pages.show(1, 42);
  await settled();
  expect(feed.reads).toEqual([
    [1, PAGE],
    [31, PAGE],
  ]);
  expect(range(1, 42).map(({ sequence }) => pages.get(sequence)?.sequence)).toEqual(
    range(1, 42).map(({ sequence }) => sequence),
  );
});

test("pages far from the eye are forgotten", async () => {
  const { pages } = feedOf(100_000);
  for (let first = 1; first < 6_000; first += PAGE) pages.show(first, first + 10);
  await settled();
  pages.show(5_901, 5_910);
  expect(pages.get(5)).toBeUndefined();
  expect(pages.get(5_905)?.sequence).toBe(5_905);
});

test("a message knows the replies that have been seen, also when their page is forgotten and read again", async () => {
  const reply = { ...message(102), replyTo: 3, kind: "answer" };
  const pages = new FeedPages(async (from, to) => ({
    messages: range(from, to).map((m) => (m.sequence === 102 ? reply : m)),
    edits: [],
  }));
  pages.show(1, 2);
  await settled();
  expect(pages.repliesTo(3)).toEqual([]);
  for (const first of [101, 9_001]) {
    for (let page = 0; page < 40; page++) pages.show(first + page * PAGE, first + page * PAGE);
    await settled();
  }
  pages.show(101, 102);
  await settled();
  expect(pages.repliesTo(3).map(({ sequence }) => sequence)).toEqual([102]);
  expect([...pages.kinds].toSorted()).toEqual(["answer", "message"]);
});

test("an answer with a hole is taken up to the hole", async () => {
  const pages = new FeedPages(async () => ({ messages: [message(1), message(3)], edits: [] }));
  pages.show(1, 3);
  await settled();
  expect([1, 2, 3].map((sequence) => pages.get(sequence)?.sequence)).toEqual([1, undefined, undefined]);
});

test("a failed read is told, and tried again when looked at later", async () => {
  vi.useFakeTimers();
  let fails = true;
  const pages = new FeedPages(async (from, to) => {
    if (fails) throw new Error("no connection");
    return { messages: range(from, to), edits: [] };
  });
  pages.show(1, 5);
  await vi.advanceTimersByTimeAsync(0);
  expect(pages.failed).toBe(true);
  fails = false;
  await vi.advanceTimersByTimeAsync(3_000);
  pages.show(1, 5);
  await vi.advanceTimersByTimeAsync(0);
  expect(pages.failed).toBe(false);
  expect(pages.get(5)?.sequence).toBe(5);
  vi.useRealTimers();
});
