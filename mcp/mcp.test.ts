import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Progress } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer, until } from "../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

async function connect(path = "/mcp", headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${parley.url}${path}`), { requestInit: { headers } }),
  );
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>, options = {}) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  const [content, ...rest] = result.content as { type: string; text: string }[];
  expect(rest).toEqual([]);
  expect(result.structuredContent).toBeUndefined();
  return { isError: result.isError === true, answer: JSON.parse(content?.text ?? "") };
}

describe("an MCP client", () => {
  test("finds the thirteen verbs as tools, with titles, hints and the loop in the instructions", async () => {
    const client = await connect("/api/mcp?toolset=core");
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(13);
    for (const tool of tools) {
      expect(tool.title).toMatch(/^[A-Z]/);
      expect(tool.description).not.toContain("@");
      expect(tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
    const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
    expect(byName.get_history?.annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true });
    expect(byName.post_message?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(byName.create_session?.inputSchema.properties).not.toHaveProperty("team_id");
    expect(client.getInstructions()?.slice(0, 700)).toContain("wait_for_messages");
    expect(Buffer.byteLength(client.getInstructions() ?? "")).toBeLessThanOrEqual(2_048);
    await expect(connect("/mcp?toolset=nothing")).rejects.toThrow("There is no such toolset.");
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

  test("may send its team_id as a header instead", async () => {
    const a = await parley.create();
    const client = await connect("/mcp", { "x-team-id": a.team_id });
    expect((await call(client, "get_session", { session_id: a.ref })).answer.session_id).toBe(a.session_id);
  });

  test("gets refusals as isError with the same JSON as REST", async () => {
    const client = await connect();
    const a = await parley.create();
    const stranger = await call(client, "post_message", { session_id: a.ref, content: "hi" });
    const byRest = await parley.post(`/sessions/${a.ref}/messages`, { content: "hi" });
    expect(stranger).toEqual({ isError: true, answer: byRest.body });
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
      { session_id: a.ref, team_id: a.team_id, timeout: 15 },
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
