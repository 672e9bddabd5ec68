import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";
import { hashSecret, NOBODY } from "../../http/caller.ts";
import { Events } from "../../live/events.ts";
import { WaitRoom } from "../../live/wait.ts";
import { asRole, createPool } from "../../postgres/database.ts";
import { createCall } from "../../verbs/call.ts";
import { LiveCatalogue, type Verb } from "../../verbs/catalogue.ts";

let parley: TestServer;

beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const sql = (text: string, values: unknown[] = []) =>
  connected(parley.database.url("parley_owner"), async (client) => (await client.query(text, values)).rows);

/** Two teams; the second has joined at cursor 1. */
async function pair(): Promise<[Team, Team]> {
  const alex = await parley.create();
  return [alex, await parley.join(alex)];
}

/** The parts behind the doors, without the look that would cover up a lost wake-up. */
async function withoutFallback(work: (parts: Awaited<ReturnType<typeof startParts>>) => Promise<void>) {
  const parts = await startParts();
  try {
    await work(parts);
  } finally {
    await parts.stop();
  }
}

async function startParts() {
  const log = pino({ level: "fatal" });
  const url = asRole(parley.database.url("parley_server"), "parley_caller");
  const pool = createPool(url, log, { max: 10 });
  const events = new Events(url, pool, log);
  await events.start();
  const catalogue = new LiveCatalogue(pool, log);
  await catalogue.start();
  const timers = vi.spyOn(globalThis, "setInterval");
  const room = new WaitRoom(pool, events, log);
  expect(timers.mock.results).toHaveLength(1);
  clearInterval(timers.mock.results[0]?.value);
  timers.mockRestore();

  const call = createCall(pool, events, room);
  const as = async (team: Team, verb: string, args: object = {}) =>
    JSON.parse(
      await call(
        catalogue.current.byName.get(verb) as Verb,
        { session_id: team.ref, ...args },
        { ...NOBODY, teamHash: hashSecret(team.team_id), origin: parley.url },
      ),
    );
  return {
    pool,
    events,
    room,
    as,
    async stop() {
      catalogue.stop();
      await room.close();
      await events.stop();
      await pool.end();
    },
  };
}

test("a post that races with the start of a wait is never missed, even without the fallback", async () => {
  await withoutFallback(async ({ as }) => {
    const rounds = async ([poster, team]: [Team, Team], count: number) => {
      for (let cursor = 1; cursor <= count; cursor++) {
        const post = () => as(poster, "post_message", { content: `message ${cursor + 1}` });
        const wait = () => as(team, "wait_for_messages", { since_cursor: cursor, timeout: 25 });
        // The post starts before, with and after the wait.
        const [heard] = await Promise.all(
          cursor % 3 === 0
            ? [wait(), post()]
            : cursor % 3 === 1
              ? [sleep(0).then(wait), post()]
              : [wait(), sleep(Math.random() * 4).then(post)],
        );
        expect(heard).toMatchObject({ messages: [{ cursor: cursor + 1 }], next_cursor: cursor + 1 });
      }
    };
    const teams = await Promise.all(Array.from({ length: 6 }, pair));
    const started = Date.now();
    await Promise.all(teams.map((team) => rounds(team, 100)));
    // A wait that missed its message would have sat out its 25 seconds.
    expect(Date.now() - started).toBeLessThan(25_000);
  });
});

test("what is announced between the read and the wait is looked at again", async () => {
  await withoutFallback(async ({ pool, events, room }) => {
    const [alex] = await pair();
    const id = crypto.randomUUID();
    const since = room.now();
    await sql(
      `insert into parley_private.waits (id, session_id, participant_id, since_cursor, expires_at)
       values ($1, $2, 2, 1, now() + interval '1 minute')`,
      [id, alex.session_id],
    );
    const announced = new Promise<void>((resolve) => {
      events.subscribe(`feed ${alex.session_id}`, () => resolve());
    });
    await parley.say(alex, "in between");
    await announced;
    const signal = AbortSignal.timeout(10_000);
    const answer = await room.wait({ id, topic: `feed ${alex.session_id}`, seconds: 60, since, signal });
    expect(JSON.parse(answer?.json ?? "").messages).toMatchObject([{ content: { text: "in between" } }]);
    expect(room.size).toBe(0);
    expect(pool.waitingCount).toBe(0);
  });
});
