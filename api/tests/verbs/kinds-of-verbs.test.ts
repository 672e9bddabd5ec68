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
  await connected(parley.database.url("parley_owner"), (client) => client.query(VERBS.map(verb).join("\n")));
  await until(async () => (await mcp.listTools()).tools.some((tool) => tool.name === "last_of_all"), "the verbs");
});
afterAll(async () => {
  await mcp.close();
  await parley.stop();
});

interface Made {
  name: string;
  takes?: string;
  returns: string;
  body: string;
  language?: string;
}

const VERBS: Made[] = [
  {
    name: "a_table",
    returns: "table (n integer, word text)",
    body: "select n, repeat('x', n) from generate_series(3, 1, -1) n",
  },
  { name: "a_single_column", returns: "table (n integer)", body: "select n from generate_series(1, 2) n" },
  { name: "an_empty_set", returns: "setof text", body: "select 'x' where false" },
  { name: "a_set_of_texts", returns: "setof text", body: "values ('b'), (null), ('a')" },
  { name: "a_set_of_lists", returns: "setof integer[]", body: "values (array[1, 2]), ('{}'), (array[3])" },
  {
    name: "a_set_of_rows",
    returns: "setof parley.acked_messages",
    body: "values (row(1, 2, 3)::parley.acked_messages)",
  },
  {
    name: "a_set_of_table_rows",
    returns: "setof parley.settings",
    body: "select s from parley.settings s where name = 'title_max'",
  },
  { name: "a_number", returns: "numeric", body: "select 12345678901234567890.10" },
  { name: "a_time", returns: "timestamptz", body: "select timestamptz '2026-01-02 03:04:05+00'" },
  { name: "nothing_found", returns: "integer", body: "select null::integer" },
  { name: "nothing", returns: "void", body: "select null" },
  { name: "some_json", returns: "jsonb", body: `select '{"n": 9007199254740993, "list": [1.10]}'::jsonb` },
  {
    name: "two_columns",
    takes: "n integer, out twice integer, out word text",
    returns: "record",
    body: "select n * 2, 'word'",
  },
  { name: "one_column", takes: "out sole integer", returns: "integer", body: "select 5" },
  { name: "in_and_out", takes: "inout n integer, out next integer", returns: "record", body: "select n, n + 1" },
  { name: "last_of_all", returns: "text", body: "select 'x'" },
];

const verb = ({ name, takes = "", returns, body, language = "sql" }: Made) => `
  create function parley.${name}(${takes}) returns ${returns} language ${language} stable set search_path = '' as $f$ ${body} $f$;
  grant execute on function parley.${name} to parley_caller;
  comment on function parley.${name} is E'@verb POST /${name}\\n@who open\\n@toolset kinds\\nFor a test.';`;

const byRest = async (name: string, args: object) => {
  const response = await fetch(`${parley.url}/api/${name}`, { method: "POST", body: JSON.stringify(args) });
  return { status: response.status, text: (await response.text()).trim() };
};

describe("a function that returns", () => {
  test.each<[string, string, Record<string, unknown>?]>([
    ["a_table", '[{"n":3,"word":"xxx"},{"n":2,"word":"xx"},{"n":1,"word":"x"}]'],
    ["a_single_column", '[{"n":1},{"n":2}]'],
    ["an_empty_set", "[]"],
    ["a_set_of_texts", '["b",null,"a"]'],
    ["a_set_of_lists", "[[1,2],[],[3]]"],
    ["a_set_of_rows", '[{"acked_cursor":1,"cursor":2,"unread":3}]'],
    ["a_number", "12345678901234567890.10"],
    ["a_time", '"2026-01-02T03:04:05+00:00"'],
    ["nothing_found", "null"],
    ["nothing", "null"],
    ["some_json", '{"n": 9007199254740993, "list": [1.10]}'],
    ["two_columns", '{"twice":8,"word":"word"}', { n: 4 }],
    ["one_column", '{"sole":5}'],
    ["in_and_out", '{"n":4,"next":5}', { n: 4 }],
  ])("%s is a verb by REST and by MCP", async (name, expected, args = {}) => {
    expect(await byRest(name, args)).toEqual({ status: 200, text: expected });
    expect(await callTool(mcp, name, args)).toEqual({ isError: false, text: expected });
  });

  test("rows of a table is one", async () => {
    const [row] = JSON.parse((await byRest("a_set_of_table_rows", {})).text);
    expect(row).toMatchObject({ name: "title_max" });
  });

  test("anything is in tools/list, OpenAPI and the guide", async () => {
    const tools = (await mcp.listTools()).tools.map((tool) => tool.name);
    const { paths } = (await parley.get("/openapi.json")).body;
    const guide = await (await fetch(`${parley.url}/AGENTS.md`)).text();
    for (const { name } of VERBS) {
      expect(tools).toContain(name);
      expect(paths).toHaveProperty([`/api/${name}`]);
      expect(guide).toMatch(new RegExp(`[ ;-] ${name}(\\(.*?\\))? `));
    }
  });

  test("a set, a row, a scalar or nothing says so in OpenAPI", async () => {
    const { paths, components } = (await parley.get("/openapi.json")).body;
    const answer = (name: string) => paths[`/api/${name}`].post.responses[200].content["application/json"].schema;
    expect(answer("a_table")).toEqual({ type: "array", items: { $ref: "#/components/schemas/a_table_row" } });
    expect(Object.keys(components.schemas.a_table_row.properties)).toEqual(["n", "word"]);
    expect(answer("a_set_of_rows")).toEqual({ type: "array", items: { $ref: "#/components/schemas/acked_messages" } });
    expect(answer("two_columns")).toEqual({ $ref: "#/components/schemas/two_columns_row" });
    expect(answer("a_time")).toEqual({ anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] });
    expect(answer("nothing")).toEqual({ type: "null" });
    expect(answer("some_json")).toEqual({});
  });

  test("anything leaves GraphQL whole", async () => {
    const ask = async (query: string) =>
      (
        await fetch(`${parley.url}/graphql`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ query }),
        })
      ).json();
    await until(async () => JSON.stringify(await ask("{ lastOfAll }")).includes('"x"'), "the new fields");
    expect(
      await ask("{ sessions { totalCount } aTable { nodes { n word } } aTime twoColumns(n: 4) { twice word } }"),
    ).toEqual({
      data: {
        sessions: { totalCount: 0 },
        aTable: { nodes: [3, 2, 1].map((n) => ({ n, word: "x".repeat(n) })) },
        aTime: expect.stringContaining("2026-01-02T03:04:05"),
        twoColumns: { twice: 8, word: "word" },
      },
    });
  });
});
