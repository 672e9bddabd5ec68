import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../testing/server.ts";
import { callTool, connect } from "./client.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

/** An agent reads the JSON as it came, so that is what is counted. */
async function listed(path: string) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const answer = await (await fetch(`${parley.url}${path}`, { method: "POST", body })).json();
  const { result } = answer as { result: { tools: unknown[] } };
  return { tools: result.tools.length, tokens: encode(JSON.stringify(result)).length };
}

test("the list of the core tools takes at most 1,500 tokens", async () => {
  const { tools, tokens } = await listed("/mcp?toolset=core");
  expect(tools).toBe(13);
  expect(tokens).toBeLessThanOrEqual(1_500);
});

test("the list of all tools takes at most 4,000 tokens", async () => {
  const { tools, tokens } = await listed("/mcp");
  expect(tools).toBeGreaterThanOrEqual(22);
  expect(tokens).toBeLessThanOrEqual(4_000);
});

test("an empty wait takes at most 25 tokens, and 40 as JSON", async () => {
  const a = await parley.create();
  for (let i = 0; i < 120; i++) await parley.say(a, `message ${i}`);
  const b = await parley.join(a);
  await parley.post(`/sessions/${a.ref}/doc/append`, { text: "a note" }, a);
  const client = await connect(parley);
  const wait = { session_id: a.ref, team_id: b.team_id, since_cursor: 121, timeout: 0.2 };
  const { text } = await callTool(client, "wait_for_messages", wait);
  expect(text).toBe("next_cursor 121 · unread 0 · doc v1 · closed no");
  expect(encode(text).length).toBeLessThanOrEqual(25);
  const { text: json } = await callTool(client, "wait_for_messages", { ...wait, format: "json" });
  expect(JSON.parse(json)).toMatchObject({ messages: [], next_cursor: 121, doc_version: 1, empty_polls: 2 });
  expect(encode(json).length).toBeLessThanOrEqual(40);
});
