import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as moment } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Border, watch } from "../agents/watch.ts";
import type { Answer } from "../connection/api.ts";
import { readTeams, remember, type Team } from "../team/teams.ts";

/**
 * The hook that wakes a session, as often as its turns end, against a feed and processes of this process: the files are
 * real. A message comes while a hook starts, waits, tells or ends; a turn ends twice; a session is closed and another one opened.
 */
const ROUNDS = 500;
let home: string;
let before: string | undefined;
beforeEach(() => {
  before = process.env.PARLEY_HOME;
  home = mkdtempSync(join(tmpdir(), "parley-hooks-"));
  process.env.PARLEY_HOME = home;
});
afterEach(() => {
  if (before === undefined) delete process.env.PARLEY_HOME;
  else process.env.PARLEY_HOME = before;
  rmSync(home, { recursive: true, force: true });
});

const team: Team = {
  url: "http://127.0.0.1:1",
  ref: "calm-otter-17",
  session_id: "s",
  team_id: "pt_x",
  handle: "blue",
  title: "T",
  cursor: 0,
  doc_version: 0,
  folder: "/",
  joined_at: "",
};

class Feed {
  messages: Answer[] = [];
  #waiting = new Set<() => void>();

  say(text: string) {
    const cursor = this.messages.length + 1;
    this.messages.push({ cursor, type: "chat", handle: "red", to: ["blue"], content: { text } });
    for (const wake of this.#waiting) wake();
  }

  async wait(since: number | undefined, signal: AbortSignal): Promise<Answer> {
    const news = () => this.messages.filter(({ cursor }) => cursor > (since ?? 0));
    await moment();
    if (news().length === 0)
      await new Promise<void>((resolve, reject) => {
        // A request that begins when it was given up already ends at once, too.
        signal.throwIfAborted();
        this.#waiting.add(resolve);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    await moment();
    return { messages: news(), next_cursor: this.messages.length, session_closed: false };
  }
}

const moments = async (most: number) => {
  for (let left = Math.random() * most; left > 0; left -= 1) await moment();
};

/** How often each message has woken a session that was there to hear it. */
async function race(areToldApart: boolean): Promise<number[]> {
  await remember(team);
  const feed = new Feed();
  const living = new Set<number>();
  const told: string[] = [];
  let pids = 0;
  const born = () => {
    pids += 1;
    living.add(pids);
    return pids;
  };
  const running = new Set<Promise<void>>();
  function openSession() {
    const parent = born();
    const over = new AbortController();
    async function stop() {
      const pid = areToldApart ? born() : 0;
      const border: Border = {
        pid,
        parent,
        isAlive: (one) => living.has(one),
        async tell(text) {
          await moments(3);
          if (!living.has(parent)) throw new Error("nobody reads it");
          told.push(text);
        },
      };
      const woken = await watch(team, border, over.signal, feed).catch(() => false);
      living.delete(pid);
      if (!woken || !living.has(parent)) return;
      await moments(6);
      // The turn ends, and may be said to have ended twice.
      begin();
      if (Math.random() < 0.2) begin();
    }
    function begin() {
      const hook: Promise<void> = stop().finally(() => running.delete(hook));
      running.add(hook);
    }
    begin();
    return async () => {
      living.delete(parent);
      await moments(20);
      over.abort(new Error("its session is gone"));
    };
  }
  let close = openSession();
  const closing: Promise<void>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    feed.say(`m${round}.`);
    await moments(30);
    if (round % 10 !== 9) continue;
    closing.push(close());
    await moments(10);
    close = openSession();
  }
  const times = () =>
    feed.messages.map(({ content }) => told.filter((text) => text.includes(`: ${content.text}`)).length);
  // Locks are waited for by the clock.
  for (let left = 2_000; left > 0 && times().includes(0); left -= 1)
    await new Promise((resolve) => setTimeout(resolve, 5));
  await Promise.all([...closing, close()]);
  await Promise.all(running);
  return times();
}

test("what is said while a hook starts, waits, tells or ends, and while sessions come and go, wakes exactly once, in 500 rounds", async () => {
  const times = await race(true);
  expect(times.filter((often) => often !== 1)).toEqual([]);
  expect(readTeams()[0]?.cursor).toBe(ROUNDS);
});

test("where no hook knows that another waits already, some of it is told twice: the rounds can tell", async () => {
  const times = await race(false);
  expect(times.filter((often) => often !== 1)).not.toEqual([]);
});
