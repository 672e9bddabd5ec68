import { expect, test } from "vitest";
import { receiptsOf } from "../src/session/feed/receipts.ts";
import type { Message, Participant } from "../src/session/queries.ts";

const AT = "2026-01-01T10:00:00Z";
const team = (handle: string, cursors: Partial<Participant>) =>
  ({ handle, startedFrom: 0, cursor: 0, ackedCursor: 0, leftAt: null, joinedAt: AT, ...cursors }) as Participant;

test("a message was read and received only by those it was said to, however soon the others came and whatever they read since", () => {
  const message = { sequence: 5, postedAt: AT, postedBy: { handle: "author" } } as Message;
  const roster = [
    team("author", { cursor: 5, ackedCursor: 5 }),
    team("reader", { cursor: 9, ackedCursor: 5 }),
    team("listener", { startedFrom: 4, cursor: 5, ackedCursor: 4 }),
    team("sleeper", { cursor: 4 }),
    team("next", { startedFrom: 5, cursor: 5 }),
    team("diligent", { startedFrom: 6, cursor: 9, ackedCursor: 9 }),
    team("gone", { cursor: 4, leftAt: AT }),
  ];
  expect(receiptsOf(message, roster).map(({ team, receipt }) => [team.handle, receipt])).toEqual([
    ["reader", "read"],
    ["listener", "received"],
    ["sleeper", "not yet"],
    ["next", "joined later"],
    ["diligent", "joined later"],
  ]);
});
