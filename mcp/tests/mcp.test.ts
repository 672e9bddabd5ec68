import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Progress } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer, until } from "../../testing/server.ts";
import { callTool, connect as connectTo } from "./client.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const connect = (path?: string, headers?: Record<string, string>) => connectTo(parley, path, headers);

async function call(client: Client, name: string, args: Record<string, unknown>, options = {}) {
  const { isError, text } = await callTool(client, name, { ...args, format: "json" }, options);
  return { isError, answer: JSON.parse(text) };
}

describe("an MCP client", () => {
  test("finds the thirteen verbs as tools, with hints and nothing that goes without saying", async () => {
    const { tools } = await (await connect("/api/mcp?toolset=core")).listTools();
    expect(tools).toHaveLength(13);
    for (const tool of tools) {
      expect(Object.keys(tool).sort()).toEqual(["annotations", "description", "inputSchema", "name"]);
      expect(tool.description).toMatch(/^[A-Z][^@]+\.$/);
      expect(Object.keys(tool.inputSchema).filter((key) => key !== "required")).toEqual(["type", "properties"]);
    }
    const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
    expect(byName.get_history?.annotations).toEqual({ readOnlyHint: true });
    expect(byName.post_message?.annotations).toEqual({ destructiveHint: false });
    expect(byName.post_message?.inputSchema.required).toEqual(["session_id", "content", "team_id"]);
    expect(byName.post_message?.inputSchema.properties?.team_id).toEqual({ type: "string" });
    expect(byName.create_session?.inputSchema.properties).not.toHaveProperty("team_id");
  });

  test("is told that there are tools, resources, prompts and completions, and no subscriptions", async () => {
    const client = await connect();
    expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {}, prompts: {}, completions: {} });
    await expect(client.subscribeResource({ uri: "parley://sessions/x" })).rejects.toThrow();
  });

  test("reads the loop first in the instructions, and where to look without a ref", async () => {
    const client = await connect();
    const text = client.getInstructions() ?? "";
    const loop = text.slice(0, 600);
    for (const part of ["wait_for_messages", "next_cursor", "closed yes", "idle yes"]) expect(loop).toContain(part);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
    for (const part of ["expects_reply", "team_id", `${parley.url}/AGENTS.md`]) expect(text).toContain(part);
    expect(text).toMatch(/list_sessions first/);
  });

  test.each(["/mcp", "/mcp?toolset=core", "/mcp?toolset=core,reading"])(
    "at %s reads instructions that name tools that are listed, and no other",
    async (path) => {
      const everything = (await (await connect()).listTools()).tools.map(({ name }) => name);
      const client = await connect(path);
      const text = client.getInstructions() ?? "";
      const listed = (await client.listTools()).tools.map(({ name }) => name);
      const named = everything.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
      expect(named.length).toBeGreaterThan(5);
      expect(listed).toEqual(expect.arrayContaining(named));
      for (const part of ["wait_for_messages", "next_cursor", "closed yes", "idle yes"])
        expect(text.slice(0, 600)).toContain(part);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
    },
  );

  test("is refused an argument that the tool does not have", async () => {
    const a = await parley.create();
    const { isError, answer } = await call(await connect(), "get_session", {
      session_id: a.ref,
      team_id: a.team_id,
      colour: "blue",
    });
    expect([isError, answer.error.code, answer.error.details.field]).toEqual([true, "invalid_argument", "colour"]);
  });

  test("chooses what is listed by toolsets, with commas or repeated", async () => {
    const names = async (query: string) => {
      const { tools } = await (await connect(`/mcp${query}`)).listTools();
      return tools.map((tool) => tool.name).sort();
    };
    const [all, core, sessions] = await Promise.all([names(""), names("?toolset=core"), names("?toolset=sessions")]);
    expect(sessions).toEqual(expect.arrayContaining(["list_sessions", "resume_session", "spawn_session"]));
    const both = [...core, ...sessions].sort();
    expect(await names("?toolset=core,sessions")).toEqual(both);
    expect(await names("?toolset=sessions&toolset=core")).toEqual(both);
    expect(await names("?toolset=core,reading,sessions,doc,team,tasks,agents")).toEqual(
      all.filter((name) => name !== "ask_people"),
    );
    // What is for people is listed when asked for; what is for whoever runs the server, too.
    expect(await names("?toolset=people")).toEqual(["accept_invite", "answer_ask", "ask_people", "list_inbox"]);
    expect(all).not.toContain("create_key");
    expect(all.length).toBeGreaterThan(both.length);
    await expect(connect("/mcp?toolset=core,nothing")).rejects.toThrow(
      /no such toolset.*core, doc, sessions, reading, team/,
    );
    await expect(connect("/mcp?toolset=")).rejects.toThrow(/no such toolset/);
  });

  test("may call a tool that its toolset does not list", async () => {
    const a = await parley.create();
    const client = await connect("/mcp?toolset=core");
    expect((await client.listTools()).tools.map((tool) => tool.name)).not.toContain("whoami");
    expect((await call(client, "whoami", { team_id: a.team_id })).answer.ref).toBe(a.ref);
  });

  test("holds a conversation from creation to conclusion", async () => {
    const [alex, blue] = await Promise.all([connect(), connect()]);
    const a = (await call(alex, "create_session", { title: "T", description: "", creator_team_name: "Alex" })).answer;
    const b = (await call(blue, "join_session", { session_id: a.ref, team_name: "Blue" })).answer;
    const waiting = call(blue, "wait_for_messages", { session_id: a.ref, team_id: b.team_id, since_cursor: b.cursor });
    await until(
      async () => (await parley.get(`/sessions/${a.ref}/participants`, a)).body.participants[1].listening,
      "Blue to listen",
    );
    const posted = await call(alex, "post_message", { session_id: a.ref, team_id: a.team_id, content: { text: "hi" } });
    expect(posted.answer.cursor).toBe(2);
    expect((await waiting).answer).toMatchObject({
      messages: [{ content: { text: "hi" }, mine: false }],
      next_cursor: 2,
    });
    await call(blue, "append_to_session_doc", { session_id: a.ref, team_id: b.team_id, text: "note" });
    await call(alex, "conclude_session", { session_id: a.ref, team_id: a.team_id, summary_section: "done" });
    const end = await call(blue, "wait_for_messages", { session_id: a.ref, team_id: b.team_id, since_cursor: 2 });
    expect(end.answer.session_closed).toBe(true);
  });

  test("may send its team_id as a header instead, and then finds no tool that asks for it", async () => {
    const a = await parley.create();
    const client = await connect("/mcp", { "x-team-id": a.team_id });
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThanOrEqual(22);
    expect(JSON.stringify(tools.map((tool) => tool.inputSchema))).not.toContain('"team_id"');
    expect((await call(client, "get_session", { session_id: a.ref })).answer.session_id).toBe(a.session_id);
  });

  test("gets refusals as isError with the same JSON as REST", async () => {
    const client = await connect();
    const a = await parley.create();
    const stranger = await call(client, "post_message", { session_id: a.ref, content: "hi" });
    const byRest = await parley.post(`/sessions/${a.ref}/messages`, { content: "hi" });
    expect(stranger).toEqual({ isError: true, answer: byRest.body });
    expect(stranger.answer.error).toMatchObject({ code: "unauthorized", details: { hint: expect.any(String) } });
    expect(
      (await call(client, "post_message", { session_id: a.ref, content: "", team_id: a.team_id })).answer.error,
    ).toMatchObject({
      code: "invalid_argument",
      details: { field: "content" },
    });
    expect((await call(client, "post_message", { team_id: a.team_id })).answer.error.details.field).toBe("session_id");
    expect((await call(client, "get_session", { session_id: a.ref, team_id: 7 })).answer.error.details.field).toBe(
      "team_id",
    );
    expect((await call(client, "nonsense", {})).answer.error.code).toBe("not_found");
  });

  test("that goes away while it waits leaves no waiting call and no lease", async () => {
    const a = await parley.create();
    const client = await connect();
    const waiting = call(client, "wait_for_messages", { session_id: a.ref, team_id: a.team_id });
    waiting.catch(() => undefined);
    await until(() => listening(a), "the team to listen");
    await client.close();
    await expect(waiting).rejects.toThrow();
    await until(async () => !(await listening(a)), "the lease to end");
    expect(await (await fetch(`${parley.url}/metrics`)).text()).toContain("parley_waiting_calls 0");
  });

  test("that asked for progress hears it while it waits", { timeout: 20_000 }, async () => {
    const a = await parley.create();
    const client = await connect();
    const heard: Progress[] = [];
    const waiting = call(
      client,
      "wait_for_messages",
      { session_id: a.ref, team_id: a.team_id, timeout: 15, include_self: true },
      { onprogress: (p: Progress) => heard.push(p) },
    );
    await until(() => heard.length > 0, "progress", 15_000);
    await parley.say(a, "hi");
    expect((await waiting).answer.messages).toHaveLength(1);
    expect(heard[0]).toMatchObject({ progress: 10 });
  });

  const listening = async (team: Team) =>
    (await parley.get(`/sessions/${team.ref}/participants`, team)).body.participants[0].listening;
});

describe("plain HTTP at /mcp", () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${parley.url}/mcp`, { method: "POST", body, headers });

  test("curl may leave out Accept and Content-Type", async () => {
    const response = await post('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {
      "content-type": "application/x-www-form-urlencoded",
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("application/json");
    const { result } = (await response.json()) as { result: { tools: unknown[] } };
    expect(result.tools.length).toBeGreaterThanOrEqual(13);
  });

  test("a call that does not say which tool is refused as such", async () => {
    for (const params of [{}, { name: 7 }, { name: "get_session", arguments: "all" }]) {
      const response = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
      const { error } = (await response.json()) as { error: { code: number; message: string } };
      expect([error.code, error.message]).toEqual([-32602, expect.stringMatching(/^params\.(name|arguments) is not/)]);
    }
  });

  test("GET and DELETE are 405, since there is no MCP session", async () => {
    for (const method of ["GET", "DELETE"]) expect((await fetch(`${parley.url}/mcp`, { method })).status).toBe(405);
  });

  test("notifications are taken with 202, and what is not JSON-RPC is 400", async () => {
    expect((await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')).status).toBe(202);
    expect((await post('{"hello": 1}')).status).toBe(400);
    expect((await post("nonsense")).status).toBe(400);
    expect((await post("")).status).toBe(400);
  });
});
