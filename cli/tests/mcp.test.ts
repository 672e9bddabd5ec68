import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type CallToolResult, McpError, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { metric } from "../../testing/faults.ts";
import { startTestServer, type TestServer, until } from "../../testing/server.ts";
import { createMachine, LAUNCHER, type Machine } from "./machine.ts";
import { deadUrl, startHttpProxy } from "./proxy.ts";

let parley: TestServer;
let machine: Machine;
const clients: Client[] = [];
beforeAll(async () => {
  parley = await startTestServer();
  machine = createMachine();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  await parley.stop();
  machine.remove();
});

async function connect(url = `${parley.url}/mcp`, ...args: string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [LAUNCHER, "mcp", "--url", url, ...args],
    cwd: machine.folder,
    env: machine.environment,
    stderr: "ignore",
  });
  clients.push(client);
  await client.connect(transport);
  return client;
}

async function overHttp(): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  clients.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${parley.url}/mcp`)) as never);
  return client;
}

async function callTool(client: Client, name: string, args: Record<string, unknown>, options = {}) {
  const result = (await client.callTool(
    { name, arguments: { ...args, format: "json" } },
    undefined,
    options,
  )) as CallToolResult;
  const [content] = result.content;
  return { isError: result.isError ?? false, answer: JSON.parse(content?.type === "text" ? content.text : "null") };
}
const waiting = (count: number) =>
  until(async () => (await metric(parley.url, "parley_waiting_calls")) === count, `${count} waiting calls`);

test("with a channel, what is said to the team of this folder is pushed, once, to a client that is told so", async () => {
  const alex = await parley.create();
  const place = createMachine({ MCP_URL: `${parley.url}/mcp` });
  onTestFinished(place.remove);
  await place.run(["join", alex.ref, "--as", "Team Blue"]);
  const client = new Client({ name: "test", version: "1" });
  clients.push(client);
  const events: unknown[] = [];
  client.fallbackNotificationHandler = async ({ method, params }) => void events.push({ method, params });
  const { folder: cwd, environment: env } = place;
  const args = [LAUNCHER, "mcp", "--channel"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: "ignore" }));
  expect(client.getServerCapabilities()?.experimental).toEqual({ "claude/channel": {} });
  for (const [text, cursor] of [
    ["Who takes refunds?", 2],
    ["And dunning?", 3],
  ] as const) {
    await parley.post(`/sessions/${alex.ref}/messages`, { content: text, kind: "question" }, alex);
    const event = {
      content: expect.stringMatching(
        `not orders of your human\\.\n#${cursor} alexs-team question: ${text.replace("?", "\\?")}$`,
      ),
      meta: { ref: alex.ref, handle: "team-blue", cursor: String(cursor) },
    };
    await until(() => events.length === cursor - 1, "the event");
    expect(events.at(-1)).toEqual({ method: "notifications/claude/channel", params: event });
  }
});

test("a client on the bridge sees the server as a client over HTTP does", async () => {
  const [bridged, direct] = [await connect(), await overHttp()];
  expect(bridged.getServerVersion()).toEqual(direct.getServerVersion());
  expect(bridged.getInstructions()).toBe(direct.getInstructions());
  expect(bridged.getServerCapabilities()).toEqual(direct.getServerCapabilities());
  expect(await bridged.listTools()).toEqual(await direct.listTools());
  const core = await connect(undefined, "--toolset", "core");
  expect((await core.listTools()).tools).toHaveLength(13);
});

test("two teams talk over bridges, and a wait is woken through one", async () => {
  const [alexSide, blueSide] = [await connect(), await connect()];
  const { answer: alex } = await callTool(alexSide, "create_session", {
    title: "Port billing",
    description: "",
    creator_team_name: "Alex's Team",
  });
  const { answer: blue } = await callTool(blueSide, "join_session", { session_id: alex.ref, team_name: "Team Blue" });
  const news = callTool(blueSide, "wait_for_messages", { session_id: alex.ref, team_id: blue.team_id });
  await waiting(1);
  await callTool(alexSide, "post_message", {
    session_id: alex.ref,
    team_id: alex.team_id,
    content: "You take refunds?",
  });
  expect((await news).answer.messages).toMatchObject([
    { handle: "alexs-team", content: { text: "You take refunds?" } },
  ]);
});

test("progress comes through while a call waits", async () => {
  const client = await connect();
  const alex = await parley.create();
  const heard: Progress[] = [];
  const { answer } = await callTool(
    client,
    "wait_for_messages",
    { session_id: alex.ref, team_id: alex.team_id, timeout: 11 },
    { onprogress: (progress: Progress) => heard.push(progress) },
  );
  expect(answer.messages).toEqual([]);
  expect(heard).toMatchObject([{ progress: 10 }]);
});

test("what the server refuses comes through: a tool's error, an unknown method, an unknown toolset", async () => {
  const client = await connect();
  const refused = await callTool(client, "get_session", { session_id: "calm-otter-17", team_id: "pt_x" });
  expect([refused.isError, refused.answer.error.code]).toEqual([true, "session_not_found"]);
  const unknown = client.request({ method: "nonsense/method" } as never, {} as never);
  await expect(unknown).rejects.toMatchObject({ code: -32601 });
  await expect(connect(undefined, "--toolset", "nonsense")).rejects.toThrow(/no such toolset.*core/);
});

test("a server that is away is an error for each request, not the end of the bridge", async () => {
  const mine = await startTestServer();
  const port = Number(new URL(mine.url).port);
  const client = await connect(`${mine.url}/mcp`);
  await mine.server.stop();
  for (const _ of [1, 2]) {
    const error = await client.listTools().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(McpError);
    expect(error.message).toContain(`${mine.url} gave no answer (ECONNREFUSED)`);
  }
  const again = await startTestServer({ database: mine.database, port });
  expect((await client.listTools()).tools.length).toBeGreaterThan(13);
  await again.stop();
  await mine.database.drop();
  await expect(connect(`${await deadUrl()}/mcp`)).rejects.toThrow(/gave no answer/);
});

test("a wait whose connection is cut gets an error, and the next one works", async () => {
  const proxy = await startHttpProxy(parley.url);
  const client = await connect(`${proxy.url}/mcp`);
  const alex = await parley.create();
  const args = { session_id: alex.ref, team_id: alex.team_id };
  const cut = callTool(client, "wait_for_messages", args).catch((error) => error);
  await waiting(1);
  proxy.cutAll();
  expect(await cut).toMatchObject({ code: -32000, message: expect.stringContaining("gave no answer") });
  const { answer } = await callTool(client, "wait_for_messages", { ...args, timeout: 0 });
  expect(answer.messages).toEqual([]);
  proxy.close();
});

test("a call that the client gives up ends on the server too", async () => {
  const client = await connect();
  const alex = await parley.create();
  const over = new AbortController();
  const args = { session_id: alex.ref, team_id: alex.team_id };
  const given = callTool(client, "wait_for_messages", args, { signal: over.signal }).catch(() => "given up");
  await waiting(1);
  over.abort();
  expect(await given).toBe("given up");
  await waiting(0);
  expect((await client.listTools()).tools.length).toBeGreaterThan(13);
});

test("it ends with its stdin, after the answers that were on their way, and says nothing but protocol", async () => {
  const lines = [
    {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "shell", version: "1" } },
    },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: "two", method: "tools/list" },
  ];
  const input = lines.map((message) => `${JSON.stringify(message)}\n`).join("");
  const { code, stdout } = await machine.run(["mcp", "--url", `${parley.url}/mcp`], { input });
  expect(code).toBe(0);
  const answers = stdout.trim().split("\n");
  expect(answers.map((answer) => JSON.parse(answer).id).sort()).toEqual([1, "two"]);
});
