import { readdirSync, readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
let mcp: Client;
beforeAll(async () => {
  parley = await startTestServer();
  mcp = new Client({ name: "test", version: "1" });
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${parley.url}/mcp?format=json`)));
});
afterAll(async () => {
  await mcp.close();
  await parley.stop();
});

const sql = (text: string) => connected(parley.database.url("parley_owner"), (client) => client.query(text));

const SHOUT = `
  create function parley.shout(session_id text, text text, times integer default 1)
  returns parley.posted_message language plpgsql volatile security definer set search_path = '' as $$
  declare v_caller parley.participants := (parley_private.lock_seat(session_id)).participant; v_message parley.messages;
  begin
    v_message := parley_private.append_message(v_caller.session_id, v_caller.id, 'chat',
      jsonb_build_object('text', repeat(upper(shout.text), times)));
    return row(v_message.id, v_message.sequence, v_message.posted_at, parley_private.unread(v_caller), null)::parley.posted_message;
  end $$;
  grant execute on function parley.shout to parley_caller;
  comment on function parley.shout is $$
@verb POST /sessions/{session_id}/shouts
@who team
@toolset loud
@param times How often.
Say it loudly.
$$;`;

test("a verb added by SQL alone is there without a restart by REST, MCP, OpenAPI, the guide and GraphQL; a new body works at once; a dropped verb goes", async () => {
  const a = await parley.create();
  expect((await parley.post(`/sessions/${a.ref}/shouts`, { text: "hi" }, a)).status).toBe(404);

  await sql(SHOUT);
  await until(
    async () => (await parley.post(`/sessions/${a.ref}/shouts`, { text: "hi" }, a)).status === 200,
    "the new route",
  );
  const { tools } = await mcp.listTools();
  expect(tools.find((tool) => tool.name === "shout")).toMatchObject({
    description: "Say it loudly.",
    inputSchema: {
      required: ["session_id", "text", "team_id"],
      properties: { times: { type: "integer", description: "How often." }, team_id: { type: "string" } },
    },
  });
  const called = await mcp.callTool({
    name: "shout",
    arguments: { session_id: a.ref, text: "by mcp", times: 2, team_id: a.team_id },
  });
  expect(JSON.parse((called.content as { text: string }[])[0]?.text ?? "")).toMatchObject({ cursor: 2 });
  expect((await parley.get("/openapi.json")).body.paths).toHaveProperty("/api/sessions/{session_id}/shouts");
  expect(await (await fetch(`${parley.url}/AGENTS.md`)).text()).toMatch(/^- POST .*; shout\(text, times\?\) shouts/m);
  await until(async () => {
    const query = { query: `mutation { shout(input: { sessionId: "${a.ref}", text: "graph" }) { __typename } }` };
    const response = await fetch(`${parley.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-team-id": a.team_id },
      body: JSON.stringify(query),
    });
    return response.status === 200;
  }, "the new GraphQL field");

  await sql(SHOUT.replace("create function", "create or replace function").replace("upper(", "lower("));
  await parley.post(`/sessions/${a.ref}/shouts`, { text: "QUIET" }, a);
  const { messages } = (await parley.get(`/sessions/${a.ref}/messages`, a)).body;
  expect(messages.map((m: { content: { text: string } }) => m.content.text)).toEqual([
    "HI",
    "BY MCPBY MCP",
    "GRAPH",
    "quiet",
  ]);

  await sql("drop function parley.shout");
  await until(
    async () => (await parley.post(`/sessions/${a.ref}/shouts`, { text: "hi" }, a)).status === 404,
    "the route to go",
  );
});

test("a verb without a grant is on no surface", async () => {
  await sql(`create function parley.secret() returns text language sql set search_path = '' as $$ select 'x' $$;
    comment on function parley.secret is $$
@verb GET /secret
@who open
@toolset loud
Not for you.
$$;
    create function parley.visible() returns text language sql set search_path = '' as $$ select 'x' $$;
    grant execute on function parley.visible to parley_caller;
    comment on function parley.visible is $$
@verb GET /visible
@who open
@toolset loud
For you.
$$;`);
  await until(async () => (await parley.get("/visible")).status === 200, "the visible verb");
  expect((await parley.get("/secret")).status).toBe(404);
  expect((await mcp.listTools()).tools.map((tool) => tool.name)).not.toContain("secret");
});

const RESOURCE = `
  create function parley.word_count(ref text) returns text language sql stable set search_path = '' as $$
    select array_length(regexp_split_to_array(title, ' '), 1) || ' words' from parley_private.find_session(word_count.ref)
  $$;
  grant execute on function parley.word_count to parley_caller;
  comment on function parley.word_count is $$
@resource parley://sessions/{ref}/words text/plain
@behavior -*
@name words
How long the title is.
$$;
  create function parley.moon() returns jsonb language sql stable set search_path = '' as $$ select '{"full": true}'::jsonb $$;
  comment on function parley.moon is $$
@resource parley://moon application/json
@behavior -*
Whether it is full.
$$;`;

test("a resource added by SQL alone is there without a restart, with completion; a new body works at once; without a grant it is not there", async () => {
  const a = await parley.create("A", "one two three");
  const uri = `parley://sessions/${a.ref}/words`;
  const read = async (address: string) => (await mcp.readResource({ uri: address })).contents[0];
  const listed = async () => (await mcp.listResources()).resources.map((resource) => resource.uri);
  await expect(read(uri)).rejects.toThrow(/-32602.*no resource/);

  const templates = async () => (await mcp.listResourceTemplates()).resourceTemplates;
  const before = (await templates()).length;
  await sql(RESOURCE);
  await until(async () => (await templates()).length === before + 1, "the new template");
  expect((await mcp.listResourceTemplates()).resourceTemplates.at(-1)).toEqual({
    uriTemplate: "parley://sessions/{ref}/words",
    name: "words",
    description: "How long the title is.",
    mimeType: "text/plain",
  });
  expect(await read(uri)).toEqual({ uri, mimeType: "text/plain", text: "3 words" });
  const { completion } = await mcp.complete({
    ref: { type: "ref/resource", uri: "parley://sessions/{ref}/words" },
    argument: { name: "ref", value: a.ref },
  });
  expect(completion.values).toEqual([a.ref]);

  await sql(RESOURCE.split(";", 1)[0]?.replace("create", "create or replace").replace("words'", "Wörter'") ?? "");
  expect(await read(uri)).toMatchObject({ text: "3 Wörter" });

  expect(await listed()).not.toContain("parley://moon");
  await sql("grant execute on function parley.moon to parley_caller");
  await until(async () => (await listed()).includes("parley://moon"), "the address without a variable");
  expect(await read("parley://moon")).toMatchObject({ mimeType: "application/json", text: '{"full":true}' });
});

test("no verb is named in api/ or mcp/", () => {
  const verbs = readdirSync("db/functions").map((file) => file.replace(".sql", ""));
  const sources = ["api", "mcp"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.startsWith("tests/") && !file.endsWith("instructions.ts"))
      .map((file) => `${folder}/${file}`),
  );
  expect(sources.length).toBeGreaterThan(15);
  const named = sources.flatMap((source) => {
    const text = readFileSync(source, "utf8");
    // A name that is a word like any other is one only in quotes.
    const name = (verb: string) => new RegExp(verb.includes("_") ? `\\b${verb}\\b` : `["'\`]${verb}["'\`]`);
    return verbs.filter((verb) => name(verb).test(text)).map((verb) => `${source} names ${verb}`);
  });
  expect(named).toEqual([]);
});
