import { setImmediate as moment } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Desk } from "../agents/desk.ts";
import type { Place, Seated } from "../agents/run/options.ts";
import { Run } from "../agents/run/run.ts";
import type { RunState, Store } from "../agents/state.ts";
import type { Answer } from "../connection/api.ts";

/**
 * The loop of a run against a session of one feed, both in this process, so that a race costs no time: a message
 * comes while a turn begins, runs or ends, and the process is killed at any moment between.
 */
const ROUNDS = 500;
const screen = new Proxy({}, { get: () => () => undefined }) as never;
const never = new Promise<never>(() => undefined);

/** What the server keeps. */
class Session {
  feed: Answer[] = [];
  cursor = 0;
  #waiting = new Set<() => void>();

  say(handle: string, text: string, id?: string) {
    if (id && this.feed.some((message) => message.id === id)) return;
    const to = handle === "red" ? ["blue"] : undefined;
    this.feed.push({ cursor: this.feed.length + 1, type: "chat", handle, to, content: { text }, id });
    for (const wake of this.#waiting) wake();
  }

  confirm(cursor: number) {
    this.cursor = Math.max(this.cursor, cursor);
  }

  async wait(since: number | undefined, signal: AbortSignal): Promise<Answer> {
    const from = since ?? this.cursor;
    this.confirm(from);
    const others = () => this.feed.filter(({ cursor, handle }) => cursor > from && handle !== "blue");
    if (others().length === 0)
      await new Promise<void>((resolve, reject) => {
        this.#waiting.add(resolve);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    this.#waiting.clear();
    const messages = others();
    return { messages, next_cursor: messages.at(-1)?.cursor ?? from, session_closed: false };
  }
}

/** One process: what it asks of the world stops when it is killed. */
function startProcess(session: Session, kept: { state: string }, forgets: boolean) {
  let dead = false;
  const life = new AbortController();
  const mortal = async <T>(work: () => T | Promise<T>): Promise<T> => {
    await moment();
    if (dead) return never;
    const result = await work();
    return dead ? never : result;
  };
  const table: Place = {
    onInterrupt: () => undefined,
    hurry: () => undefined,
    wait: (since, signal) => mortal(() => session.wait(since, signal)),
    confirm: (cursor) => mortal(() => session.confirm(cursor)),
    latest: () =>
      mortal(() => session.feed.slice(-100).map((message) => ({ ...message, mine: message.handle === "blue" }))),
    between: (after, upTo) =>
      mortal(() => session.feed.filter(({ cursor, handle }) => cursor > after && cursor <= upTo && handle !== "blue")),
    post: ({ content, client_message_id }) =>
      mortal(() => {
        session.say("blue", String(content), String(client_message_id));
        return { cursor: session.feed.length };
      }),
    lines: () => mortal(() => `last_cursor ${session.feed.length}`),
    claim: () => never,
    task: () => never,
  };
  const agent: Seated = {
    title: "",
    conversation: "c",
    remembers: true,
    canRemember: true,
    cancel: async () => undefined,
    close: async () => undefined,
    kill: () => undefined,
    prompt: (text) =>
      mortal(async () => {
        await moment();
        const heard = [...text.matchAll(/red → you \(blue\): (m\d+)/g)].map(([, name]) => name);
        words = heard.join(" ");
        return { stopReason: "end_turn" };
      }),
  };
  let words = "";
  const store: Store = {
    read: () => JSON.parse(kept.state) as RunState,
    write(state) {
      if (dead) throw new Error("dead");
      const { turn, ...rest } = state;
      kept.state = JSON.stringify(forgets ? rest : state);
    },
    remove: () => undefined,
  };
  const state = store.read() as RunState;
  const desk: Desk = {
    onOrder: () => undefined,
    onGone: () => undefined,
    whyNoTurn: async () => undefined,
    tell: () => undefined,
    event: () => undefined,
    ask: () => never,
    end: async () => undefined,
  };
  const run = new Run({
    command: { name: "a", command: "a", args: [] },
    state,
    store,
    table,
    desk,
    screen,
    signal: life.signal,
    start: async ({ handlers }) => ({
      ...agent,
      prompt: async (text: string) => {
        const ended = await agent.prompt(text);
        handlers.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } });
        return ended;
      },
    }),
    wake: "addressed",
    voice: "all",
    permissions: "none",
    limits: {},
    tasks: false,
    idleMs: Number.POSITIVE_INFINITY,
    dozeMs: Number.POSITIVE_INFINITY,
    patienceMs: Number.POSITIVE_INFINITY,
    park: false,
  });
  void run.go().catch(() => undefined);
  return () => {
    dead = true;
    life.abort();
  };
}

/** The answers to each message, in rounds that are killed at any moment. */
async function race(forgets: boolean): Promise<Map<string, number>> {
  const session = new Session();
  const kept = {
    state: JSON.stringify({
      id: "r",
      url: "http://x",
      ref: "x",
      session_id: "x",
      team_id: "x",
      handle: "blue",
      team_name: "blue",
      agent: "a",
      cwd: "/",
      pid: 1,
      told: 0,
      heard: 0,
      turns: 1,
      tokens: 0,
      cost: 0,
    }),
  };
  const moments = async (most: number) => {
    for (let left = Math.random() * most; left > 0; left -= 1) await moment();
  };
  let kill = startProcess(session, kept, forgets);
  const names: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    names.push(`m${round}`);
    session.say("red", `m${round}`);
    await moments(24);
    if (round % 2 === 0) continue;
    kill();
    kill = startProcess(session, kept, forgets);
    await moments(12);
  }
  const answered = () =>
    session.feed.filter(({ handle }) => handle === "blue").flatMap(({ content }) => content.text.split(" "));
  for (let patience = 400; patience > 0 && !(new Set(answered()).size >= ROUNDS); patience -= 1) await moment();
  kill();
  const given = answered();
  return new Map(names.map((name) => [name, given.filter((word) => word === name).length]));
}

test("whatever comes while a turn begins, runs or ends, and whenever the process is killed, is answered exactly once, in 500 rounds", async () => {
  const answers = await race(false);
  expect([...answers].filter(([, times]) => times !== 1)).toEqual([]);
});

test("without writing down that a turn has begun, some of it is lost or said twice: the rounds can tell", async () => {
  const answers = await race(true);
  expect([...answers].filter(([, times]) => times !== 1)).not.toEqual([]);
});
