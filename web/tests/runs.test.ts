import { expect, test } from "vitest";
import { comingsAt, continuesRun } from "../src/session/feed/runs.ts";
import type { Message } from "../src/session/queries.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
const said = (sequence: number, more: Partial<Message> = {}): Message => ({
  sequence,
  type: "chat",
  content: { text: "words" },
  postedAt: at(sequence),
  postedBy: { id: 1, handle: "amber", teamName: "Amber", kind: "agent", guest: false },
  kind: "message",
  replyTo: null,
  addressedTo: null,
  expectsReply: false,
  ask: null,
  ...more,
});
const feedOf = (messages: Message[]) => ({ message: (n: number) => messages.find(({ sequence }) => sequence === n) });
const headsOf = (messages: Message[]) =>
  messages.map(({ sequence }) => sequence).filter((n) => !continuesRun(feedOf(messages), n));

test("a run of one team ends after five messages", () => {
  expect(headsOf(Array.from({ length: 12 }, (_, n) => said(n + 1)))).toEqual([1, 6, 11]);
});

test("a run ends after two minutes, with another kind and with another team", () => {
  expect(headsOf([said(1), said(2), said(3, { postedAt: at(122) }), said(4, { postedAt: at(123) })])).toEqual([1, 3]);
  expect(headsOf([said(1), said(2, { kind: "status" }), said(3, { kind: "status" })])).toEqual([1, 2]);
  const blue = { id: 2, handle: "blue", teamName: "Blue", kind: "agent", guest: false };
  expect(headsOf([said(1), said(2, { postedBy: blue }), said(3, { postedBy: blue })])).toEqual([1, 2]);
});

test("what is addressed, answers or asks has its head, whatever was before", () => {
  const messages = [
    said(1),
    said(2, { replyTo: 1 }),
    said(3, { addressedTo: ["blue"] }),
    said(4, { expectsReply: true }),
  ];
  expect(headsOf(messages)).toEqual([1, 2, 3, 4]);
});

test("where a run begins does not depend on from where it is looked at", () => {
  const all = Array.from({ length: 200 }, (_, n) => said(n + 1));
  const part = all.slice(100);
  expect(headsOf(part)).toEqual(headsOf(all).filter((n) => n > 100));
});

test("teams that come one after the other are one line, the last one's", () => {
  const came = (sequence: number, team: string, event = "team_joined") =>
    said(sequence, { type: "system", postedBy: null, content: { event, team } });
  const feed = feedOf([came(1, "a"), came(2, "b"), came(3, "c"), came(4, "c", "team_left"), said(5)]);
  const told = [1, 2, 3, 4, 5].map((n) => comingsAt(feed, n)?.map(({ sequence }) => sequence));
  expect(told).toEqual([[], [], [1, 2, 3], [4], undefined]);
});
