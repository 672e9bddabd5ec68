import { afterAll, beforeAll, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
let alex: Team;

const verb = (name: string, body: string, declare = "") => `
  create function parley.${name}(session_id text) returns parley.session_details
  language plpgsql stable set search_path = '' as $$
  declare v_session parley.sessions := parley_private.find_session(session_id); ${declare}
  begin ${body} end $$;
  grant execute on function parley.${name} to parley_caller;
  comment on function parley.${name} is $$
@verb GET /sessions/{session_id}/${name}
@who team
@toolset extra
A session, as a DBA tells it.
$$;`;

const VERBS = {
  by_field: verb(
    "by_field",
    "v_told.ref := v_session.ref; v_told.title := v_session.title; return v_told;",
    "v_told parley.session_details;",
  ),
  by_json: verb(
    "by_json",
    "return jsonb_populate_record(null::parley.session_details, jsonb_build_object('ref', v_session.ref, 'title', v_session.title));",
  ),
  passed_on: verb("passed_on", "return parley.get_session(session_id);"),
  by_columns: verb(
    "by_columns",
    "select v_session.ref, v_session.title into v_told.ref, v_told.title; return v_told;",
    "v_told parley.session_details;",
  ),
};
const names = Object.keys(VERBS);
const told = (name: string) => parley.get(`/sessions/${alex.ref}/${name}`, alex);
const sql = (text: string) => connected(parley.database.url(), (client) => client.query(text));

beforeAll(async () => {
  parley = await startTestServer();
  alex = await parley.create();
  await sql(Object.values(VERBS).join("\n"));
  for (const name of names) await until(async () => (await told(name)).status === 200, `the verb ${name}`);
});
afterAll(() => parley.stop());

/** On every connection of the pool, often enough for plans to be kept. */
const askOften = () => Promise.all(names.flatMap((name) => Array.from({ length: 40 }, () => told(name))));

test("a verb of a DBA goes on when its type gains a field, on the server that has answered with it before", async () => {
  const before = await askOften();
  expect(before.filter(({ status }) => status !== 200)).toEqual([]);
  await sql("alter type parley.session_details add attribute mood text");
  const after = await askOften();
  expect(after.filter(({ status }) => status !== 200)).toEqual([]);
  for (const { body } of after) expect(body).toMatchObject({ ref: alex.ref, title: "A session", mood: null });
  expect(await parley.get(`/sessions/${alex.ref}`, alex)).toMatchObject({ status: 200, body: { mood: null } });
});

test("row(…)::type counts the fields, and so does not survive: what CONTRIBUTING warns of", async () => {
  const cast = (fields: string) => sql(`select row(${fields})::parley.written_doc`);
  await cast("1, now(), 0");
  await sql("alter type parley.written_doc add attribute mood text");
  await expect(cast("1, now(), 0")).rejects.toThrow("cannot cast type record to parley.written_doc");
});
