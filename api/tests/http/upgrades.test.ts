import { afterAll, beforeAll, expect, test } from "vitest";
import { sendRaw } from "../../../testing/raw-http.ts";
import { startTestServer, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const BODY = JSON.stringify({ title: "T", description: "", creator_team_name: "A" });
const H2C = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n";
const WEBSOCKET = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
const KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

const send = (line: string, headers: string, body = "") => {
  const length = body ? `Content-Length: ${body.length}\r\n` : "";
  return sendRaw(parley.url, `${line} HTTP/1.1\r\nHost: ${new URL(parley.url).host}\r\n${headers}${length}\r\n${body}`);
};

test("whoever offers HTTP/2 gets the ordinary answer, also to what is posted", async () => {
  expect(await send("GET /livez", H2C)).toMatchObject({ status: 200, body: expect.stringContaining('"ok"') });
  for (const path of ["/AGENTS.md", "/api/sessions", "/metrics", "/llms.txt"])
    expect([path, (await send(`GET ${path}`, H2C)).status]).toEqual([path, 200]);
  const created = await send("POST /api/sessions", H2C, BODY);
  expect([created.status, JSON.parse(created.body)]).toMatchObject([200, { title: "T", cursor: 0 }]);
  const asked = await send("POST /graphql", H2C, '{"query":"{ __typename }"}');
  expect([asked.status, JSON.parse(asked.body)]).toEqual([200, { data: { __typename: "Query" } }]);
  expect(JSON.parse((await send("GET /nothing", H2C)).body).error.code).toBe("not_found");
});

test("a WebSocket to another address gets the error body of that address", async () => {
  for (const [path, status, code] of [
    ["/nothing", 404, "not_found"],
    ["/api/nothing", 404, "not_found"],
    ["/graphql/", 404, "not_found"],
    ["/mcp", 405, "method_not_allowed"],
  ]) {
    const answer = await send(`GET ${path}`, WEBSOCKET + KEY);
    expect([path, answer.status, JSON.parse(answer.body).error?.code]).toEqual([path, status, code]);
  }
});

test("a WebSocket that is asked for in a wrong way gets the error body", async () => {
  for (const headers of [WEBSOCKET, `${WEBSOCKET}Sec-WebSocket-Key: x\r\n`, WEBSOCKET.replace("13", "7") + KEY]) {
    const answer = await send("GET /graphql", headers);
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([400, "invalid_argument"]);
  }
  expect((await send("GET /graphql?x=1", WEBSOCKET + KEY)).status).toBe(101);
});

test("whoever expects something unknown gets the ordinary answer, and who takes it for a proxy the error body", async () => {
  const created = await send("POST /api/sessions", "Expect: a-miracle\r\n", BODY);
  expect([created.status, JSON.parse(created.body)]).toMatchObject([200, { title: "T" }]);
  const refused = await send("CONNECT elsewhere.example:443", "");
  expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([405, "method_not_allowed"]);
});

test.each(["http://", "http://["])("an address without a path, %s, gets the error body", async (address) => {
  for (const offer of ["", WEBSOCKET + KEY]) {
    const answer = await send(`GET ${address}`, offer);
    expect([answer.status, JSON.parse(answer.body).error?.code]).toEqual([404, "not_found"]);
  }
});
