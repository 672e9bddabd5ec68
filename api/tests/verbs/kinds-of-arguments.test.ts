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
  const types = `
    create type parley.mood as enum ('glad', 'so_so', 'sad');
    create domain parley.percentage as integer constraint between_0_and_100 check (value between 0 and 100);
    create domain parley.tags as text[];
    create domain parley.place as text;
    comment on domain parley.place is E'@schema {"anyOf": [{"type": "string"}, {"type": "integer"}]}\\nWhere it is.';`;
  await connected(parley.database.url("parley_owner"), (client) =>
    client.query(types + TYPES.flatMap((type) => [echo(type), echo(`${type}[]`)]).join("\n") + ECHO_BY_QUERY),
  );
  await until(async () => (await mcp.listTools()).tools.some((tool) => tool.name === "by_query"), "the verbs");
});
afterAll(async () => {
  await mcp.close();
  await parley.stop();
});

const TYPES = [
  "smallint",
  "integer",
  "bigint",
  "real",
  "double precision",
  "numeric",
  "boolean",
  "uuid",
  "date",
  "time",
].concat(
  "timestamp",
  "timestamptz",
  "interval",
  "jsonb",
  "parley.mood",
  "parley.percentage",
  "parley.tags",
  "parley.place",
);
const named = (type: string) => `echo_${type.replace("[]", "_list").replace(/\W/g, "_")}`;
/** Answers with the text of what came in: what the database has understood. */
const echo = (type: string) => `
  create function parley.${named(type)}(value ${type}) returns text language sql stable set search_path = '' as 'select value::text';
  grant execute on function parley.${named(type)} to parley_caller;
  comment on function parley.${named(type)} is E'@verb POST /${named(type)}\\n@who open\\n@toolset kinds\\n@param value Anything.\\nFor a test.';`;
const ECHO_BY_QUERY = `
  create function parley.by_query(ids bigint[] default '{}', filter jsonb default 'null', day date default null) returns text
  language sql stable set search_path = '' as $$ select concat_ws(' ', ids::text, filter::text, day::text) $$;
  grant execute on function parley.by_query to parley_caller;
  comment on function parley.by_query is E'@verb GET /by_query\\n@who open\\n@toolset kinds\\nFor a test.';`;

/** The JSON of the value as it is sent, by both doors; they say the same. */
async function call(type: string, json: string) {
  const rest = await fetch(`${parley.url}/api/${named(type)}`, { method: "POST", body: `{"value": ${json}}` });
  const params = `{"name": "${named(type)}", "arguments": {"value": ${json}}}`;
  const rpc = await fetch(`${parley.url}/mcp?format=json`, {
    method: "POST",
    body: `{"jsonrpc": "2.0", "id": 1.0, "method": "tools/call", "params": ${params}}`,
  });
  const answer = JSON.parse((await rest.text()).trim());
  const { result } = (await rpc.json()) as { result: { content: { text: string }[] } };
  expect(JSON.parse(result.content[0]?.text ?? "")).toEqual(answer);
  return { status: rest.status, answer };
}

describe("an argument of type", () => {
  test.each([
    ["smallint", "-32768", "-32768"],
    ["integer", '"12"', "12"],
    ["bigint", "9223372036854775807", "9223372036854775807"],
    ["bigint", '"9223372036854775807"', "9223372036854775807"],
    ["bigint", "1e18", "1000000000000000000"],
    ["real", "1.5", "1.5"],
    ["double precision", "1e300", "1e+300"],
    ["numeric", "12345678901234567890.12345678901234567890", "12345678901234567890.12345678901234567890"],
    ["numeric", "1.50", "1.50"],
    ["boolean", "true", "true"],
    ["uuid", '"00000000-0000-4000-8000-000000000001"', "00000000-0000-4000-8000-000000000001"],
    ["date", '"2026-02-28"', "2026-02-28"],
    ["time", '"23:59:01"', "23:59:01"],
    ["timestamp", '"2026-02-28T01:02:03"', "2026-02-28 01:02:03"],
    ["timestamptz", '"2026-02-28T01:02:03+02:00"', "2026-02-27 23:02:03+00"],
    ["interval", '"PT90M"', "01:30:00"],
    ["parley.mood", '"so_so"', "so_so"],
    ["parley.percentage", "100", "100"],
    ["parley.tags", '["a,b", "c\\"d"]', '{"a,b","c\\"d"}'],
    ["parley.place", "7", "7"],
    ["bigint[]", '[9007199254740993, "9007199254740995", 1]', "{9007199254740993,9007199254740995,1}"],
    ["numeric[]", "[1.10, 1e400, 2]", `{1.10,1${"0".repeat(400)},2}`],
    ["timestamptz[]", '["2026-02-28T00:00:00Z"]', '{"2026-02-28 00:00:00+00"}'],
    ["parley.mood[]", '["sad", "glad"]', "{sad,glad}"],
    ["boolean[]", "[true, false]", "{t,f}"],
    ["date[]", "[]", "{}"],
    ["jsonb[]", '[{"a": 1.10}, "b"]', '{"{\\"a\\": 1.10}","\\"b\\""}'],
  ])("%s takes %s exactly", async (type, json, understood) => {
    expect(await call(type, json)).toEqual({ status: 200, answer: understood });
  });

  test.each([
    ["smallint", "32768", /out of range/],
    ["integer", "2147483648", /out of range/],
    ["bigint", "9223372036854775808", /out of range/],
    ["bigint", "1.5", /whole number/],
    ["bigint", "1e400", /whole number/],
    ["real", "1e39", /out of range/],
    ["double precision", "1e400", /out of range/],
    ["numeric", '"NaN"', /must be a number/],
    ["numeric", "1e140000", /out of range/],
    ["uuid", '"x"', /type uuid/],
    ["date", '"2026-02-30"', /out of range.*type date/],
    ["date", "20260228", /must be a string/],
    ["time", '"25:00"', /type time/],
    ["timestamptz", '"soon"', /timestamp with time zone/],
    ["timestamptz", '["2026-02-28"]', /must be a string/],
    ["interval", '"a while"', /type interval/],
    ["jsonb", '{"a": [1e140000]}', /out of range/],
    ["jsonb", `[${Array(3).fill("1e99999")}]`, /too large/],
    ["parley.mood", '"angry"', /one of: glad, so_so, sad\./],
    ["parley.percentage", "101", /The rule "between 0 and 100" does not allow this/],
    ["parley.tags", '"a"', /must be a list/],
    ["bigint[]", "[1, 9223372036854775808]", /out of range/],
    ["bigint[]", "[1, null]", /whole number/],
    ["date[]", '["2026-02-28", "x"]', /type date/],
    ["parley.mood[]", '["glad", "angry"]', /one of/],
  ])("%s refuses %s and names the field", async (type, json, why) => {
    const { status, answer } = await call(type, json);
    expect(answer.error).toMatchObject({ code: "invalid_argument", details: { field: "value" } });
    expect(answer.error.message).toMatch(why);
    expect(status).toBe(400);
  });

  test.each([
    ["bigint", { anyOf: [{ type: "integer" }, { type: "string", pattern: "^[+-]?[0-9]+$" }] }],
    ["smallint", { type: "integer" }],
    ["real", { type: "number" }],
    ["date", { type: "string", format: "date" }],
    ["timestamptz", { type: "string", format: "date-time" }],
    ["interval", { type: "string" }],
    ["parley.mood", { type: "string", enum: ["glad", "so_so", "sad"] }],
    ["parley.percentage", { type: "integer" }],
    ["parley.tags", { type: "array", items: { type: "string" } }],
    ["parley.place", { anyOf: [{ type: "string" }, { type: "integer" }] }],
    ["parley.mood[]", { type: "array", items: { type: "string", enum: ["glad", "so_so", "sad"] } }],
    ["timestamptz[]", { type: "array", items: { type: "string", format: "date-time" } }],
  ])("%s has its schema in tools/list and OpenAPI", async (type, schema) => {
    const tool = (await mcp.listTools()).tools.find(({ name }) => name === named(type));
    const value = { ...schema, description: "Anything." };
    expect(tool?.inputSchema).toEqual({ type: "object", properties: { value }, required: ["value"] });
    const { paths } = (await parley.get("/openapi.json")).body;
    const body = paths[`/api/${named(type)}`].post.requestBody.content["application/json"].schema;
    expect(body.properties.value).toEqual(value);
  });
});

test("a query string gives lists with commas or in brackets, and JSON", async () => {
  const ask = async (query: string) => (await parley.get(`/by_query?${query}`)).body;
  expect(await ask("ids=9007199254740993,2")).toBe('"{9007199254740993,2} null"\n');
  expect(await ask("ids=[9007199254740993,2]&day=2026-01-01")).toBe('"{9007199254740993,2} null 2026-01-01"\n');
  expect(await ask("ids=")).toBe('"{} null"\n');
  expect(JSON.parse(await ask(`filter=${encodeURIComponent('{"n":1e400}')}`))).toBe(`{} {"n": 1${"0".repeat(400)}}`);
  expect(JSON.parse(await ask("filter=a+word"))).toBe('{} "a word"');
  expect((await parley.get("/by_query?day=2026-13-01")).body.error.details.field).toBe("day");
  const { error } = await ask("ids=1,x");
  expect([error.code, error.details.field]).toEqual(["invalid_argument", "ids"]);
  const { parameters } = (await parley.get("/openapi.json")).body.paths["/api/by_query"].get;
  expect(parameters[0]).toMatchObject({ name: "ids", style: "form", explode: false });
});

test("a tool is called with all its digits by a client of the SDK as far as JavaScript has them", async () => {
  expect(await callTool(mcp, "echo_bigint", { value: "9223372036854775807" })).toMatchObject({
    text: '"9223372036854775807"',
  });
});
