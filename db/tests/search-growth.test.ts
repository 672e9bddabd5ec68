import { afterAll, beforeAll, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { type Calls, connectCallers } from "./calls.ts";
import { reading } from "./reading.ts";

let database: TestDatabase;
let calls: Calls;

beforeAll(async () => {
  database = await createTestDatabase();
  calls = connectCallers(database.url("parley_caller"), 1);
});

afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

const sql = (text: string, values: unknown[] = []) =>
  connected(database.url(), async (client) => (await client.query(text, values)).rows);

test("a search reads what it finds, not the session, however short most others are", async () => {
  const team = await calls.create();
  await sql(
    `with short as (
      insert into parley.sessions (ref, title, description, last_sequence) select 'short-' || n, 'Short', '', 1 from generate_series(1, 3000) n returning id
    ), seated as (
      insert into parley.participants (session_id, id, handle, team_name, left_at) select id, 1, 'one', 'One', now() from short
    )
    insert into parley.messages (session_id, sequence, posted_by, type, content)
    select id, 1, 1, 'chat', '{"text": "Hello"}' from short
    union all
    select $1::uuid, n, 1, 'chat', jsonb_build_object('text', 'Message ' || n || case n when 777 then ' needle' else '' end)
    from generate_series(1, 3000) n`,
    [team.session_id],
  );
  await sql("update parley.sessions set last_sequence = 3000 where id = $1", [team.session_id]);
  await sql("select parley_private.index_words_of($1, 3000)", [team.session_id]);
  await sql("analyze parley.messages, parley.sessions, parley_private.message_words");
  const { answer, rows } = await reading(
    database,
    team,
    `parley.search(session_id => '${team.ref}', query => 'needle')`,
  );
  expect(answer.hits).toMatchObject([{ cursor: 777 }]);
  expect(rows("messages")).toBeLessThan(50);
});
