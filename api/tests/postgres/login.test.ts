import { readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startOwnPostgres } from "../../../testing/faults.ts";
import { connected } from "../../../testing/postgres.ts";
import { startParley } from "../../../testing/process.ts";
import { fillTemplate } from "../../../testing/setup.ts";
import { asRole } from "../../postgres/database.ts";
import { loginOfServer } from "../../postgres/login.ts";

const SCRAM = "local all postgres trust\nlocal all all scram-sha-256\n";
const silent = pino({ level: "silent" });

let postgres: Awaited<ReturnType<typeof startOwnPostgres>>;
let port: number;
let closeTcp = () => {};

const superuser = (text: string) =>
  connected(postgres.database.url(), async (client) => (await client.query(text)).rows);
const authenticate = async (rules: string) => {
  writeFileSync(join(postgres.dataDir, "postgres/pg_hba.conf"), rules);
  await superuser("select pg_reload_conf()");
};
const urlOf = (password: string, database = "managed") => `postgres://admin:${password}@127.0.0.1:${port}/${database}`;
const userOf = (url: string) => new URL(url).username;
const verifierOf = async (url: string) =>
  (await superuser(`select rolpassword from pg_authid where rolname = '${userOf(url)}'`))[0].rolpassword;

/** Postgres over TCP, with a user who may create roles and owns a database: what a provider hands out. */
beforeAll(async () => {
  postgres = await startOwnPostgres({ fsync: "off", log_statement: "all" }, { empty: true });
  const socket = join(new URL(postgres.database.url()).searchParams.get("host") as string, ".s.PGSQL.5432");
  const tcp = createServer((client) => {
    const upstream = connect(socket);
    client.pipe(upstream).on("error", () => client.destroy());
    upstream.pipe(client).on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  port = (tcp.address() as AddressInfo).port;
  closeTcp = () => tcp.close();
  await superuser("create role admin login createrole password 'first-secret'");
  for (const name of ["managed", "another", "third"]) await superuser(`create database ${name} owner admin`);
  await authenticate(SCRAM);
  for (const name of ["managed", "another"]) await fillTemplate(urlOf("first-secret", name));
});
beforeEach(() => superuser("alter role admin password 'first-secret'"));
afterAll(async () => {
  closeTcp();
  await postgres?.stop();
});

test("a server that was given the owner's address works as a login that owns nothing", async () => {
  const parley = await startParley({ DATABASE_URL: urlOf("first-secret") });
  try {
    const alex = await parley.create();
    expect(await parley.say(alex, "hello")).toMatchObject({ cursor: 1 });
    expect((await fetch(`${parley.url}/readyz`)).status).toBe(200);
    const users = await superuser(
      "select distinct usename from pg_stat_activity where application_name ~ '^parley (calls|waits|service|graphql|worker|events)'",
    );
    expect(users).toEqual([{ usename: userOf(await loginOfServer(urlOf("first-secret"), silent)) }]);
    expect(users[0].usename).toMatch(/^parley_server_/);
    expect(parley.said.stdout).not.toContain("DATABASE_URL");
  } finally {
    await parley.kill("SIGTERM");
  }
});

test.each([
  "set role none",
  "reset role",
  "reset all",
  "discard all",
  "set role parley_owner",
  "set role admin",
  "set session authorization admin",
  "reset session authorization",
])("on its connections %s does not help", async (trick) => {
  const url = await loginOfServer(urlOf("first-secret"), silent);
  for (const role of ["parley_caller", "parley_worker"]) {
    await connected(asRole(url, role), async (client) => {
      await client.query(trick).catch(() => undefined);
      for (const crime of [
        "drop table parley.messages",
        "update parley.messages set content = '{}'",
        "alter table parley.messages disable trigger all",
        "create table parley.stolen ()",
        "grant parley_owner to current_user",
        "alter role admin password 'mine'",
        "create role accomplice login",
      ]) {
        await expect(client.query(crime), `${trick}; ${crime}`).rejects.toMatchObject({ code: "42501" });
      }
    });
  }
});

test("replicas that start at once share it, and a start that finds it in order changes nothing", async () => {
  const first = await Promise.all(Array.from({ length: 6 }, () => loginOfServer(urlOf("first-secret"), silent)));
  expect(new Set(first).size).toBe(1);
  const verifier = await verifierOf(first[0] as string);
  expect(verifier).toMatch(/^SCRAM-SHA-256\$4096:/);
  expect(await loginOfServer(urlOf("first-secret"), silent)).toBe(first[0]);
  expect(await verifierOf(first[0] as string)).toBe(verifier);
});

test("each database has its own", async () => {
  const [here, there] = await Promise.all(
    ["managed", "another"].map((name) => loginOfServer(urlOf("first-secret", name), silent)),
  );
  expect(userOf(here as string)).not.toBe(userOf(there as string));
});

test("after the owner's password has changed the old one is worth nothing, and the next start heals it", async () => {
  const before = await loginOfServer(urlOf("first-secret"), silent);
  await superuser("alter role admin password 'second-secret'");
  const after = await loginOfServer(urlOf("second-secret"), silent);
  expect(userOf(after)).toBe(userOf(before));
  await connected(after, (client) => client.query("select"));
  await expect(connected(before, (client) => client.query("select"))).rejects.toMatchObject({ code: "28P01" });
});

test("no password is found in the log of a PostgreSQL that logs every statement", async () => {
  const { password } = new URL(await loginOfServer(urlOf("first-secret"), silent));
  const written = readFileSync(join(postgres.dataDir, "postgres.log"), "utf8");
  expect(written).toContain("SCRAM-SHA-256$4096:");
  expect(written.includes(password)).toBe(false);
});

test.each([
  ["only the owner may connect", "local all postgres trust\nlocal all admin scram-sha-256\nlocal all all reject\n"],
  [
    "users of the system are asked for",
    `local all postgres trust\nlocal all admin scram-sha-256\nlocal all all peer\n`,
  ],
])("where %s it goes on with DATABASE_URL, and says so", async (_why, rules) => {
  let said = "";
  const log = pino(
    { level: "warn" },
    new Writable({
      write(line, _encoding, done) {
        said += line;
        done();
      },
    }),
  );
  await authenticate(rules);
  try {
    expect(await loginOfServer(urlOf("first-secret"), log)).toBe(urlOf("first-secret"));
    expect(said).toContain("works as the user of DATABASE_URL");
    expect(said).not.toContain("first-secret");
  } finally {
    await authenticate(SCRAM);
  }
});

test("a user who may not make roles is served as before", async () => {
  await superuser("alter role admin nocreaterole");
  try {
    expect(await loginOfServer(urlOf("first-secret", "third"), silent)).toBe(urlOf("first-secret", "third"));
  } finally {
    await superuser("alter role admin createrole");
  }
});
