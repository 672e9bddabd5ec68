import { afterAll, beforeAll, expect, test } from "vitest";
import { counted } from "../../testing/plans.ts";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { type Calls, connectCallers, type Team } from "./calls.ts";

const MANY = 300;

let database: TestDatabase;
let calls: Calls;
let team: Team;

beforeAll(async () => {
  database = await createTestDatabase();
  calls = connectCallers(database.url("parley_caller"), 1);
  team = await calls.create();
  await sql(
    `insert into parley.participants (session_id, id, handle, team_name)
    select $1, n, 'team-' || n, 'Team' from generate_series(2, $2::integer + 1) n`,
    [team.session_id, MANY],
  );
  await sql("analyze parley.participants");
});

afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

const sql = (text: string, values: unknown[] = []) =>
  connected(database.url(), async (client) => (await client.query(text, values)).rows);

const hold = () =>
  sql(
    `insert into parley_private.waits (id, session_id, participant_id, since_cursor, expires_at)
    select gen_random_uuid(), s.id, n, s.last_sequence, now() + interval '30 seconds'
    from parley.sessions s, generate_series(2, $2::integer + 1) n where s.id = $1 returning id`,
    [team.session_id, MANY],
  ).then((rows) => rows.map(({ id }) => id as string));

const answerAll = (ids: string[], giveUp = false) =>
  counted(database.url(), (client) => client.query("select * from parley_private.answer_waits($1, $2)", [ids, giveUp]));

test("what is counted here grows with the square where each is compared with all others", async () => {
  const ids = await hold();
  const { rows } = await counted(database.url(), (client) =>
    client.query(
      "select from unnest($1::uuid[]) a (id) join lateral (select * from unnest($1::uuid[]) b (id) offset 0) b on a.id = b.id or a.id is null",
      [ids],
    ),
  );
  expect(rows).toBeGreaterThan(MANY * MANY);
  await sql("delete from parley_private.waits");
});

// The table of waits is empty whenever nobody waits, and may be counted just then.
test.each(["analyze", "vacuum analyze"])(
  "many waits are answered each by its key, after %s found none",
  async (count) => {
    await sql("delete from parley_private.waits");
    await sql(`${count} parley_private.waits`);
    const ids = await hold();
    await calls.must("post_message", { session_id: team.ref, content: "Wake up." }, team);
    const { answer, rows } = await answerAll(ids);
    expect(answer).toHaveLength(1);
    expect(answer[0].wait_ids.toSorted()).toEqual(ids.toSorted());
    expect(answer[0].answer.messages).toHaveLength(1);
    expect(rows).toBeLessThan(40 * MANY);
  },
);

test("many whose time is over are, too, and those that were idle for equally long share an answer", async () => {
  await sql("update parley.participants set empty_polls = id % 2, idle_version = 0 where session_id = $1", [
    team.session_id,
  ]);
  const ids = await hold();
  const { answer, rows } = await answerAll(ids, true);
  expect(answer.map(({ wait_ids, answer }) => [answer.empty_polls, wait_ids.length]).toSorted()).toEqual([
    [1, MANY / 2],
    [2, MANY / 2],
  ]);
  expect(rows).toBeLessThan(40 * MANY);
});

test("many that have nothing to hear are left as they are, without a lock", async () => {
  const ids = await hold();
  const { answer, rows } = await answerAll(ids);
  expect(answer).toEqual([]);
  expect(rows).toBeLessThan(40 * MANY);
  expect(await sql("select from parley_private.waits where xmax <> 0")).toEqual([]);
});
