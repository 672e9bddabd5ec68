import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callTool, connect } from "../../../mcp/tests/client.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
let mcp: Client;
beforeAll(async () => {
  parley = await startTestServer();
  mcp = await connect(parley, "/mcp?format=json");
  await sql(`
    create table parley.votes (team text constraint one_vote_per_team primary key, weight integer not null
      constraint weight_is_small check (weight < 10));
    insert into parley.votes values ('amber', 1);
    alter table parley.votes enable row level security, force row level security;
    create policy everyone on parley.votes using (true);
    create function parley.helper() returns text language sql as 'select 1';
    ${RAISED.map(([name, body]) => verb(name, body)).join("\n")}
    ${verb("last_verb", "null")}
    drop function parley.helper()`);
  await until(async () => (await graphql("mutation { lastVerb(input: {}) { result } }")).status === 200, "the verbs");
});
afterAll(async () => {
  await mcp.close();
  await parley.stop();
});

const sql = (text: string) => connected(parley.database.url("parley_owner"), (client) => client.query(text));
const verb = (name: string, body: string) => `
  create function parley.${name}() returns text language plpgsql volatile security definer set search_path = ''
  as $f$ begin ${body}; return 'done'; end $f$;
  grant execute on function parley.${name} to parley_caller;
  comment on function parley.${name} is E'@verb POST /${name}\\n@who open\\n@toolset raising\\nFor a test.';`;
const camel = (name: string) => name.replace(/_(\w)/g, (_, c: string) => c.toUpperCase());

async function graphql(query: string) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${parley.url}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
  const { errors } = (await response.json()) as { errors?: { message: string; extensions: Record<string, unknown> }[] };
  const { code, details } = errors?.[0]?.extensions ?? {};
  return { status: response.status, error: { code, message: errors?.[0]?.message, details } };
}

/** What every surface answers; it is the same. */
async function refusal(name: string) {
  const rest = await parley.post(`/${name}`, {});
  const tool = await callTool(mcp, name, {});
  expect([tool.isError, JSON.parse(tool.text)]).toEqual([true, rest.body]);
  expect(await graphql(`mutation { ${camel(name)}(input: {}) { result } }`)).toEqual({
    status: rest.status,
    error: rest.body.error,
  });
  expect(rest.body).toEqual({
    error: {
      code: expect.stringMatching(/^[a-z_]+$/),
      message: expect.stringMatching(/./),
      details: expect.any(Object),
    },
  });
  expect(JSON.stringify(rest.body)).not.toMatch(/plpgsql|PL\/pgSQL|parley\.|SQLSTATE|\bat .*\.ts|Failing row|Key \(/);
  expect(rest.headers.get("retry-after")).toBe(rest.status === 503 ? "2" : null);
  const { code, message, details } = rest.body.error;
  return { status: rest.status, code, message, details };
}

const hint = expect.any(String);
const retry_after_seconds = 2;
/** The name of a verb, what it does, and what becomes of it. */
const RAISED: [string, string, object][] = [
  ["plain", "raise exception 'No such colour.'", { status: 400, code: "invalid_argument", message: "No such colour." }],
  [
    "plain_with_hint",
    "raise 'No such colour.' using hint = 'Take red.', detail = 'Asked for pink.'",
    { status: 400, details: { hint: "Take red.", detail: "Asked for pink." } },
  ],
  [
    "pt_with_text",
    "raise 'Not today.' using errcode = 'PT403', detail = 'It is Sunday.'",
    { status: 403, code: "forbidden", message: "Not today.", details: { detail: "It is Sunday." } },
  ],
  [
    "pt_alone",
    "raise 'Gone.' using errcode = 'PT410'",
    { status: 410, code: "refused", message: "Gone.", details: {} },
  ],
  [
    "pt_with_json",
    `raise 'Full.' using errcode = 'PT409', detail = '{"left": 0}', hint = 'Come later.'`,
    { status: 409, code: "conflict", details: { left: 0, hint: "Come later." } },
  ],
  [
    "pt_with_odd_json",
    `raise 'Odd.' using errcode = 'PT404', detail = '{"code": 5, "details": []}'`,
    { status: 404, code: "not_found", details: { code: 5, details: [] } },
  ],
  [
    "pt_as_ours",
    `raise 'Taken.' using errcode = 'PT409', detail = '{"code": "already_taken", "details": {"by": "x"}}'`,
    { status: 409, code: "already_taken", details: { by: "x" } },
  ],
  ["pt_list", "raise 'List.' using errcode = 'PT400', detail = '[1]'", { status: 400, details: { detail: "[1]" } }],
  [
    "pt_later",
    "raise 'Busy.' using errcode = 'PT503'",
    { status: 503, code: "unavailable", details: { retry_after_seconds } },
  ],
  ["pt_200", "raise 'Fine.' using errcode = 'PT200'", { status: 500, code: "internal" }],
  ["pt_999", "raise 'What.' using errcode = 'PT999'", { status: 500, code: "internal" }],
  [
    "unique_broken",
    "insert into parley.votes values ('amber', 2)",
    { status: 409, code: "conflict", message: 'The rule "one vote per team" does not allow this.', details: { hint } },
  ],
  [
    "check_broken",
    "insert into parley.votes values ('blue', 99)",
    { status: 409, code: "conflict", message: 'The rule "weight is small" does not allow this.' },
  ],
  ["null_broken", "insert into parley.votes values ('blue')", { status: 409, message: "weight must have a value." }],
  [
    "unique_raised",
    "raise unique_violation using message = 'You have voted.'",
    { status: 409, code: "conflict", message: "You have voted." },
  ],
  [
    "serialization",
    "raise 'x' using errcode = '40001'",
    { status: 503, code: "unavailable", details: { retry_after_seconds, hint } },
  ],
  ["deadlock", "raise 'x' using errcode = '40P01'", { status: 503, code: "unavailable" }],
  ["disk_full", "raise 'x' using errcode = '53100'", { status: 503, code: "unavailable" }],
  ["out_of_memory", "raise 'x' using errcode = '53200'", { status: 503, code: "unavailable" }],
  [
    "too_much",
    "raise 'Too many.' using errcode = '54000'",
    { status: 400, code: "invalid_argument", message: "Too many." },
  ],
  ["lock_timeout", "raise 'x' using errcode = '55P03'", { status: 503, code: "unavailable" }],
  [
    "not_found",
    "declare r record; begin select * into strict r from parley.votes where team = 'x'; end",
    { status: 404, code: "not_found" },
  ],
  ["no_data_raised", "raise no_data_found using message = 'No such vote.'", { status: 404, message: "No such vote." }],
  ["calls_dropped", "perform parley.helper()", { status: 503, code: "unavailable", message: /is missing/ }],
  ["reads_dropped", "perform * from parley.no_table", { status: 503, code: "unavailable" }],
  ["not_allowed", "raise insufficient_privilege", { status: 403, code: "forbidden" }],
  ["division", "perform 1 / 0", { status: 400, code: "invalid_argument" }],
  ["cancelled", "raise query_canceled", { status: 503, code: "unavailable" }],
  [
    "assertion",
    "assert false, 'inside'",
    { status: 500, code: "internal", message: "Something went wrong on our side." },
  ],
];

describe("on every surface alike", () => {
  test.each(RAISED)("%s keeps the shape of an error", async (name, _, expected) => {
    const { message, ...rest } = expected as { message?: string | RegExp };
    const answer = await refusal(name);
    expect(answer).toMatchObject(rest);
    if (message instanceof RegExp) expect(answer.message).toMatch(message);
    else if (message) expect(answer.message).toBe(message);
    if (answer.status >= 500) expect(answer.message).not.toMatch(/^(x|What\.|Fine\.|inside)$/);
  });
});

test("a verb that is dropped while it is in use is 404 from then on, and nothing worse", async () => {
  await sql(verb("fleeting", "null"));
  await until(async () => (await parley.post("/fleeting", {})).status === 200, "the verb");
  await until(async () => (await graphql("mutation { fleeting(input: {}) { result } }")).status === 200, "its field");
  const seen = new Set<string>();
  let over = false;
  const calls = [0, 1, 2, 3].map(async () => {
    while (!over) {
      const { status, body } = await parley.post("/fleeting", {});
      seen.add(status === 200 ? "200" : `${status} ${body.error.code}`);
      const tool = await callTool(mcp, "fleeting", {});
      seen.add(tool.isError ? `404 ${JSON.parse(tool.text).error.code}` : "200");
      const field = await graphql("mutation { fleeting(input: {}) { result } }");
      // Once the schema knows that it is gone, asking for it is a mistake of the query.
      if (field.status !== 400) seen.add(field.status === 200 ? "200" : `${field.status} ${field.error.code}`);
    }
  });
  await until(() => seen.has("200"), "the calls to go well");
  await sql("drop function parley.fleeting()");
  await until(async () => !(await parley.get("/openapi.json")).body.paths["/api/fleeting"], "the catalogue to know");
  over = true;
  await Promise.all(calls);
  expect([...seen].sort()).toEqual(["200", "404 not_found"]);
});
