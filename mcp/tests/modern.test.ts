import type { Client, Progress } from "@modelcontextprotocol/client";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connected } from "../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../testing/server.ts";
import * as old from "./client.ts";
import { connectModern } from "./client.ts";

let parley: TestServer;
const clients: Client[] = [];
beforeAll(async () => {
  parley = await startTestServer();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(() => parley.stop());

async function connect(path?: string, headers?: Record<string, string>) {
  const client = await connectModern(parley, path, headers);
  clients.push(client);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>, options = {}) {
  const { content, isError } = await client.callTool({ name, arguments: { ...args, format: "json" } }, options);
  return { isError: isError === true, answer: JSON.parse((content[0] as { text: string }).text) };
}

const listening = async (team: Team) =>
  (await parley.get(`/sessions/${team.ref}/participants`, team)).body.participants[0].listening;

test("a client of today discovers the server and agrees on 2026-07-28", async () => {
  const client = await connect();
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  expect(client.getServerCapabilities()).toEqual({
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: {},
    completions: {},
  });
  expect(client.getServerVersion()).toMatchObject({ name: "parley", title: "Parley", websiteUrl: parley.url });
});

test("both eras see the same instructions, tools, resources, prompts and completions", async () => {
  const alex = await parley.create();
  const [modern, legacy] = [await connect(), await old.connect(parley)];
  expect(modern.getInstructions()).toBe(legacy.getInstructions());
  const seen = async (client: Client) => ({
    tools: (await client.listTools()).tools,
    templates: (await client.listResourceTemplates()).resourceTemplates,
    resources: (await client.listResources()).resources,
    feed: (await client.readResource({ uri: `parley://sessions/${alex.ref}/feed` })).contents,
    prompts: (await client.listPrompts()).prompts,
    prompt: (await client.getPrompt({ name: "join", arguments: { ref: alex.ref, team_name: "Blue" } })).messages,
    refs: (
      await client.complete({
        ref: { type: "ref/resource", uri: "parley://sessions/{ref}" },
        argument: { name: "ref", value: alex.ref },
      })
    ).completion,
  });
  expect(await seen(modern)).toEqual(await seen(legacy as unknown as Client));
  await legacy.close();
});

test("a toolset is chosen by the link, and an unknown one is refused", async () => {
  expect((await (await connect("/api/mcp?toolset=core")).listTools()).tools).toHaveLength(13);
  await expect(connect("/mcp?toolset=nothing")).rejects.toThrow(/no such toolset/);
});

test("lists may be kept for a while, what a session holds may not", async () => {
  const alex = await parley.create();
  const client = await connect();
  expect(await client.listTools()).toMatchObject({ ttlMs: 60_000, cacheScope: "private" });
  expect(await client.listPrompts()).toMatchObject({ ttlMs: 300_000, cacheScope: "public" });
  expect(await client.listResources()).toMatchObject({ ttlMs: 0 });
  expect(await client.readResource({ uri: `parley://sessions/${alex.ref}/feed` })).toMatchObject({ ttlMs: 0 });
});

test("two teams talk, and a wait is woken by a post", async () => {
  const [alexSide, blueSide] = [await connect(), await connect()];
  const { answer: alex } = await call(alexSide, "create_session", {
    title: "T",
    description: "",
    creator_team_name: "A",
  });
  const { answer: blue } = await call(blueSide, "join_session", { session_id: alex.ref, team_name: "Blue" });
  const news = call(blueSide, "wait_for_messages", { session_id: alex.ref, team_id: blue.team_id });
  await until(
    async () => (await parley.get(`/sessions/${alex.ref}/participants`, alex)).body.participants[1].listening,
    "Blue to listen",
  );
  await call(alexSide, "post_message", { session_id: alex.ref, team_id: alex.team_id, content: "hi" });
  expect((await news).answer).toMatchObject({ messages: [{ content: { text: "hi" } }], next_cursor: 2 });
});

test("refusals are isError with the JSON of REST, and a header may tell the team", async () => {
  const alex = await parley.create();
  const stranger = await call(await connect(), "post_message", {
    session_id: alex.ref,
    content: "hi",
    team_id: "pt_x",
  });
  const byRest = await parley.post(`/sessions/${alex.ref}/messages`, { content: "hi" }, "pt_x");
  expect(stranger).toEqual({ isError: true, answer: byRest.body });
  const known = await connect("/mcp", { "x-team-id": alex.team_id });
  expect((await call(known, "get_session", { session_id: alex.ref })).answer.session_id).toBe(alex.session_id);
});

test("whoever asked for progress hears it while the call waits", { timeout: 20_000 }, async () => {
  const alex = await parley.create();
  const blue = await parley.join(alex);
  const heard: Progress[] = [];
  const waiting = call(
    await connect(),
    "wait_for_messages",
    { session_id: alex.ref, team_id: alex.team_id, since_cursor: 1, timeout: 15 },
    { onprogress: (progress: Progress) => heard.push(progress) },
  );
  await until(() => heard.length > 0, "progress", 15_000);
  await parley.say(blue, "hi");
  expect((await waiting).answer.messages).toHaveLength(1);
  expect(heard[0]).toMatchObject({ progress: 10 });
});

test("a client that gives a wait up leaves no waiting call and no lease", async () => {
  const alex = await parley.create();
  const over = new AbortController();
  const args = { session_id: alex.ref, team_id: alex.team_id };
  const waiting = call(await connect(), "wait_for_messages", args, { signal: over.signal });
  waiting.catch(() => undefined);
  await until(() => listening(alex), "the team to listen");
  over.abort();
  await expect(waiting).rejects.toThrow();
  await until(async () => !(await listening(alex)), "the lease to end");
  expect(await (await fetch(`${parley.url}/metrics`)).text()).toContain("parley_waiting_calls 0");
});

test("a resource that is not there is a wrong parameter that names its address", async () => {
  const uri = "parley://sessions/no-such-1/doc";
  const error = await (await connect()).readResource({ uri }).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: -32602, data: { uri, code: "session_not_found" } });
});

test("a verb that SQL adds is a tool for both eras", async () => {
  await connected(parley.database.url("parley_owner"), (db) =>
    db.query(`create function parley.ping_me() returns text language sql stable set search_path = '' as $$ select 'pong' $$;
      grant execute on function parley.ping_me to parley_caller;
      comment on function parley.ping_me is '@verb GET /ping_me
@who open
Answers.'`),
  );
  const [modern, legacy] = [await connect(), await old.connect(parley)];
  await until(async () => (await parley.get("/ping_me")).status === 200, "the verb");
  expect((await call(modern, "ping_me", {})).answer).toBe("pong");
  expect((await old.callTool(legacy, "ping_me", { format: "json" })).text).toBe('"pong"');
  await legacy.close();
});
