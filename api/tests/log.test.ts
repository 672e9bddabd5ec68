import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connected } from "../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../testing/server.ts";
import { discreet } from "../log.ts";

const CANARY = "canary-text-of-a-caller";

let parley: TestServer;
let alex: Team;
let logged = "";

beforeAll(async () => {
  const destination = new Writable({
    write(line, _encoding, done) {
      logged += line;
      done();
    },
  });
  parley = await startTestServer({ log: pino({ level: "trace" }, destination), worker: true });
  alex = await parley.create();
});
afterAll(() => parley.stop());

const lines = () =>
  logged
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const sql = (text: string) => connected(parley.database.url("parley_owner"), (client) => client.query(text));
const graphql = (query: string) =>
  fetch(`${parley.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-team-id": alex.team_id },
    body: JSON.stringify({ query }),
  });

/** A table whose rules break on what a caller wrote, in each of the ways that PostgreSQL has. */
const breakPosts = (statement: string) =>
  sql(`
    create schema if not exists broken;
    create table if not exists broken.rows (
      text text constraint texts_are_short check (length(text) < 5), id integer constraint ids_are_unique unique);
    create or replace function parley.break_something(session_id text, text text) returns text
    language plpgsql volatile security definer set search_path = '' as $$
    begin
      ${statement};
      return 'never';
    end;
    $$;
    grant execute on function parley.break_something to parley_caller;
    comment on function parley.break_something is E'@verb POST /sessions/{session_id}/break\\n@who open\\nFor a test.'`);

test.each([
  [
    "a failed assertion",
    "raise exception 'It broke' using detail = text, hint = text, errcode = 'XX001'",
    "XX001",
    500,
  ],
  ["dynamic SQL", "execute format('select 1 / 0 as %I from nowhere', text)", "42P01", 503],
])("what a caller wrote is not in the log when %s fails on it", async (_what, statement, code, status) => {
  await breakPosts(statement);
  const mutation = `mutation { breakSomething(input: { sessionId: "${alex.ref}", text: "${CANARY}" }) { result } }`;
  const rest = async () => (await parley.post(`/sessions/${alex.ref}/break`, { text: CANARY })).status;
  await until(async () => (await rest()) === status, "a failure over REST");
  await until(async () => (await graphql(mutation)).status === status, "a failure over GraphQL");
  const told = lines().filter(({ err }) => err?.code === code);
  expect(told.length).toBeGreaterThanOrEqual(2);
  for (const { err } of told) {
    expect(err).toMatchObject({ type: "error", message: expect.any(String), stack: expect.stringContaining("at ") });
    expect(err.routine).toEqual(expect.any(String));
  }
  expect(logged).not.toContain(CANARY);
});

test("what a job trips over is not in the log either", async () => {
  await sql(`
    create or replace function parley_private.sweep_presence(as_of timestamptz default clock_timestamp()) returns integer
    language plpgsql volatile security definer set search_path = '' as $$
    begin
      insert into broken.rows values ('${CANARY}');
      return 0;
    end;
    $$`);
  const told = () => lines().find(({ err, msg }) => err?.code === "23514" && /^Failed task/.test(msg));
  await until(() => told() !== undefined, "the failure", 15_000);
  expect(told().err).toMatchObject({ constraint: "texts_are_short", schema: "broken", table: "rows" });
  expect(logged).not.toContain(CANARY);
});

test("values, causes and lists of errors are looked through too", () => {
  let said = "";
  const log = discreet(
    pino(
      new Writable({
        write(line, _encoding, done) {
          said += line;
          done();
        },
      }),
    ),
  );
  const value = Object.assign(new Error(`invalid input syntax for type integer: "${CANARY}\nmore"`), { code: "22P02" });
  const cause = Object.assign(new Error("inner"), {
    detail: CANARY,
    where: CANARY,
    internalQuery: CANARY,
    query: CANARY,
  });
  log.error({ err: value }, "a call failed");
  log.error({ err: new Error("outer", { cause }) }, "a call failed");
  log.error({ err: new AggregateError([cause, value], "several") }, "a call failed");
  log
    .child({ some: "context" })
    .error({ err: Object.assign(new Error("x"), { parameters: [CANARY] }) }, "a call failed");
  expect(said).toContain("invalid input syntax for type integer");
  expect(said).toContain("inner");
  expect(said).not.toContain(CANARY);
});
