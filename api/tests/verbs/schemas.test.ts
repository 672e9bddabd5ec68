import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callTool, connect } from "../../../mcp/tests/client.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

type Schema = Record<string, unknown>;
interface Tool {
  name: string;
  description: string;
  inputSchema: Schema;
}

let parley: TestServer;
let mcp: Client;
let tools: Tool[];
// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
let openapi: any;
beforeAll(async () => {
  parley = await startTestServer();
  mcp = await connect(parley, "/mcp?format=json");
  await connected(parley.database.url("parley_owner"), (client) =>
    client.query(`
      create function parley.takes_any(anything jsonb, days date[], n bigint default 0) returns jsonb
      language sql stable set search_path = '' as 'select anything';
      grant execute on function parley.takes_any to parley_caller;
      comment on function parley.takes_any is E'@verb POST /takes_any\\n@who open\\n@toolset kinds\\nFor a test.';`),
  );
  await until(async () => (await list()).some(({ name }) => name === "takes_any"), "the verb");
  tools = await list();
  openapi = (await parley.get("/openapi.json")).body;
});
afterAll(async () => {
  await mcp.close();
  await parley.stop();
});

async function list(headers = {}): Promise<Tool[]> {
  const client = await connect(parley, "/mcp?format=json", headers);
  const { tools } = await client.listTools();
  await client.close();
  return tools as Tool[];
}

const KEYWORDS = new Set(["type", "properties", "required", "items", "anyOf", "enum", "pattern", "format"]);

/** What OpenAI, Gemini and Copilot refuse, each with the place where it stands. */
function faults(schema: Schema, place: string, allowed: { ref: boolean; open: boolean }): string[] {
  const { type, items, properties, anyOf, $ref } = schema as Record<string, never>;
  const found: string[] = [];
  const say = (fault: string) => found.push(`${place}: ${fault}`);
  if (Array.isArray(type)) say("a list of types");
  if (type === "array" && !items) say("a list without items");
  if (!allowed.ref && $ref) say("a reference");
  if (!allowed.open) {
    if (!type && !anyOf) say("neither type nor anyOf");
    if (type === "object" && !properties) say("an object without properties");
    for (const word of Object.keys(schema)) if (!KEYWORDS.has(word) && word !== "description") say(`has ${word}`);
  }
  const inner: [string, Schema][] = [
    ...Object.entries((properties ?? {}) as Record<string, Schema>),
    ...((anyOf ?? []) as Schema[]).map((one, i): [string, Schema] => [`anyOf ${i}`, one]),
    ...(items ? [["items", items] as [string, Schema]] : []),
  ];
  return [...found, ...inner.flatMap(([name, one]) => faults(one, `${place}.${name}`, allowed))];
}

describe("no client refuses", () => {
  test("the schema of a tool, with or without the header", async () => {
    const withHeader = await list({ "x-team-id": (await parley.create()).team_id });
    for (const listed of [tools, withHeader]) {
      expect(listed.length).toBeGreaterThanOrEqual(23);
      expect(listed.flatMap((tool) => faults(tool.inputSchema, tool.name, { ref: false, open: false }))).toEqual([]);
      for (const { inputSchema } of listed) expect(inputSchema.type).toBe("object");
    }
  });

  test("a schema of OpenAPI", () => {
    const schemas: [string, Schema][] = Object.entries(openapi.components.schemas);
    for (const [path, operations] of Object.entries<Record<string, Schema>>(openapi.paths)) {
      // biome-ignore lint/suspicious/noExplicitAny: as above
      for (const { parameters, requestBody, responses } of Object.values<any>(operations)) {
        for (const { name, schema } of parameters) schemas.push([`${path} ${name}`, schema]);
        if (requestBody) schemas.push([path, requestBody.content["application/json"].schema]);
        schemas.push([`${path} answer`, responses[200].content["application/json"].schema]);
      }
    }
    expect(schemas.length).toBeGreaterThan(100);
    expect(schemas.flatMap(([place, schema]) => faults(schema, place, { ref: true, open: true }))).toEqual([]);
  });
});

test("schemas say what is taken", () => {
  const args = (name: string) =>
    tools.find((tool) => tool.name === name)?.inputSchema.properties as Record<string, Schema>;
  const types = (schema: Schema | undefined) => (schema?.anyOf as Schema[] | undefined)?.map(({ type }) => type);
  const { content, metadata, reply_to } = args("post_message");
  expect(types(content)).toEqual(["string", "object"]);
  expect(metadata?.type).toBe("object");
  expect(types(reply_to)).toEqual(["string", "integer"]);
  expect(args("sync").outbox).toMatchObject({
    type: "array",
    items: { anyOf: [{ type: "string" }, { type: "object" }] },
  });
  for (const { name, inputSchema } of tools) {
    const { team_id } = inputSchema.properties as Record<string, Schema>;
    if (!team_id) continue;
    expect(inputSchema.required, name).toContain("team_id");
  }
  // Said where it is given out, and in the instructions: a word in every tool is paid for by every client.
  for (const door of ["create_session", "join_session"])
    expect(tools.find(({ name }) => name === door)?.description).toMatch(/Keep the team_id, your secret/);
});

const validator = new AjvJsonSchemaValidator();
const valid = (schema: Schema, value: unknown) => validator.getValidator(schema as never)(value);

/** Calls that succeed, in an order in which they do. */
const CALLS: [string, Record<string, unknown>][] = [
  ["join_session", { team_name: "Blue", replay_from: 0 }],
  ["post_message", { content: "hello" }],
  ["post_message", { content: { text: "hello" }, type: "chat", kind: "question", to: ["blue"], expects_reply: true }],
  ["post_message", { content: "with data", metadata: { ticket: 42, deep: [{ a: null }] }, client_message_id: "k" }],
  ["post_message", { content: "a reply", reply_to: 2, expected_cursor: 4 }],
  [
    "sync",
    { outbox: ["one", { content: { text: "two" }, reply_to: "2", metadata: { a: 1 } }], max_items: 5, timeout: 0.5 },
  ],
  ["sync", {}],
  ["wait_for_messages", { since_cursor: 0, timeout: 0, full: true }],
  ["wait_for_reply", { message_id: 2, timeout: 0 }],
  ["get_message", { message_id: 4 }],
  ["get_history", { before_cursor: 3, limit: 2 }],
  ["list_participants", {}],
  ["get_session", {}],
  ["whoami", {}],
  ["search", { query: "hello" }],
  ["get_digest", { since_cursor: 1 }],
  ["ack_messages", { through_cursor: 1 }],
  ["append_to_session_doc", { text: "a", section: "Decisions", idempotency_key: "k" }],
  ["update_session_doc", { content: "b", expected_version: 1 }],
  ["read_session_doc", { version: 1 }],
  ["update_session_metadata", { title: "T", reason: "R" }],
  ["takes_any", { anything: [1, { a: "b" }], days: ["2026-01-01"], n: "9007199254740993" }],
  ["takes_any", { anything: "x", days: [] }],
  ["conclude_session", { summary_section: "s" }],
  ["leave_session", {}],
];
const OPEN: typeof CALLS = [
  ["create_session", { title: "T", description: "", creator_team_name: "A" }],
  ["list_sessions", { status: "active", text: "T", limit: 3 }],
];

describe("a call that succeeds", () => {
  let team: Team;
  const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema as Schema;
  const answerOf = (name: string) => {
    const operations = Object.values<Record<string, Schema>>(openapi.paths).flatMap((path) => Object.values(path));
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const found = operations.find(({ operationId }) => operationId === name) as any;
    return { ...found.responses[200].content["application/json"].schema, components: openapi.components };
  };
  beforeAll(async () => {
    team = await parley.create();
  });

  test.each([...OPEN, ...CALLS])("of %s %j is valid by its schema, and so is the answer", async (name, args) => {
    const asTeam = name !== "join_session" && !OPEN.some(([open]) => open === name);
    const given = {
      ...(!OPEN.some(([open]) => open === name) && name !== "takes_any" && { session_id: team.ref }),
      ...(asTeam && { team_id: team.team_id }),
      ...args,
    };
    expect(valid(schemaOf(name), given)).toMatchObject({ valid: true });
    const { isError, text } = await callTool(mcp, name, given);
    expect([isError, text]).toEqual([false, expect.any(String)]);
    expect(valid(answerOf(name), JSON.parse(text))).toMatchObject({ valid: true });
  });

  test.each([
    ["post_message", { content: 5 }],
    ["post_message", { content: {} }],
    ["post_message", { content: ["a"] }],
    ["post_message", { content: "x", metadata: "x" }],
    ["post_message", { content: "x", to: "blue" }],
    ["sync", { outbox: "x" }],
    ["sync", { outbox: [5] }],
    ["sync", { outbox: [{ kind: "answer" }] }],
  ])("is not %s %j, by its schema as by the server", async (name, args) => {
    const { ref, team_id } = await parley.create();
    const given = { session_id: ref, team_id, ...args };
    expect(valid(schemaOf(name), given).valid).toBe(false);
    expect((await callTool(mcp, name, given)).isError).toBe(true);
  });
});
