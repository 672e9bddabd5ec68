import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get as httpGet, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { metric, postmasterOf } from "../../testing/faults.ts";
import { connected } from "../../testing/postgres.ts";
import { type ParleyProcess, spawnParley, startParley } from "../../testing/process.ts";
import { makeDataFolder } from "../../testing/scratch.ts";
import { type Team, until } from "../../testing/server.ts";
import { readConfig } from "../config.ts";
import { isAlive } from "../postgres/embedded/processes.ts";
import { connectionUrl } from "../postgres/embedded/socket.ts";

let folder: string;
let dataDir: string;
let databaseUrl: string;
let current: ParleyProcess | undefined;
const replicas: ParleyProcess[] = [];

beforeAll(() => {
  folder = makeDataFolder("main");
  dataDir = join(folder, "not/yet/there");
  databaseUrl = connectionUrl(join(dataDir, "socket"), "postgres", "parley");
});
afterEach(async () => {
  for (const replica of replicas.splice(0)) if (replica.alive) await replica.kill("SIGKILL");
});
afterAll(async () => {
  if (postmasterOf(dataDir)) await (await parley()).kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
});

/** The one Parley of these tests, on one folder; started again where a test has ended it. */
async function parley(): Promise<ParleyProcess> {
  if (!current?.alive) current = await startParley({ PARLEY_DATA: dataDir });
  return current;
}

async function startReplica(env: Record<string, string> = {}): Promise<ParleyProcess> {
  const replica = await startParley({ DATABASE_URL: databaseUrl, PARLEY_DATA: join(folder, "unused"), ...env });
  replicas.push(replica);
  return replica;
}

const sql = (text: string, values: unknown[] = []) =>
  connected(databaseUrl, async (client) => {
    client.on("error", () => undefined);
    return (await client.query(text, values)).rows;
  });
const set = (name: string, value: number) =>
  sql("update parley.settings set value = $2 where name = $1", [name, value]);
const waiting = (server: ParleyProcess, count: number) =>
  until(async () => (await metric(server.url, "parley_waiting_calls")) === count, `${count} waiting calls`);
const statusOf = async (server: ParleyProcess, asker: Team, handle: string) => {
  const { body } = await server.get(`/sessions/${asker.ref}/participants`, asker);
  return body.participants.find((participant: { handle: string }) => participant.handle === handle).status;
};
const feed = async (server: ParleyProcess, team: Team): Promise<string[]> => {
  const { body } = await server.get(`/sessions/${team.ref}/messages?limit=500`, team);
  return body.messages.map((message: { content: { text: string } }) => message.content.text);
};

test("it starts from nothing, prints where it is, and serves there", async () => {
  const server = await parley();
  for (const line of [
    server.url,
    `${server.url}/mcp`,
    `${server.url}/graphql`,
    `Read ${server.url}/AGENTS.md and follow it.`,
  ]) {
    expect(server.said.stdout).toContain(line);
  }
  expect(server.said.stderr).toBe("");
  // Nothing to warn of.
  expect(server.said.stdout).not.toContain('{"level":');
  for (const path of ["/", "/livez", "/readyz", "/AGENTS.md", "/docs", "/api/openapi.json", "/metrics"]) {
    expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200]);
  }
  expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({
    checks: { database: true, migrations: true, durable: true, listener: true },
  });
  const alex = await server.create();
  expect(await server.say(alex, "hello")).toMatchObject({ cursor: 1 });
});

const wrong = {
  PORT: ["abc", "65536", "-1", "7423.5"],
  DATABASE_URL: ["mysql://localhost/parley", "localhost", "postgres"],
  MCP_URL: ["nonsense", "ftp://example.com/mcp", "http://[x", "http://a.example/$(id)", "http://u:p@a.example/mcp"],
  PUBLIC_URL: ["parley.example.com", "https://parley.example.com/mcp", "*"],
  PARLEY_SETTINGS: ["nonsense", "[]", "7"],
  PARLEY_DEMO: ["maybe"],
  PARLEY_WORKER: ["maybe"],
  PARLEY_ACCESS: ["closed", "OPEN"],
  PARLEY_GRAPHIQL: ["perhaps"],
  PARLEY_POOL_CALLS: ["0", "many", "1001"],
  PARLEY_POOL_WAITS: ["1"],
  PARLEY_POOL_GRAPHQL: ["-1"],
  PARLEY_POOL_WORKER: ["1.5"],
  LOG_LEVEL: ["loud"],
};

test.each(Object.entries(wrong))("a wrong %s is refused with a sentence that names it", (name, values) => {
  for (const value of values) expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`^${name} .*\\.$`));
});

test("all that is wrong with the environment is said at once, a line each", async () => {
  const env = Object.fromEntries(Object.entries(wrong).map(([name, [value = ""]]) => [name, value]));
  const said = await refusal({ PARLEY_DATA: join(folder, "never"), ...env });
  expect(
    said
      .split("\n")
      .map((line) => line.split(" ")[0])
      .sort(),
  ).toEqual(Object.keys(wrong).sort());
});

test("a database that cannot be reached is refused with a sentence", async () => {
  expect(await refusal({ DATABASE_URL: "postgres://localhost:1/parley" })).toMatch(/^DATABASE_URL.*ECONNREFUSED/);
});

test("an address that is not one of this machine is refused with a sentence", async () => {
  await parley();
  expect(await refusal({ DATABASE_URL: databaseUrl, HOST: "256.0.0.1" })).toMatch(/^HOST/);
});

test("a port that is taken stops it with a sentence", async () => {
  await parley();
  const squatter = createServer().listen(0, "127.0.0.1");
  await once(squatter, "listening");
  const { port } = squatter.address() as { port: number };
  expect(await refusal({ DATABASE_URL: databaseUrl, PORT: String(port) })).toMatch(/^PORT/);
  squatter.close();
});

test("a data folder that another Parley uses stops it with a sentence, and the other goes on", async () => {
  const server = await parley();
  expect(await refusal({ PARLEY_DATA: dataDir })).toContain("PARLEY_DATA");
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});

test("a data folder that cannot be one stops it with a sentence", async () => {
  const other = join(folder, "other");
  mkdirSync(join(other, "postgres"), { recursive: true });
  writeFileSync(join(other, "postgres/holiday.jpg"), "");
  expect(await refusal({ PARLEY_DATA: other })).toContain("PARLEY_DATA");
});

/** What it says when it refuses to start: a sentence, not a stack. */
async function refusal(env: Record<string, string>): Promise<string> {
  const { said, exited } = spawnParley(env);
  expect(await exited).toBe(1);
  await until(() => said.stderr, "what it says");
  expect(said.stderr.trim()).toMatch(/\.$/);
  expect(said.stdout + said.stderr).not.toMatch(/^\s+at .*:\d+|node:internal/m);
  return said.stderr.trim();
}

test("a replica on the same database serves the same session: a post on one wakes a waiter on the other", async () => {
  const first = await parley();
  const second = await startReplica({ PARLEY_WORKER: "off" });
  const alex = await first.create();
  const blue = await second.join(alex);
  for (const [here, there, cursor] of [
    [first, second, 1],
    [second, first, 2],
  ] as const) {
    const answer = here.wait(blue, { since_cursor: cursor });
    await waiting(here, 1);
    expect(await statusOf(there, alex, blue.handle)).toBe("active");
    await there.say(alex, "over there");
    expect((await answer).body).toMatchObject({ messages: [{ cursor: cursor + 1 }] });
  }
  expect(await second.kill("SIGTERM")).toBe(0);
});

test("killed in the middle of things it has lost nothing acknowledged, and nobody stays active for ever", async () => {
  const before = await parley();
  const alex = await before.create();
  const quiet = await before.create("A team that waits");
  const watcher = await before.join(quiet);
  const poll = before.wait(quiet, { since_cursor: 1, timeout: 4 }).catch(() => "cut off");
  await waiting(before, 1);

  const acknowledged: string[] = [];
  const talk = async (speaker: number) => {
    for (let i = 1; before.alive; i++) {
      const text = `${speaker}: ${i}`;
      const done = await before.say(alex, text).catch(() => undefined);
      if (done) acknowledged.push(text);
    }
  };
  const talkers = [1, 2, 3].map(talk);
  await until(() => acknowledged.length > 30, "some posts");
  const killed = Date.now();
  await before.kill("SIGKILL");
  await Promise.all(talkers);
  expect(await poll).toBe("cut off");
  expect(isAlive(postmasterOf(dataDir) as number)).toBe(true);

  const after = await parley();
  await set("presence_active_seconds", 1);
  try {
    const kept = await feed(after, alex);
    for (const text of acknowledged) expect(kept.filter((found) => found === text)).toEqual([text]);
    // The posts in flight may have been committed, but nothing is there twice or out of order.
    for (const speaker of [1, 2, 3]) {
      const own = kept.filter((text) => text?.startsWith(`${speaker}: `));
      expect(own).toEqual(own.map((_, i) => `${speaker}: ${i + 1}`));
    }
    const { body } = await after.wait(alex, { since_cursor: 0, timeout: 0, include_self: "true" });
    expect(body.messages.map(({ cursor }: { cursor: number }) => cursor)).toEqual(
      body.messages.map((_: unknown, i: number) => i + 1),
    );
    // CONTRACT.md §4: right within timeout + 10 s of any crash.
    const patience = killed + 14_000 - Date.now();
    await until(
      async () => (await statusOf(after, watcher, quiet.handle)) !== "active",
      "the status to be right",
      patience,
    );
  } finally {
    await set("presence_active_seconds", 10);
  }
});

test("while PostgreSQL is away calls get 503 unavailable, and it recovers by itself", async () => {
  const server = await parley();
  const alex = await server.create();
  const postmaster = postmasterOf(dataDir) as number;
  const acknowledged: string[] = [];
  const refused = new Set<string>();
  let texts = 0;
  const post = async () => {
    const text = `message ${++texts}`;
    const { status, headers, body } = await server.post(`/sessions/${alex.ref}/messages`, { content: text }, alex);
    if (status === 200) return acknowledged.push(text);
    refused.add(`${status} ${body.error.code} ${Number(headers.get("retry-after")) > 0}`);
    return 0;
  };
  await post();
  const poll = server.wait(alex, { since_cursor: 1, include_self: "true" });
  await waiting(server, 1);
  process.kill(postmaster, "SIGKILL");
  await until(async () => (await post()) === 0, "a refused post", 5_000);
  const recovered = acknowledged.length;
  await until(async () => (await post()) > recovered, "an acknowledged post");
  expect([...refused]).toEqual(["503 unavailable true"]);
  expect(postmasterOf(dataDir)).not.toBe(postmaster);
  expect((await poll).body.messages.length).toBeGreaterThan(0);

  const kept = await feed(server, alex);
  for (const text of acknowledged) expect(kept.filter((found) => found === text)).toEqual([text]);
  await until(async () => (await fetch(`${server.url}/readyz`)).status === 200, "readyz to say 200");
  expect(server.alive).toBe(true);
});

test("who has fallen silent is announced though nobody asks, also after such accidents", async () => {
  const server = await parley();
  const alex = await server.create();
  const listener = new pg.Client(databaseUrl);
  await listener.connect();
  try {
    const heard: string[] = [];
    listener.on("notification", ({ payload }) => heard.push(payload ?? ""));
    await listener.query("listen parley");
    await set("presence_active_seconds", 1);
    await until(() => heard.includes(`roster ${alex.session_id}`), "the announcement", 15_000);
    expect(await statusOf(server, alex, alex.handle)).toBe("idle");
  } finally {
    await listener.end();
    await set("presence_active_seconds", 10);
  }
});

test("on SIGTERM waiting calls are answered with nothing new, and it ends with 0 within 10 s, leaving no process", async () => {
  const server = await parley();
  const postmaster = postmasterOf(dataDir) as number;
  const alex = await server.create();
  await server.say(alex, "before");
  const agent = new Agent({ keepAlive: true });
  const poll = (accept: string) =>
    new Promise<{ response: IncomingMessage; text: string }>((resolve, reject) => {
      const path = `${server.url}/api/sessions/${alex.ref}/messages/wait?since_cursor=1`;
      httpGet(path, { agent, headers: { "x-team-id": alex.team_id, accept } }, async (response) => {
        let text = "";
        for await (const part of response) text += part;
        resolve({ response, text });
      }).on("error", reject);
    });
  const answers = [poll("application/json"), poll("text/event-stream")];
  await waiting(server, 2);

  const asked = Date.now();
  const code = server.kill("SIGTERM");
  const [plain, streamed] = await Promise.all(answers);
  expect(plain?.response.statusCode).toBe(200);
  expect(plain?.response.headers.connection).toBe("close");
  expect(JSON.parse(plain?.text ?? "")).toMatchObject({ messages: [], next_cursor: 1, session_closed: false });
  expect(JSON.parse(/event: result\ndata: (.*)/.exec(streamed?.text ?? "")?.[1] ?? "")).toMatchObject({
    messages: [],
    next_cursor: 1,
  });
  expect(await code).toBe(0);
  expect(Date.now() - asked).toBeLessThanOrEqual(10_000);
  expect(isAlive(postmaster)).toBe(false);
  agent.destroy();

  const again = await parley();
  expect(await feed(again, alex)).toEqual(["before"]);
});

test("a SIGTERM or Ctrl-C while it starts leaves no process behind", async () => {
  const server = await parley();
  await server.kill("SIGTERM");
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const { child, exited } = spawnParley({ PARLEY_DATA: dataDir });
    const postmaster = await until(
      () => [postmasterOf(dataDir)].find((pid) => pid !== undefined && isAlive(pid)),
      "the postmaster",
    );
    child.kill(signal);
    await exited;
    await until(() => !isAlive(postmaster), "the postmaster to end", 10_000);
  }
});
