import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { type Answer, startTestServer, type TestServer, until } from "../../../testing/server.ts";
import { ALL_BODIES_LIMIT, BODY_LIMIT } from "../../http/bodies.ts";

let parley: TestServer;
const open: Socket[] = [];
beforeAll(async () => {
  parley = await startTestServer();
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});
afterAll(() => parley.stop());

const held = () => metric(parley.url, "parley_body_bytes");

/** Begins a POST, sends the pieces, and leaves it unfinished. */
async function begin(path: string, headers: string, ...pieces: (string | Buffer)[]) {
  const { host, port } = new URL(parley.url);
  const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
  open.push(socket);
  const said = { text: "" };
  socket.setEncoding("utf8").on("data", (text) => {
    said.text += text;
  });
  await once(socket, "connect");
  socket.write(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`);
  for (const piece of pieces)
    if (!socket.write(piece)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
  return { socket, said };
}

test.each([
  [120, "/api/sessions"],
  [40, "/mcp"],
  [40, "/graphql"],
] as const)(
  "%i unfinished bodies to %s hold no more than the bound, and others are served meanwhile",
  async (count, path) => {
    let most = 0;
    const watching = setInterval(async () => {
      most = Math.max(most, await held());
    }, 100);
    const body = Buffer.alloc(3_900_000, 0x20);
    const sent = await Promise.all(
      Array.from({ length: count }, () => begin(path, `Content-Length: ${body.length + 1}\r\n`, body)),
    );
    const refused = () => sent.filter(({ said }) => said.text.startsWith("HTTP/1.1 503"));
    await until(() => refused().length >= count - 20, "most of them to be refused", 30_000);
    clearInterval(watching);
    most = Math.max(most, await held());
    expect(most).toBeGreaterThan(ALL_BODIES_LIMIT / 2);
    expect(most).toBeLessThanOrEqual(ALL_BODIES_LIMIT + BODY_LIMIT);
    const { said } = refused()[0] as { said: { text: string } };
    expect(said.text).toMatch(/retry-after: \d/i);
    expect(said.text).toContain('"code":"unavailable"');
    expect(sent.filter(({ said }) => said.text !== "").length).toBe(refused().length);
    expect((await parley.create()).cursor).toBe(0);

    for (const { socket } of sent) socket.destroy();
    await until(async () => (await held()) === 0, "what they held to be let go");
  },
);

test("a body of more values than any verb takes is refused before they are made, over REST, MCP and GraphQL; a long text is not", async () => {
  const team = await parley.create();
  const many = (value: string) => `[${Array(100_001).fill(value).join(",")}]`;
  const at = `/sessions/${team.ref}/messages`;
  for (const value of ["1", "[]", '{"a":1}', '"\\\\\\""'])
    expect(await parley.post(at, `{"content": "x", "metadata": {"a": ${many(value)}}}`, team)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_argument", details: { field: "body", hint: expect.any(String) } } },
    });
  for (const path of ["/mcp", "/graphql"]) {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const answer = await fetch(`${parley.url}${path}`, { method: "POST", headers, body: many("1") });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("more than 100000 values")]);
  }
  const content = `${',[{"\\"'.repeat(100_000)}`;
  expect((await parley.post(`/sessions/${team.ref}/doc`, { content, expected_version: 0 }, team)).status).toBe(200);
  expect((await parley.get(`/sessions/${team.ref}/doc`, team)).body.content).toBe(content);
});

test("a body in a million pieces is kept as its bytes", async () => {
  const pieces = Buffer.from("1\r\nx\r\n".repeat(200_000));
  await begin("/api/sessions", "Transfer-Encoding: chunked\r\n", ...Array.from({ length: 5 }, () => pieces));
  const bytes = await until(async () => {
    const now = await held();
    return now >= 1_000_000 && now;
  }, "all of it");
  expect(bytes).toBeLessThanOrEqual(2_100_000);
});

test("what is worked on counts until it is answered", async () => {
  const team = await parley.create();
  const args = { session_id: team.ref, team_id: team.team_id, since_cursor: 0 };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait_for_messages", arguments: args } };
  const init = { method: "POST", headers: { accept: "application/json, text/event-stream" } };
  const waiting = fetch(`${parley.url}/mcp`, { ...init, body: JSON.stringify(call) });
  await until(async () => (await metric(parley.url, "parley_waiting_calls")) === 1, "the wait");
  expect(await held()).toBeGreaterThan(0);
  await parley.say(await parley.join(team), "there");
  await (await waiting).text();
  await until(async () => (await held()) === 0, "nothing to be held");
});

test("calls that wait with heavy bodies keep nobody from posting", async () => {
  const team = await parley.create();
  const args = { session_id: team.ref, team_id: team.team_id, since_cursor: 0 };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait_for_messages", arguments: args } };
  const body = JSON.stringify(call) + " ".repeat(3_900_000);
  const light = parley.wait(team);
  const sent: Awaited<ReturnType<typeof begin>>[] = [];
  for (let i = 0; i < 20; i++) sent.push(await begin("/mcp", `Content-Length: ${body.length}\r\n`, body));
  const turnedAway = () =>
    sent.filter(({ socket, said }) => socket.destroyed || said.text.startsWith("HTTP/1.1 503")).length;
  await until(() => turnedAway() >= 4, "some of them to be refused or cut off");
  expect(await held()).toBeLessThanOrEqual(ALL_BODIES_LIMIT + BODY_LIMIT);
  await parley.say(await parley.join(team), "through");
  expect((await light).status).toBe(200);
});

test("what was asked for in one go is let go with the connection", async () => {
  const team = await parley.create();
  const { host, port } = new URL(parley.url);
  const body = JSON.stringify({ content: "x".repeat(10_000) });
  const wait = `GET /api/sessions/${team.ref}/messages/wait HTTP/1.1\r\nHost: ${host}\r\nX-Team-ID: ${team.team_id}\r\n\r\n`;
  const post = `POST /api/sessions HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
  socket.write(wait + post.repeat(5));
  await until(async () => (await held()) > 40_000, "the posts that stand in line behind the wait");
  socket.destroy();
  await until(async () => (await held()) === 0, "nothing to be held");
});

test.each(["/api/sessions", "/mcp", "/graphql"])(
  "too large and compressed bodies to %s are refused at once",
  async (path) => {
    const { said } = await begin(path, `Content-Length: ${BODY_LIMIT + 1}\r\n`);
    await until(() => /^HTTP\/1.1 413[\s\S]*"code":"body_too_large"/.test(said.text), "the refusal");
    const chunk = `${(600_000).toString(16)}\r\n${" ".repeat(600_000)}\r\n`;
    const { said: unsaid } = await begin(
      path,
      "Transfer-Encoding: chunked\r\n",
      ...Array.from({ length: 8 }, () => chunk),
    );
    await until(() => unsaid.text.startsWith("HTTP/1.1 413"), "the refusal of what did not say its size");
    const packed = await fetch(parley.url + path, {
      method: "POST",
      headers: { "content-encoding": "gzip" },
      body: gzipSync("{}"),
    });
    expect([packed.status, ((await packed.json()) as Answer["body"]).error.details.field]).toEqual([
      415,
      "Content-Encoding",
    ]);
    expect(await held()).toBe(0);
  },
);
