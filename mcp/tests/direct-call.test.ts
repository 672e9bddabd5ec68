import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metric } from "../../testing/faults.ts";
import { startTestServer, type Team, type TestServer, until } from "../../testing/server.ts";

let parley: TestServer;
let alex: Team;
beforeAll(async () => {
  parley = await startTestServer();
  alex = await parley.create();
  await parley.say(await parley.join(alex), "„Grüße“ 🙂");
});
afterAll(() => parley.stop());

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Call {
  id?: unknown;
  name: string;
  args?: unknown;
  meta?: Record<string, unknown>;
}

const message = ({ id = 1, name, args, meta }: Call) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, ...(args !== undefined && { arguments: args }), ...(meta && { _meta: meta }) },
});

async function send(body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${parley.url}/mcp`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  const [type] = (response.headers.get("content-type") ?? "").split(";");
  const frames = text.split("\n\n").filter((frame) => frame && !frame.startsWith(":"));
  return { status: response.status, type, frames: type === "text/event-stream" ? frames : [text] };
}

const ERAS = {
  /** A batch is not plain, so the package answers it. */
  "2025-11-25": {
    direct: (call: Call) => send(message(call), { "mcp-protocol-version": "2025-11-25" }),
    byPackage: (call: Call) => send([message(call)], { "mcp-protocol-version": "2025-11-25" }),
  },
  /** A name in Base64 is not plain either. */
  "2026-07-28": {
    direct: (call: Call) => modern(call, call.name),
    byPackage: (call: Call) => modern(call, `=?base64?${Buffer.from(call.name).toString("base64")}?=`),
  },
};

const modern = (call: Call, name: string) =>
  send(message({ ...call, meta: { ...META, ...call.meta } }), {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": name,
  });

describe.each(Object.entries(ERAS))("a tool call of MCP %s", (_, { direct, byPackage }) => {
  const calls: [string, () => Call][] = [
    ["an answer", () => ({ name: "get_session", args: { session_id: alex.ref, team_id: alex.team_id } })],
    [
      "an id that is a text",
      () => ({ id: "a-1", name: "get_history", args: { session_id: alex.ref, team_id: alex.team_id } }),
    ],
    ["a refusal", () => ({ name: "get_session", args: { session_id: alex.ref, team_id: "pt_x" } })],
    ["no arguments", () => ({ name: "list_sessions" })],
    ["an unknown tool", () => ({ name: "nonsense", args: {} })],
    [
      "a wait",
      () => ({ name: "wait_for_messages", args: { session_id: alex.ref, team_id: alex.team_id, since_cursor: 0 } }),
    ],
    [
      "a wait that is refused",
      () => ({
        name: "wait_for_messages",
        args: { session_id: "no-such-1", team_id: "pt_x" },
        meta: { progressToken: 1 },
      }),
    ],
  ];

  test.each(calls)("is answered as the package answers it: %s", async (_name, call) => {
    const plain = await direct(call());
    expect(plain).toEqual(await byPackage(call()));
    expect(plain.status).toBe(200);
  });

  test.each([
    ["a name that is a number", { name: 7 as never }],
    ["arguments that are a list", { name: "get_session", args: [] }],
    ["an id that is a fraction", { id: 1.5, name: "get_session", args: {} }],
    ["an id that is null", { id: null, name: "get_session", args: {} }],
  ])("is refused by the package when it has %s", async (_name, call) => {
    const { status, frames } = await direct(call);
    expect([200, 400]).toContain(status);
    expect(JSON.parse(frames[0] as string)).toMatchObject({ error: { code: expect.any(Number) } });
  });
});

test.each([
  ["has capabilities that are none", { "io.modelcontextprotocol/clientCapabilities": { sampling: 7 } }],
  ["does not say what its client can do", { "io.modelcontextprotocol/clientCapabilities": undefined }],
  ["names its client by a number", { "io.modelcontextprotocol/clientInfo": 7 }],
  ["wants a level of logs that there is not", { "io.modelcontextprotocol/logLevel": "loud" }],
])("a call of 2026 is refused when it %s", async (_, meta) => {
  const { status, frames } = await modern({ name: "list_sessions", meta }, "list_sessions");
  expect([status, JSON.parse(frames[0] as string).error.code]).toEqual([400, -32602]);
});

test("a call of 2026 whose headers say something else is refused", async () => {
  const call = { name: "get_session", args: { session_id: alex.ref, team_id: alex.team_id }, meta: META };
  const named = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "get_session" };
  expect((await send(message(call), named)).status).toBe(200);
  for (const wrong of [
    { "mcp-name": "post_message" },
    { "mcp-method": "tools/list" },
    { "mcp-protocol-version": "2025-11-25" },
  ]) {
    const { status, frames } = await send(message(call), { ...named, ...wrong });
    expect([status, JSON.parse(frames[0] as string).error.code]).toEqual([400, -32020]);
  }
  for (const missing of Object.keys(named)) {
    const { [missing as keyof typeof named]: _, ...rest } = named;
    expect((await send(message(call), rest)).status).toBe(400);
  }
  const { status, frames } = await send(message({ ...call, meta: undefined }), {
    "mcp-protocol-version": "1999-01-01",
  });
  expect([status, frames[0]]).toEqual([400, expect.stringContaining("1999-01-01")]);
});

test("a call that waits sends bytes at once and from time to time, and ends with its client", async () => {
  const team = await parley.create();
  const wait = { name: "wait_for_messages", args: { session_id: team.ref, team_id: team.team_id } };
  const named = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": wait.name };
  const over = new AbortController();
  const eras = [
    { headers: {}, meta: { progressToken: "p" } },
    { headers: named, meta: { ...META, progressToken: "p" } },
  ];
  await Promise.all(
    eras.map(async ({ headers, meta }) => {
      const body = JSON.stringify(message({ ...wait, meta }));
      const response = await fetch(`${parley.url}/mcp`, { method: "POST", headers, body, signal: over.signal });
      const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
      let text = (await reader.read()).value as string;
      expect(text).toBe(": waiting\n\n");
      while (!text.includes(": keepalive") || !text.includes('"progressToken":"p"'))
        text += (await reader.read()).value;
      expect(text).not.toContain('"result"');
    }),
  );
  expect(await metric(parley.url, "parley_waiting_calls")).toBe(2);
  over.abort();
  await until(async () => (await metric(parley.url, "parley_waiting_calls")) === 0, "both calls to end");
});
