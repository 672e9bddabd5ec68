import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

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

async function call(team: Team, name: string, args: object) {
  const { content, isError } = await mcp.callTool({ name, arguments: { ...args, team_id: team.team_id } });
  const body = JSON.parse((content as { text: string }[])[0]?.text ?? "");
  return { isError: isError === true, body };
}
const waiting = (count: number) =>
  until(async () => (await metric(parley.url, "parley_waiting_calls")) === count, `${count} waiting calls`);

async function pair(): Promise<[Team, Team]> {
  const a = await parley.create();
  return [a, await parley.join(a)];
}

test("a message is named by number or text, and lists and objects go as they are", async () => {
  const [a, b] = await pair();
  const question = await call(a, "post_message", {
    session_id: a.ref,
    content: "who?",
    kind: "question",
    to: [b.handle],
    metadata: { ticket: 42 },
    client_message_id: "k",
    expected_cursor: 1,
  });
  expect(question.body).toMatchObject({ cursor: 2, unread: 1 });
  for (const reply_to of [2, "2", question.body.message_id])
    expect((await call(b, "post_message", { session_id: a.ref, content: "I", reply_to })).isError).toBe(false);
  for (const message_id of [2, "2", question.body.message_id])
    expect((await call(b, "get_message", { session_id: a.ref, message_id })).body).toMatchObject({
      to: [b.handle],
      metadata: { ticket: 42 },
      replies: [3, 4, 5],
    });
});

test("what is refused is told with its details", async () => {
  const [a, b] = await pair();
  await parley.say(b, "wait");
  const stale = await call(a, "post_message", { session_id: a.ref, content: "x", expected_cursor: 1 });
  expect(stale).toMatchObject({
    isError: true,
    body: { error: { code: "stale_post", details: { messages: [{ content: { text: "wait" } }] } } },
  });
  const unknown = await call(a, "post_message", { session_id: a.ref, content: "x", reply_to: 99 });
  expect(unknown).toMatchObject({ isError: true, body: { error: { code: "message_not_found" } } });
});

test("a turn is one call: sync posts, waits and brings the answer", async () => {
  const [a, b] = await pair();
  const turn = call(b, "sync", {
    session_id: b.ref,
    outbox: [{ content: "who?", kind: "question", client_message_id: "k" }],
    timeout: 30,
  });
  await waiting(1);
  await call(a, "post_message", { session_id: a.ref, content: "me", kind: "answer", reply_to: 2 });
  expect((await turn).body).toMatchObject({
    sent: [{ cursor: 2, client_message_id: "k" }],
    messages: [{ cursor: 3, reply_to_cursor: 2 }],
    next_cursor: 3,
    unread: 0,
  });
  expect((await parley.get("/whoami", b)).body).toMatchObject({ cursor: 1, unread: 0, unconfirmed: 1 });
});

test("wait_for_reply is woken by the reply", async () => {
  const [a, b] = await pair();
  const { cursor } = await parley.say(a, "who?");
  const reply = call(a, "wait_for_reply", { session_id: a.ref, message_id: cursor, timeout: 30 });
  await waiting(1);
  await parley.say(b, "not this");
  await parley.post(`/sessions/${b.ref}/messages`, { content: "this", reply_to: cursor }, b);
  expect((await reply).body.messages).toMatchObject([{ content: { text: "this" } }]);
});

test("whoami needs the team_id alone", async () => {
  const [a] = await pair();
  expect((await call(a, "whoami", {})).body).toMatchObject({ ref: a.ref, handle: a.handle, unread: 1 });
});
