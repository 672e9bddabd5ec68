import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { connected } from "../../../testing/postgres.ts";
import { type Answer, startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { hashSecret, NOBODY } from "../../http/caller.ts";
import { asRole, createPool } from "../../postgres/database.ts";
import { createCall } from "../../verbs/call.ts";
import { LiveCatalogue, type Verb } from "../../verbs/catalogue.ts";

const log = pino({ level: "silent" });

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
  // A post that says so stops in the middle of its transaction, until the test lets go of the lock.
  await sql(`
    create function parley_private.stop_here() returns trigger language plpgsql as $f$ begin
      if new.content ->> 'text' = 'stop' then
        perform pg_advisory_xact_lock(1);
      end if;
      return new;
    end $f$;
    create trigger stop_here before insert on parley.messages for each row execute function parley_private.stop_here()`);
});
afterAll(() => parley.stop());

const sql = <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
  connected(parley.database.url(), async (client) => (await client.query<Row>(text, values)).rows);
const post = (team: Team | undefined, ref: string, body: unknown, init: RequestInit = {}) =>
  parley.post(`/sessions/${ref}/messages`, body, team, init);
const queued = (count: number) =>
  until(async () => (await metric(parley.url, "parley_session_calls")) === count, `${count} calls under way`);
const feed = async (team: Team) =>
  (await parley.get(`/sessions/${team.ref}/messages?limit=500`, team)).body.messages as {
    cursor: number;
    content: { text?: string };
  }[];
const texts = async (team: Team) => (await feed(team)).flatMap(({ content: { text } }) => text ?? []);

/** Six posts of one session that go together, behind a call that goes by itself, and stop at the fourth. */
async function stoppedBatch(team: Team, init: RequestInit[] = []) {
  const holder = new pg.Client({ connectionString: parley.database.url() });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query("select pg_advisory_lock(1)");
  await holder.query("begin");
  await holder.query("select from parley.sessions where id = $1 for update", [team.session_id]);
  const first = parley.post(`/sessions/${team.ref}/doc/append`, { text: "first" }, team);
  await queued(1);
  const said = ["a", "b", "c", "stop", "d", "e"];
  const posts: Promise<Answer | undefined>[] = [];
  for (const [i, content] of said.entries()) {
    posts.push(post(team, team.ref, { content }, init[i]).catch(() => undefined));
    await queued(i + 2);
  }
  await holder.query("rollback");
  expect((await first).status).toBe(200);
  const { pid } = await until(async () => (await stopped())[0], "the batch to stop");
  return { release: () => holder.query("select pg_advisory_unlock(1)"), pid, posts, said };
}
const stopped = () =>
  sql<{ pid: number }>("select pid from pg_locks where locktype = 'advisory' and objid = 1 and not granted");

test("a call is answered alike whether it goes alone or with others, and those who are refused stop nobody", async () => {
  const teams = await Promise.all(Array.from({ length: 3 }, () => parley.create()));
  const [one] = teams as [Team];
  const closed = await parley.create();
  await parley.post(`/sessions/${closed.ref}/conclude`, { summary_section: "Done." }, closed);
  const KEY = { content: "once", client_message_id: "k" };
  const calls: ((nth: number) => [Team | undefined, string, unknown])[] = [
    ...teams.map((team) => (nth: number) => [team, team.ref, { content: `said ${nth}` }] as [Team, string, unknown]),
    () => [one, one.session_id.slice(0, 9), { content: "by another name", kind: "question", metadata: { n: 1.5 } }],
    () => [one, one.ref, KEY],
    () => [one, one.ref, { ...KEY, content: "twice" }],
    () => [one, one.ref, { content: "x", to: ["nobody"] }],
    () => [one, one.ref, { content: "x", reply_to: 999_999 }],
    () => [one, one.ref, { content: "x", reply_to: "neither" }],
    () => [one, one.ref, { content: "x", expected_cursor: -1 }],
    () => [one, one.ref, { content: "x", type: "system" }],
    () => [one, one.ref, { content: 7 }],
    () => [undefined, one.ref, { content: "x" }],
    () => [closed, closed.ref, { content: "x" }],
    () => [one, "no-such-session", { content: "x" }],
  ];
  /** Without what differs from post to post. */
  const shape = ({ status, body }: Answer) => ({
    status,
    ...body,
    ...(status === 200 && { message_id: "", cursor: 0, at: "" }),
  });
  const alone = [];
  for (const call of calls) alone.push(shape(await post(...call(0))));
  expect(alone.map(({ status }) => status)).toEqual([
    ...[200, 200, 200, 200, 200, 409, 400, 404, 400, 400, 400, 400, 401, 403, 404],
  ]);

  const ROUNDS = 100;
  for (let round = 1; round <= ROUNDS; round++) {
    const mixed = calls.map((call, i) => ({ call, i })).sort(() => Math.random() - 0.5);
    const answers = await Promise.all(
      mixed.map(async ({ call, i }) => [i, shape(await post(...call(round)))] as const),
    );
    for (const [i, answer] of answers) expect(answer, JSON.stringify(calls[i]?.(round)[2])).toEqual(alone[i]);
  }
  for (const team of teams) {
    const messages = await feed(team);
    expect(messages.map(({ cursor }) => cursor)).toEqual(messages.map((_, i) => i + 1));
    for (let n = 0; n <= ROUNDS; n++)
      expect(messages.filter(({ content }) => content.text === `said ${n}`)).toHaveLength(1);
  }
  const [made] = await sql<{ messages: number; commits: number }>(
    "select count(*)::integer as messages, count(distinct xmin::text)::integer as commits from parley.messages",
  );
  expect(made?.commits).toBeLessThan(made?.messages as number);
});

test("those who wait for the same session go together, in the order they came, and one that has gone stops no other", async () => {
  const team = await parley.create();
  const client = new AbortController();
  const { release, posts, said } = await stoppedBatch(team, [{}, { signal: client.signal }]);
  client.abort();
  await release();
  const answers = await Promise.all(posts);
  expect(answers.map((answer) => answer?.status)).toEqual([200, undefined, 200, 200, 200, 200]);
  expect(await texts(team)).toEqual(said);
  const commits = await sql("select distinct xmin::text from parley.messages where session_id = $1 and type = 'chat'", [
    team.session_id,
  ]);
  expect(commits).toHaveLength(1);
});

test("when the connection is lost under them nobody is told that it was done, and nothing is done twice", async () => {
  const team = await parley.create();
  const { release, pid, posts } = await stoppedBatch(team);
  await sql("select pg_terminate_backend($1)", [pid]);
  const answers = await Promise.all(posts);
  expect(answers.map((answer) => [answer?.status, answer?.body.error.code])).toEqual(
    posts.map(() => [503, "unavailable"]),
  );
  await release();
  expect(await texts(team)).toEqual([]);
  const last = (await feed(team)).length;
  expect((await post(team, team.ref, { content: "after" })).body.cursor).toBe(last + 1);
});

test("when one of them is stopped by the database the others are done, once", async () => {
  const team = await parley.create();
  const { release, pid, posts } = await stoppedBatch(team);
  await sql("select pg_cancel_backend($1)", [pid]);
  // It is told to stop, and does so when it comes to it: until then it waits as it did.
  await until(async () => (await texts(team)).includes("c"), "the others to be done");
  await until(async () => (await stopped()).length > 0, "the one that was stopped to run again by itself");
  expect(await texts(team)).toEqual(["a", "b", "c"]);
  await release();
  expect((await Promise.all(posts)).map((answer) => answer?.status)).toEqual(posts.map(() => 200));
  expect(await texts(team)).toEqual(["a", "b", "c", "stop", "d", "e"]);
});

test("a verb is one prepared statement, whatever is left out, and what is left out is what SQL says", async () => {
  await sql(`
    create domain parley.sure as text not null;
    create function parley.defaults(a integer, b text default 'b', c text[] default array['c', 'd'], d jsonb default null,
      e parley.sure default 'e', f integer default 2 * 3)
    returns text language sql security definer set search_path = ''
    return concat_ws(' ', a, b, array_to_string(c, '+'), coalesce(d::text, 'none'), e, f);
    grant execute on function parley.defaults to parley_caller;
    comment on function parley.defaults is E'@verb POST /defaults\\n@who open\\nFor a test.'`);
  const pool = createPool(asRole(parley.database.url("parley_server"), "parley_caller"), log, { max: 1 });
  onTestFinished(() => pool.end());
  const catalogue = new LiveCatalogue(pool, log);
  await catalogue.start();
  catalogue.stop();
  const call = createCall(pool, parley.server.events, { now: () => 0 } as never);
  const run = (name: string, args: Record<string, unknown>, teamId?: string) =>
    call(catalogue.current.byName.get(name) as Verb, args, { ...NOBODY, teamHash: hashSecret(teamId) });
  const statements = async (name: string) =>
    (await pool.query("select from pg_prepared_statements where statement like $1", [`%"${name}"%`])).rowCount;

  expect(await run("defaults", { a: 1 })).toBe('"1 b c+d none e 6"');
  expect(await run("defaults", { a: 1, b: "x", c: [], d: { y: 1 } })).toBe('"1 x  {\\"y\\": 1} e 6"');
  expect(await run("defaults", { a: 1, f: 0, d: null })).toBe('"1 b c+d none e 0"');
  expect(await statements("defaults")).toBe(1);
  // A domain that refuses null cannot be given one.
  expect(await run("defaults", { a: 1, e: "z" })).toBe('"1 b c+d none z 6"');
  expect(await statements("defaults")).toBe(2);

  const team = await parley.create();
  for (const more of [
    {},
    { kind: "question" },
    { metadata: { a: 1 } },
    { client_message_id: "k", expects_reply: true },
  ])
    await run("post_message", { session_id: team.ref, content: "x", ...more }, team.team_id);
  expect(await statements("post_message")).toBe(1);
});
