import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { queryObjects } from "node:v8";
import pg from "pg";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startProxy } from "../../../testing/faults.ts";
import { connected, createTestDatabase, type TestDatabase } from "../../../testing/postgres.ts";
import { until } from "../../../testing/server.ts";
import { Events } from "../../live/events.ts";
import { asRole, closePool, createPool } from "../../postgres/database.ts";

const log = pino({ level: "silent" });
const AT_ONCE_MS = 5_000;

let database: TestDatabase;
const cleanups: (() => unknown)[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => database.drop());

const urlOf = (login = database.url("parley_server")) => asRole(login, "parley_caller");
const poolFor = (url: string) => {
  const pool = createPool(url, log, {
    max: 2,
    query_timeout: 500,
    connectionTimeoutMillis: 500,
    application_name: "parley service",
  });
  cleanups.push(() => closePool(pool, 100));
  return pool;
};
const endsAtOnce = async (events: Events, phase: string) => {
  const ended = await Promise.race([events.stop().then(() => true), sleep(AT_ONCE_MS, false)]);
  expect(ended, phase).toBe(true);
};

test("heartbeats leave nothing behind, however many there were", async () => {
  const url = urlOf();
  const events = new Events(url, poolFor(url), log, 1);
  cleanups.push(() => events.stop());
  await events.start();
  const counted = async () => {
    const { rows } = await connected(database.url(), (client) =>
      client.query(
        "select pg_stat_force_next_flush(), xact_commit::integer as n from pg_stat_database where datname = current_database()",
      ),
    );
    return rows[0].n as number;
  };
  const { Result } = pg as unknown as { Result: new () => object };
  // What other files of this process have left behind is not meant.
  const leftBehind = queryObjects(Result, { format: "count" });
  const before = await counted();
  await until(async () => (await counted()) - before > 300, "many heartbeats", 150_000);
  expect(queryObjects(Result, { format: "count" }) - leftBehind).toBeLessThan(50);
}, 180_000);

test("it can be stopped at any moment while it connects, listens, sleeps and beats", async () => {
  const url = urlOf();
  const pool = poolFor(url);
  for (let round = 0; round < 40; round++) {
    const events = new Events(url, pool, log, 2);
    const started = events.start().catch(() => undefined);
    await sleep(round);
    await endsAtOnce(events, `after ${round} ms`);
    await started;
  }
});

test("it can be stopped at any moment while nobody answers, or nobody is there", async () => {
  const silent = new Set<Socket>();
  const hole = createServer((socket) => silent.add(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => hole.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    for (const socket of silent) socket.destroy();
    hole.close();
  });
  const { port } = hole.address() as { port: number };
  for (const address of [`127.0.0.1:${port}`, "127.0.0.1:1"]) {
    const url = urlOf(`postgres://nobody@${address}/nothing`);
    const pool = poolFor(url);
    for (let round = 0; round < 12; round++) {
      const events = new Events(url, pool, log);
      const started = events.start().catch(() => undefined);
      await sleep(round * 25);
      await endsAtOnce(events, `${address} after ${round * 25} ms`);
      await started;
    }
  }
});

test("it can be stopped at any moment after its connection has fallen silent", async () => {
  for (let round = 0; round < 8; round++) {
    const proxy = await startProxy(database.url("parley_server"));
    const url = urlOf(proxy.url);
    const events = new Events(url, poolFor(url), log, 200);
    await events.start();
    proxy.freezeAll();
    await sleep(round * 300);
    await endsAtOnce(events, `${round * 300} ms after`);
    proxy.close();
  }
});

test("what could not be announced while the database was away is announced afterwards", async () => {
  const proxy = await startProxy(database.url("parley_server"));
  cleanups.push(() => proxy.close());
  const events = new Events(urlOf(proxy.url), poolFor(urlOf()), log);
  cleanups.push(() => events.stop());
  await events.start();
  const other = new Events(urlOf(), poolFor(urlOf()), log);
  cleanups.push(() => other.stop());
  await other.start();
  const heard: (string | null)[] = [];
  other.onAny((topic) => heard.push(topic));

  events.announce(["feed before"]);
  await until(() => heard.includes("feed before"), "the first announcement");
  expect(proxy.freezeAll()).toBeGreaterThan(0);
  events.announce(["feed meanwhile", "doc meanwhile"]);
  await until(() => heard.includes("feed meanwhile") && heard.includes("doc meanwhile"), "the announcements");
});

test("nobody is notified while nobody can hear it; whoever begins to listen misses nothing", async () => {
  const own = await createTestDatabase();
  const url = urlOf(own.url("parley_server"));
  cleanups.push(() => own.drop());
  const events = new Events(url, poolFor(url), log, 20);
  cleanups.push(() => events.stop());
  await events.start();
  const listen = async (name: string) => {
    const client = new pg.Client({ connectionString: own.url(), application_name: name });
    cleanups.push(() => client.end());
    await client.connect();
    const heard: string[] = [];
    client.on("notification", ({ payload = "" }) => heard.push(payload.replace(/@.*/, "")));
    await client.query("listen parley");
    return heard;
  };
  // By its name it is one of ours that does not listen: so it can overhear what is said to nobody.
  const overheard = await listen("parley test");
  let n = 0;
  await until(async () => {
    events.announce([`round ${++n}`]);
    await sleep(250);
    return !overheard.includes(`round ${n}`);
  }, "nothing to be said");

  const stranger = await listen("psql");
  // Once, and so soon that nobody has seen the stranger yet.
  events.announce(["to whoever there is"]);
  await until(() => stranger.includes("to whoever there is"), "the stranger to be told");
  await until(() => overheard.includes("to whoever there is"), "the other to overhear it");
});

test("a server that begins to listen is told at once, however rarely the others look who is there", async () => {
  const events = new Events(urlOf(), poolFor(urlOf()), log, 60_000);
  const other = new Events(urlOf(), poolFor(urlOf()), log);
  cleanups.push(
    () => events.stop(),
    () => other.stop(),
  );
  await events.start();
  const heard: (string | null)[] = [];
  other.onAny((topic) => heard.push(topic));
  await other.start();
  await until(() => {
    events.announce(["feed here"]);
    return heard.includes("feed here");
  }, "the other server to be told");
});

test("a listener that fails stops neither the others nor whoever announces", async () => {
  const events = new Events(urlOf(), poolFor(urlOf()), log);
  cleanups.push(() => events.stop());
  await events.start();
  const heard: string[] = [];
  events.onAny(() => {
    throw new Error("This listener broke on purpose");
  });
  events.subscribe("feed here", () => {
    throw new Error("This one too");
  });
  events.subscribe("feed here", () => heard.push("here"));
  events.announce(["feed here"]);
  expect(heard).toEqual(["here"]);
  await connected(database.url(), (client) => client.query("select pg_notify('parley', 'feed here')"));
  await until(() => heard.length === 2, "the notification");
  expect(events.connected).toBe(true);
});
