import { createECDH } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { until } from "../../testing/server.ts";
import { discreet } from "../log.ts";
import { asRole, closePool, createPool } from "../postgres/database.ts";
import { survivedErrors } from "../survive.ts";
import { startWorker, type Worker } from "../worker.ts";

// An unhandled rejection fails the run by itself: vitest sees to that.
const log = discreet(pino({ level: "silent" }));
const ROUNDS = 25;

let database: TestDatabase;
let worker: Worker;
let pool: ReturnType<typeof createPool>;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(asRole(database.url("parley_server"), "parley_worker"), log, {
    max: 2,
    application_name: "parley worker",
    query_timeout: 5_000,
  });
  worker = await startWorker(pool, log, { rearmMs: 100, pushesReachLoopback: true });
});
afterEach(async () => {
  await worker.stop();
  await closePool(pool);
  await database.drop();
});

const sql = <Row>(text: string) =>
  connected(database.url(), async (client) => (await client.query(text)).rows as unknown as Row[]);
/** The next sweep at once: nobody waits five seconds for it. */
const hurry = () => sql("update graphile_worker._private_jobs set run_at = now() where locked_at is null");

/** Counts the sweeps; the body is what else the sweep does. */
const sweepBy = (body: string) =>
  sql(`
    create table if not exists public.sweeps (at timestamptz default clock_timestamp());
    grant insert on public.sweeps to parley_owner;
    create or replace function parley_private.sweep_presence(as_of timestamptz default clock_timestamp()) returns integer
    language plpgsql volatile security definer set search_path = '' as $$
    begin
      ${body}
      insert into public.sweeps default values;
      return 0;
    end;
    $$`);
const sweeps = async () => (await sql("select from public.sweeps")).length;
const sweepsAgain = async (what: string) => {
  const before = await sweeps();
  await until(async () => (await hurry()) && (await sweeps()) > before, what, 40_000);
};

test("its connections are cut at every moment of a sweep, again and again: it goes on", async () => {
  await sweepBy("perform pg_catalog.pg_sleep(0.03);");
  for (let round = 0; round < ROUNDS; round++) {
    await hurry();
    await sleep(round * 5);
    await sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'parley worker' and datname = current_database()`);
  }
  await sweepsAgain("a sweep after all those cuts");
}, 60_000);

test("a sweep that fails is tried again, and the next one that can succeed does", async () => {
  await sweepBy("raise exception 'The sweep broke on purpose';");
  await until(
    async () => (await hurry()) && (await sql("select from graphile_worker.jobs where attempts = 1")).length > 0,
    "a failure",
  );
  await sweepBy("");
  await sweepsAgain("a sweep");
});

test("a sweep that was put off for a day, as by a clock that was set forth and back, is pulled in", async () => {
  await sweepBy("");
  await sweepsAgain("a first sweep");
  const before = await sweeps();
  await until(
    async () =>
      (
        await sql(`update graphile_worker._private_jobs set run_at = now() + interval '1 day'
        where locked_at is null returning id`)
      ).length > 0,
    "a sweep that waits",
  );
  await until(async () => (await sweeps()) > before, "the sweep");
});

test("a worker that has ended is started again", async () => {
  await sweepBy("");
  await sweepsAgain("a first sweep");
  // What graphile-worker does when another replica has migrated its tables further.
  const ends = async () =>
    (await survivedErrors.get()).values.find(({ labels }) => labels.place === "worker")?.value ?? 0;
  const before = await ends();
  await sql(`select pg_notify('worker:migrate', '{"breaking": true, "migrationNumber": 99}')`);
  await until(async () => (await ends()) > before, "its end to be counted");
  process.exitCode = undefined;
  await sweepsAgain("a sweep after it");
});

test("what a team has claimed that fell silent is free again, and the feed tells", async () => {
  await sql(`
    insert into parley.sessions (ref, title, description) values ('calm-otter-17', 'S', '');
    insert into parley.participants (session_id, id, handle, team_name, last_seen_at, known_status)
      select id, 1, 'team', 'Team', now() - interval '1 hour', 'disconnected' from parley.sessions;
    insert into parley.tasks (session_id, task, title, status, claimed_by, created_by) select id, 1, 'T', 'claimed', 1, 1 from parley.sessions;
    insert into parley.held_paths (session_id, participant_id, path, base) select id, 1, 'src/', 'src/' from parley.sessions`);
  await until(async () => (await hurry()) && (await sql("select from parley.held_paths")).length === 0, "the sweep");
  expect(await sql("select status, claimed_by from parley.tasks")).toEqual([{ status: "open", claimed_by: null }]);
  expect(await sql("select content ->> 'event' as event from parley.messages")).toEqual([{ event: "task_freed" }]);
});

test("a table is analysed after its first rows, and again only when it has grown tenfold", async () => {
  const rows = async () =>
    (
      await sql<{ rows: number }>(
        "select reltuples::integer as rows from pg_class where oid = 'parley.sessions'::regclass",
      )
    )[0]?.rows;
  // Not while it is analysed: then some of them would be seen, and others not.
  const add = (count: number) =>
    sql(`lock table parley.sessions in share update exclusive mode;
      insert into parley.sessions (ref, title, description)
      select gen_random_uuid(), 'S', repeat('x', 200) from generate_series(1, ${count})`);
  expect(await rows()).toBe(-1);
  await add(3);
  await until(async () => (await hurry()) && (await rows()) === 3, "the analysis", 20_000);
  await add(3);
  expect(await sql("select parley_private.analyze_new_tables() as count")).toEqual([{ count: 0 }]);
  await add(300);
  await until(async () => (await hurry()) && (await rows()) === 306, "the next one", 20_000);
  expect(await sql("select from pg_class where oid = 'parley.messages'::regclass and reltuples >= 0")).toEqual([]);
});

test("a table whose first rows were not committed when it was analysed is analysed again", async () => {
  const known = async () =>
    (
      await sql<{ rows: number }>(
        "select reltuples::integer as rows from pg_class where oid = 'parley.sessions'::regclass",
      )
    )[0]?.rows;
  await connected(database.url(), async (client) => {
    await client.query("begin");
    await client.query(`insert into parley.sessions (ref, title, description)
      select gen_random_uuid(), 'S', repeat('x', 200) from generate_series(1, 300)`);
    await until(async () => (await hurry()) && (await known()) === 0, "the analysis of what nobody can see", 20_000);
    await client.query("commit");
  });
  await until(async () => (await hurry()) && (await known()) === 300, "the next one", 20_000);
});

test("the sweep gives the default as the answer to what people were asked in vain", async () => {
  const session = "00000000-0000-4000-8000-000000000001";
  await sql(`
    insert into parley.sessions (id, ref, title, description, last_sequence) values ('${session}', 'calm-otter-17', 'T', '', 1);
    insert into parley.participants (session_id, id, handle, team_name) values ('${session}', 1, 'amber', 'Amber');
    insert into parley.messages (session_id, sequence, posted_by, type, content, kind, expects_reply, addressed_to)
      values ('${session}', 1, 1, 'chat', '{"text": "Ship it?"}', 'question', true, '{humans}');
    insert into parley.asks (session_id, sequence, default_answer, expires_at) values ('${session}', 1, 'no', now())`);
  const said = () => sql<{ content: object }>("select content from parley.messages where posted_by is null");
  await until(async () => (await hurry()) && (await said()).length > 0, "the answer");
  expect(await said()).toMatchObject([{ content: { event: "ask_expired", cursor: 1, answer: "no", expired: true } }]);
  expect(await sql("select from parley.open_questions")).toEqual([]);
});

test("a push service that never comes to an end holds back no sweep", async () => {
  let dripping = 0;
  const service = createServer((_req, { socket }) => {
    dripping++;
    socket?.write("HTTP/1.1 201 Created\r\nx-slow: ");
    const timer = setInterval(() => socket?.write("a"), 100);
    socket?.once("close", () => {
      dripping--;
      clearInterval(timer);
    });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const { port } = service.address() as AddressInfo;
  await sweepBy("");
  const key = createECDH("prime256v1").generateKeys("base64url");
  await sql(`
    with person as (insert into parley_private.users (name, role) values ('Ada', 'member') returning id)
    insert into parley_private.push_subscriptions (endpoint, user_id, p256dh, auth)
    select 'http://127.0.0.1:${port}/', id, '${key}', '${"a".repeat(22)}' from person`);
  await sql(`
    create or replace function parley_private.needs(person uuid)
    returns table (session_id uuid, kind text, cursor integer, participant_id integer, task integer, request text, at timestamptz)
    language sql stable security definer set search_path = ''
    as $$ select s.id, 'question', 1, 1, null::integer, random()::text, now() from parley.sessions s $$`);
  await sql("select parley.create_session('T', '', 'Team')");
  await until(async () => (await hurry()) && dripping > 0, "a notification");
  for (let round = 0; round < 3; round++) {
    await sweepsAgain("a sweep while a push service is busy with us");
    expect(dripping).toBe(1);
  }
  service.close();
  service.closeAllConnections();
});
