import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { hashSecret } from "../../http/caller.ts";
import { asRole } from "../../postgres/database.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const sql = <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
  connected(parley.database.url(), async (client) => (await client.query<Row>(text, values)).rows);
const post = (team: Team, content: unknown) => parley.post(`/sessions/${team.ref}/messages`, { content }, team);
const seats = async (count: number): Promise<Team[]> => {
  const convener = await parley.create("Team 0");
  const others = [];
  for (let i = 1; i < count; i++) others.push({ ...convener, ...(await parley.join(convener, `Team ${i}`)) });
  return [convener, ...others];
};

/** They arrive while their session is locked by hand, behind a call that goes by itself, and go together when that is done; those of elsewhere wait for nobody. */
async function together<T>(team: Team, calls: (() => Promise<T>)[], elsewhere: typeof calls = []): Promise<T[]> {
  const holder = new pg.Client({ connectionString: parley.database.url() });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query("begin");
  await holder.query("select from parley.sessions where id = $1 for update", [team.session_id]);
  const first = parley.post(`/sessions/${team.ref}/doc/append`, { text: "first" }, team);
  await queued(1);
  const answers = [...calls, ...elsewhere].map((call) => call());
  await queued(calls.length + 1);
  await holder.query("rollback");
  expect((await first).status).toBe(200);
  return Promise.all(answers);
}
const queued = (count: number) =>
  until(async () => (await metric(parley.url, "parley_session_calls")) === count, `${count} calls under way`);

/** By whose statements the messages of a session were written: the transaction, and the command in it. */
const statements = (team: Team) =>
  sql<{ posts: number }>(
    `select count(*)::integer as posts from parley.messages where session_id = $1 and type = 'chat'
    group by xmin::text, cmin::text order by min(sequence)`,
    [team.session_id],
  ).then((rows) => rows.map(({ posts }) => posts));

test("plain posts that come together are one statement, in the order in which they came", async () => {
  const teams = await seats(6);
  const [convener] = teams as [Team];
  const answers = await together(
    convener,
    teams.map((team, i) => () => post(team, `said ${i}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual(teams.map(() => 200));
  expect(await statements(convener)).toEqual([6]);
  const { body } = await parley.get(`/sessions/${convener.ref}/messages?limit=500`, convener);
  const said = body.messages.flatMap(({ content }: { content: { text?: string } }) => content.text ?? []);
  expect(said).toEqual(teams.map((_, i) => `said ${i}`));
});

test("who asks for lines and who asks for JSON are done in the same statement", async () => {
  const teams = await seats(2);
  const [one, two] = teams as [Team, Team];
  const [json, lines] = await together(one, [
    () => post(one, "x"),
    () => parley.post(`/sessions/${two.ref}/messages?format=lines`, { content: "y" }, two),
  ]);
  expect(await statements(one)).toEqual([2]);
  expect(json?.body).toMatchObject({ cursor: expect.any(Number), unread: expect.any(Number) });
  expect(lines?.body).toMatch(/^cursor \d+ · unread \d+\n$/);
});

test("what is not plain, or has something spoken against it, is answered as if it had come alone, and stops no other", async () => {
  const teams = await seats(8);
  const [convener, plain, blank, secret, asked, left, interrupted, other] = teams as [Team, ...Team[]] as Team[] & {
    0: Team;
  };
  await parley.post(`/sessions/${convener.ref}/leave`, {}, left);
  await parley.post(
    `/sessions/${convener.ref}/interrupt`,
    { handle: interrupted?.handle, reason: "Stop, please." },
    convener,
  );
  const closed = await parley.create();
  await parley.post(`/sessions/${closed.ref}/conclude`, { summary_section: "Done." }, closed);
  const answers = await together(
    convener,
    [
      () => post(plain as Team, { text: "as an object" }),
      () => post(blank as Team, " \n"),
      () => post(secret as Team, `take this: ${convener.team_id}`),
      () => post(asked as Team, { text: "and more", than: "a text" }),
      () => post(left as Team, "still here"),
      () => post(interrupted as Team, "on it"),
      () => post(other as Team, "the last"),
    ],
    [() => post({ ...(other as Team), ref: "no-such-session" }, "x"), () => post(closed, "too late")],
  );
  expect(answers.map(({ status, body }) => body.error?.code ?? status)).toEqual([
    ...[200, "invalid_argument", "invalid_argument", "invalid_argument", "unauthorized", 200, 200],
    ...["session_not_found", "session_closed"],
  ]);
  expect(answers[5]?.body.interrupt).toMatchObject({ reason: "Stop, please." });
  expect(await statements(convener)).toEqual([2, 1]);
});

test("whoever replaces the verb replaces this way as well, at once and for good", async () => {
  const own = await startTestServer();
  onTestFinished(() => own.stop());
  const run = (text: string) => connected(own.database.url(), (client) => client.query(text));
  const team = await own.create();
  const teams = [team, ...(await Promise.all([1, 2, 3, 4, 5].map(() => own.join(team))))];
  const shout = async () => {
    await Promise.all(
      teams.map((each) => own.post(`/sessions/${team.ref}/messages`, { content: "hello" }, each.team_id)),
    );
    const { body } = await own.get(`/sessions/${team.ref}/messages?limit=6`, team);
    return body.messages.map(({ content }: { content: { text: string } }) => content.text);
  };
  expect(await shout()).toEqual(teams.map(() => "hello"));
  await run(`
    create or replace function parley.post_message(session_id text, content jsonb, type text default 'chat', kind text default null,
      reply_to parley.message_ref default null, "to" text[] default null, expects_reply boolean default null, metadata jsonb default null,
      client_message_id text default null, expected_cursor integer default null)
    returns parley.posted_message language plpgsql volatile security definer set search_path = ''
    as $$ begin return parley_private.post_with_care(session_id, to_jsonb(upper(content #>> '{}')), 'chat', null, null); end $$`);
  expect(await shout()).toEqual(teams.map(() => "HELLO"));
  // The catalogue has read the new one.
  await run(`comment on function parley.post_message is e'@verb POST /sessions/{session_id}/shouts
@who team
@together parley_private.post_plainly session_id, content
Shout.'`);
  await until(
    async () => (await own.get(`/sessions/${team.ref}/shouts`, team)).status === 405,
    "the catalogue to be read again",
  );
  const answers = await Promise.all(
    teams.map((each) => own.post(`/sessions/${team.ref}/shouts`, { content: "hello" }, each.team_id)),
  );
  expect(answers.map(({ status }) => status)).toEqual(teams.map(() => 200));
  const { body } = await own.get(`/sessions/${team.ref}/messages?limit=6`, team);
  expect(body.messages.map(({ content }: { content: { text: string } }) => content.text)).toEqual(
    teams.map(() => "HELLO"),
  );
});

/** What happens between the posts, to a team of both sessions alike. */
type Step = { posts: number[] } | { does: "wait" | "write" | "decide" | "rest"; by: number };
const TEAMS = 4;
const stepOf: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ posts: fc.subarray([0, 1, 2, 3], { minLength: 1 }) }) },
  fc.record({ does: fc.constantFrom("wait", "write", "decide", "rest"), by: fc.nat({ max: TEAMS - 1 }) }),
);

test("a post leaves the same behind, and is told the same, whether it went with others or alone", async () => {
  await sql(`update parley.settings set value = case name when 'hops' then '6'::jsonb when 'loop_guard' then '12' else '8' end
    where name in ('hops', 'loop_guard', 'posts_per_minute')`);
  const client = new pg.Client({ connectionString: asRole(parley.database.url("parley_server"), "parley_caller") });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await sql("update parley.settings set value = '0' where name in ('hops', 'loop_guard', 'posts_per_minute')");
  });
  const alone = async ({ team_id, ref }: Team, text: string) => {
    await client.query("begin");
    try {
      await client.query("select parley_private.begin_call($1, '')", [hashSecret(team_id)]);
      const { rows } = await client.query("select * from parley.post_message($1, to_jsonb($2::text))", [ref, text]);
      return { cursor: rows[0].cursor, unread: rows[0].unread };
    } catch (error) {
      return { refused: (error as pg.DatabaseError).code };
    } finally {
      await client.query("commit");
    }
  };
  const atOnce = async (teams: Team[], text: string) => {
    const calls = teams.map(({ team_id, ref }) => ({ team_hash: hashSecret(team_id), session_id: ref, content: text }));
    const { rows } = await client.query("select place, (answer).* from parley_private.post_plainly($1)", [
      JSON.stringify(calls),
    ]);
    const answers = new Map(rows.map(({ place, cursor, unread }) => [place - 1, { cursor, unread }]));
    return { answers, rest: teams.filter((_, i) => !answers.has(i)) };
  };
  const does = async ({ does, by }: { does: string; by: number }, teams: Team[]) => {
    const team = teams[by] as Team;
    if (does === "wait") await parley.wait(team, { timeout: 0 });
    if (does === "write") await parley.post(`/sessions/${team.ref}/doc/append`, { text: "- found" }, team);
    if (does === "decide")
      await parley.post(`/sessions/${team.ref}/messages`, { content: "We do.", kind: "decision" }, team);
  };
  const left = (team: Team) =>
    sql(
      `select sequence, posted_by, type, content, kind, nth_of_author, nth_of_kind, caused_by, bytes, counted_from, heard, hops, session.talk, session.last_sequence
      from parley.messages join parley.sessions session on session.id = session_id where session_id = $1 order by sequence`,
      [team.session_id],
    );

  let done = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf, { minLength: 3, maxLength: 14 }), async (steps) => {
      const [one, many] = [await seats(TEAMS), await seats(TEAMS)];
      for (const step of steps) {
        if ("does" in step) {
          await does(step, one);
          await does(step, many);
          continue;
        }
        const pick = (teams: Team[]) => step.posts.map((i) => teams[i] as Team);
        const { answers, rest } = await atOnce(pick(many), "said");
        // Those who go the long way go behind the others: the same order for both.
        const order = [...answers.keys(), ...rest.map((team) => pick(many).indexOf(team))];
        const expected = new Map<number, unknown>();
        for (const i of order) expected.set(i, await alone(pick(one)[i] as Team, "said"));
        for (const [i, answer] of answers) expect(answer).toEqual(expected.get(i));
        for (const team of rest) expect(await alone(team, "said")).toEqual(expected.get(pick(many).indexOf(team)));
        done += answers.size;
      }
      expect(await left(many[0] as Team)).toEqual(await left(one[0] as Team));
    }),
    { numRuns: 40 },
  );
  expect(done).toBeGreaterThan(100);
});
