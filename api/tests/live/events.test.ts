import { pino } from "pino";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { metric, startOwnPostgres, startProxy } from "../../../testing/faults.ts";
import { connected, createTestDatabase, type TestDatabase } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { Events } from "../../live/events.ts";
import { asRole, createPool } from "../../postgres/database.ts";

const log = pino({ level: "silent" });
// CONTRACT.md §5: woken by the commit, or within 2 s when notifications are broken.
const WAKE_MS = 2_000;

let database: TestDatabase;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => database.drop());

const notify = (payload: string) =>
  connected(database.url(), (client) => client.query("select pg_notify('parley', $1)", [payload]));
const terminateListener = () =>
  connected(database.url(), (client) =>
    client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley events' and datname = current_database()",
    ),
  );

async function startEvents(databaseUrl = database.url("parley_server")) {
  const url = asRole(databaseUrl, "parley_caller");
  const pool = createPool(url, log);
  const events = new Events(url, pool, log);
  await events.start();
  cleanups.push(async () => {
    await events.stop();
    await pool.end();
  });
  const heard: (string | null)[] = [];
  events.onAny((topic) => heard.push(topic));
  return { events, heard };
}

async function startParley(options: Parameters<typeof startTestServer>[0]) {
  const parley = await startTestServer({ database, log, ...options });
  cleanups.push(() => parley.stop());
  return parley;
}

/** Starts waits and returns when the server holds them all. */
async function hold(parley: TestServer, teams: Team[], cursor: number) {
  const answers = teams.map(async (team) => ({
    ...(await parley.wait(team, { since_cursor: cursor, include_self: "true" })),
    at: Date.now(),
  }));
  await until(async () => (await metric(parley.url, "parley_waiting_calls")) === teams.length, "the waits to be held");
  return { answers };
}

/** Says something and returns when that was acknowledged; tries again while the database is away. */
async function sayUntilHeard(parley: TestServer, team: Team, text: string): Promise<number> {
  return until(async () => {
    const { status, body } = await parley.post(`/sessions/${team.ref}/messages`, { content: text }, team);
    if (status !== 200) expect([status, body.error.code]).toEqual([503, "unavailable"]);
    return status === 200 ? Date.now() : 0;
  }, "an acknowledged post");
}

test("a topic is heard by those who asked for it, for every session, or for everything, until they have had enough", async () => {
  const { events, heard } = await startEvents();
  const told: string[] = [];
  const stop = events.subscribe("feed here", () => told.push("here"));
  events.subscribe("feed there", () => told.push("there"));
  events.subscribe("feed *", () => told.push("any feed"));
  events.subscribe("settings", () => told.push("settings"));

  await notify("feed here");
  await notify("doc here");
  await notify("settings");
  await until(() => heard.length === 3, "three notifications");
  expect(told).toEqual(["here", "any feed", "settings"]);
  stop();
  await notify("feed here");
  await until(() => heard.length === 4, "the fourth notification");
  expect(told).toEqual(["here", "any feed", "settings", "any feed"]);
});

test("after the listening connection was lost everyone is called, and notifications arrive again", async () => {
  const { events, heard } = await startEvents();
  let called = 0;
  events.subscribe("feed nobody-speaks-here", () => called++);
  await terminateListener();
  await until(() => heard.includes(null), "the call to everyone");
  expect(called).toBe(1);
  expect(events.connected).toBe(true);
  await notify("feed here");
  await until(() => heard.includes("feed here"), "a notification");
});

test("a listening connection that falls silent is noticed and replaced", async () => {
  const proxy = await startProxy(database.url("parley_server"));
  cleanups.push(() => proxy.close());
  const { heard } = await startEvents(proxy.url);
  expect(proxy.freezeListener()).toBe(1);
  await until(() => heard.includes(null), "the call to everyone");
  await notify("feed here");
  await until(() => heard.includes("feed here"), "a notification");
});

test("it can be stopped while its connection is silent", async () => {
  const proxy = await startProxy(database.url("parley_server"));
  cleanups.push(() => proxy.close());
  const { events } = await startEvents(proxy.url);
  proxy.freezeListener();
  const started = Date.now();
  await events.stop();
  expect(Date.now() - started).toBeLessThan(10_000);
});

test("readiness says when the listener is away", async () => {
  const proxy = await startProxy(database.url("parley_server"));
  const parley = await startParley({ databaseUrl: proxy.url });
  const ready = async () => (await fetch(`${parley.url}/readyz`)).status;
  expect(await ready()).toBe(200);
  proxy.close();
  await until(async () => (await ready()) === 503, "readyz to say 503");
  expect((await fetch(`${parley.url}/livez`)).status).toBe(200);
});

test("waiting calls are woken though the listening connection is cut again and again", async () => {
  const parley = await startParley({});
  const alex = await parley.create();
  for (let cursor = 0; cursor < 15; cursor++) {
    const { answers } = await hold(parley, [alex], cursor);
    const [, posted] = await Promise.all([terminateListener(), sayUntilHeard(parley, alex, `message ${cursor + 1}`)]);
    const answer = await answers[0];
    expect(answer?.body).toMatchObject({ messages: [{ cursor: cursor + 1 }] });
    expect((answer?.at as number) - posted).toBeLessThanOrEqual(WAKE_MS);
  }
});

test("waiting calls are woken within 2 s while the listening connection is silent, and by notifications afterwards", async () => {
  const proxy = await startProxy(database.url("parley_server"));
  cleanups.push(() => proxy.close());
  const parley = await startParley({ databaseUrl: proxy.url });
  const teams = await Promise.all(Array.from({ length: 5 }, () => parley.create()));
  const { answers } = await hold(parley, teams, 0);

  expect(proxy.freezeListener()).toBe(1);
  const posted = await Promise.all(teams.map((team) => sayUntilHeard(parley, team, "can you hear me?")));
  for (const [i, answer] of (await Promise.all(answers)).entries()) {
    expect(answer.body.messages).toMatchObject([{ content: { text: "can you hear me?" } }]);
    expect(answer.at - (posted[i] as number)).toBeLessThanOrEqual(WAKE_MS);
  }

  const topics: (string | null)[] = [];
  parley.server.events.onAny((topic) => topics.push(topic));
  await until(() => topics.includes(null), "the call to everyone");
  const again = await hold(parley, teams, 1);
  await Promise.all(teams.map((team) => parley.say(team, "and now?")));
  for (const answer of again.answers)
    expect((await answer).body.messages).toMatchObject([{ content: { text: "and now?" } }]);
  await until(() => teams.every((team) => topics.includes(`feed ${team.session_id}`)), "a notification for each");
});

test("waiting calls are woken though every connection to the database has fallen silent", async () => {
  const proxy = await startProxy(database.url("parley_server"));
  cleanups.push(() => proxy.close());
  const parley = await startParley({ databaseUrl: proxy.url });
  const other = await startParley({});
  const alex = await parley.create();
  const { answers } = await hold(parley, [alex], 0);
  proxy.freezeAll();
  await other.say(alex, "over the other replica");
  expect((await answers[0])?.body.messages).toMatchObject([{ content: { text: "over the other replica" } }]);
});

test("waiting calls outlive a crash of PostgreSQL and are woken within 2 s of the first message after it", async () => {
  const postgres = await startOwnPostgres();
  cleanups.push(() => postgres.stop());
  const parley = await startParley({ database: postgres.database });
  const teams = await Promise.all(Array.from({ length: 4 }, () => parley.create()));
  const { answers } = await hold(parley, [...teams, ...teams, ...teams], 0);
  postgres.kill();
  const posted = await Promise.all(teams.map((team) => sayUntilHeard(parley, team, "after the crash")));
  for (const [i, answer] of (await Promise.all(answers)).entries()) {
    expect(answer).toMatchObject({ status: 200, body: { messages: [{ cursor: 1 }], next_cursor: 1 } });
    expect(answer.at - (posted[i % teams.length] as number)).toBeLessThanOrEqual(WAKE_MS);
  }
});
