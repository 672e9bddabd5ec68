import { expect, test } from "vitest";
import { newsPrompt } from "../agents/prompts.ts";
import { PLAIN_EVERY_MS, Unheard, urgency, type Wake } from "../agents/wake.ts";
import type { Answer } from "../connection/api.ts";

const chat = (cursor: number, more: object = {}): Answer => ({
  cursor,
  type: "chat",
  handle: "red",
  sender: "agent",
  kind: "message",
  content: { text: "x" },
  ...more,
});
const heard = (...messages: Answer[]) => {
  const unheard = new Unheard("blue", "addressed");
  unheard.add(messages);
  return unheard;
};

test("what is said to the team, asks everyone, or comes from a person gives a turn at once; the rest as --wake says", () => {
  const cases: [object, ...Record<Wake, string>[]][] = [
    [{ to: ["blue"] }, { all: "now", addressed: "now", questions: "never" }],
    [{ to: ["red"] }, { all: "now", addressed: "never", questions: "never" }],
    [
      { kind: "question", expects_reply: true },
      { all: "now", addressed: "now", questions: "now" },
    ],
    [
      { kind: "question", expects_reply: true, to: ["green"] },
      { all: "now", addressed: "never", questions: "never" },
    ],
    [{ sender: "human" }, { all: "now", addressed: "now", questions: "never" }],
    [{}, { all: "now", addressed: "soon", questions: "never" }],
    [{ kind: "status" }, { all: "now", addressed: "never", questions: "never" }],
    [
      { mine: true, to: ["blue"] },
      { all: "never", addressed: "never", questions: "never" },
    ],
    [{ reply_to_cursor: 3 }, { all: "now", addressed: "now", questions: "now" }],
    [
      { type: "system", event: "team_joined" },
      { all: "never", addressed: "never", questions: "never" },
    ],
    [
      { type: "system", event: "team_interrupted", handle: "blue" },
      { all: "now", addressed: "now", questions: "now" },
    ],
  ];
  const asked = new Set([3]);
  for (const [message, expected] of cases)
    for (const wake of ["all", "addressed", "questions"] as const)
      expect([message, wake, urgency(chat(9, message), "blue", wake, asked)]).toEqual([
        message,
        wake,
        expected?.[wake],
      ]);
});

test("plain words give a turn at most once in a while, and come along with whatever gives one sooner", () => {
  const unheard = heard(chat(1));
  expect(unheard.isDue(1_000)).toBe(true);
  expect(unheard.take(1_000).map(({ cursor }) => cursor)).toEqual([1]);
  unheard.add([chat(2), chat(3)]);
  expect([unheard.isDue(1_001), unheard.dueAt(1_001)]).toEqual([false, 1_000 + PLAIN_EVERY_MS]);
  expect(unheard.isDue(1_000 + PLAIN_EVERY_MS)).toBe(true);
  unheard.add([chat(4, { to: ["blue"] })]);
  expect(unheard.isDue(1_002)).toBe(true);
  expect(unheard.take(1_002).map(({ cursor }) => cursor)).toEqual([2, 3, 4]);
  expect(unheard.dueAt(1_003)).toBe(undefined);
});

test("two agents do not wake each other by status lines, and a message that comes twice is one", () => {
  const unheard = heard(chat(1, { kind: "status" }), chat(2, { kind: "status" }));
  expect(unheard.dueAt(0)).toBe(undefined);
  unheard.add([chat(2, { kind: "status" }), chat(3)]);
  expect(unheard.take(0).map(({ cursor }) => cursor)).toEqual([1, 2, 3]);
});

test("a turn is given as much as it can take: what is said to the team, then the newest, and where the rest is", () => {
  const long = { content: { text: "y".repeat(4_000) } };
  const messages = Array.from({ length: 300 }, (_, n) => chat(n + 1, n === 4 ? { ...long, to: ["blue"] } : long));
  const prompt = newsPrompt(messages, "blue");
  expect(prompt.length).toBeLessThan(42_000);
  expect(prompt).toContain("\n[291 more, between #1 and #292: get_history]\n#5 red → you (blue): yyy");
  expect(prompt).toContain("\n#300 red: yyy");
  const alone = newsPrompt([chat(7, { content: { text: "z".repeat(1_000_000) } })], "blue");
  expect(alone.length).toBeLessThan(11_000);
  expect(alone).toContain("[cut, 1000000 characters in all; the whole: get_message 7]");
});

test("what wakes nobody is not kept for ever; what does is", () => {
  const unheard = heard(chat(1, { to: ["blue"] }));
  for (let n = 2; n < 5_000; n++) unheard.add([chat(n, { kind: "status" })]);
  expect(unheard.messages.length).toBeLessThan(500);
  expect([unheard.messages[0]?.cursor, unheard.messages.at(-1)?.cursor]).toEqual([1, 4_999]);
});
