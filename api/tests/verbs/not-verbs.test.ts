import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
const logged: string[] = [];
beforeAll(async () => {
  const log = pino({ level: "warn" }, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
  parley = await startTestServer({ log });
});
afterAll(() => parley.stop());

const comment = (what: string, name: string, tags = "") =>
  `comment on ${what} is E'@verb POST /${name}\\n@who open\\n${tags}For a test.';`;
const plain = (name: string, takes: string, tags = "") => `
  create function parley.${name}(${takes}) returns text language sql stable set search_path = '' as $$ select 'x' $$;
  ${comment(`function parley.${name}(${takes.replace(/ default .*/, "")})`, name, tags)}`;

const STRANGE: [string, string, RegExp][] = [
  ["many", plain("many", "variadic words text[]"), /variadic/],
  ["any_kind", plain("any_kind", "value anyelement"), /its argument value has no type/],
  ["unnamed", plain("unnamed", "text, integer"), /without a name/],
  ["half_named", plain("half_named", "text, n integer"), /without a name/],
  ["twice", plain("twice", "a text") + plain("twice", "a integer"), /another function of this name/],
  ["with_credential", plain("with_credential", "team_id text"), /credential/],
  ["bad_schema", plain("bad_schema", "a jsonb", "@schema a {not json\\n"), /@schema of a is not/],
  ["lost_schema", plain("lost_schema", "a jsonb", '@schema b {"type": "object"}\\n'), /none of its arguments/],
  ["lost_path", plain("lost_path", "a text").replace("/lost_path", "/lost_path/{b}"), /its path names b/],
  ["bad_route", plain("bad_route", "").replace("POST /bad_route", "DELETE /bad_route"), /GET or POST/],
  [
    "a_procedure",
    `create procedure parley.a_procedure() language sql set search_path = '' as $$ select 1 $$;
    ${comment("procedure parley.a_procedure", "a_procedure")}`,
    /not a function/,
  ],
  [
    "a_record",
    `create function parley.a_record() returns setof record language sql stable set search_path = '' as $$ select 1, 2 $$;
    ${comment("function parley.a_record", "a_record")}`,
    /it returns record/,
  ],
  [
    "a_trigger",
    `create function parley.a_trigger() returns trigger language plpgsql set search_path = '' as $$ begin return null; end $$;
    ${comment("function parley.a_trigger", "a_trigger")}`,
    /it returns trigger/,
  ],
];

test("what cannot be a verb is left out with a warning that says why, and everything else goes on", async () => {
  const a = await parley.create();
  await connected(parley.database.url("parley_owner"), async (client) => {
    await client.query("alter default privileges in schema parley grant execute on routines to parley_caller");
    for (const [, sql] of STRANGE) await client.query(sql);
    await client.query(plain("plain_one", "a text default null"));
  });
  await until(async () => (await parley.post("/plain_one", {})).status === 200, "the one that is a verb");
  for (const [name, , why] of STRANGE) {
    const about = logged.filter((line) => line.startsWith(`parley.${name} is on no surface`));
    expect(about, name).toEqual([expect.stringMatching(why)]);
    if (name !== "twice") expect((await parley.post(`/${name}`, {})).status, name).toBe(404);
  }
  expect((await parley.post("/twice", { a: "x" })).body).toBe('"x"\n');
  await parley.say(a, "still here");
  const ask = { method: "POST", headers: { "content-type": "application/json" } };
  const body = JSON.stringify({ query: "{ sessions { totalCount } }" });
  expect(await (await fetch(`${parley.url}/graphql`, { ...ask, body })).json()).toMatchObject({
    data: { sessions: { totalCount: 1 } },
  });
});
