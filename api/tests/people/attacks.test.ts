import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeLink, type Person, signIn } from "../../../testing/people.ts";
import { connected } from "../../../testing/postgres.ts";
import { sendRaw } from "../../../testing/raw-http.ts";
import { startTestServer, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
let owner: Person;
let host: string;
beforeAll(async () => {
  parley = await startTestServer({ access: "keys" });
  owner = await signIn(parley, "owner");
  host = new URL(parley.url).host;
});
afterAll(() => parley.stop());

type Headers = Record<string, string>;
/** As a browser would send it that somebody is signed in with, led by a page that we know nothing of. */
function send(line: string, headers: Headers, body = "") {
  const all = { host, cookie: owner.cookie, "content-length": String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return sendRaw(parley.url, `${line} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}
const codeOf = ({ status, body }: { status: number; body: string }) => [status, JSON.parse(body).error.code];
const FORBIDDEN = [403, "forbidden_origin"];

/** All that writes for a person who is signed in. */
const WRITES: [line: string, body: string][] = [
  ["POST /api/keys", JSON.stringify({ name: "Stolen", scopes: ["admin"] })],
  ["POST /api/people", JSON.stringify({ role: "owner" })],
  ["POST /api/sessions", JSON.stringify({ title: "T", description: "", creator_team_name: "A" })],
  [
    "POST /graphql",
    JSON.stringify({
      query: 'mutation { createKey(input: { name: "Stolen", scopes: "admin" }) { result { secret } } }',
    }),
  ],
  [
    "POST /mcp",
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "create_key", arguments: { name: "Stolen", scopes: ["admin"] } },
    }),
  ],
  ["POST /auth/sign-out", "{}"],
  ["POST /auth/sign-out-everywhere", "{}"],
];
const otherPort = () => `http://127.0.0.1:${Number(new URL(parley.url).port) - 1}`;

async function nothingHappened() {
  const [row] = await connected(parley.database.url(), async (client) => {
    const text = `select (select count(*)::integer from parley_private.keys) as keys, (select count(*)::integer from parley.sessions) as sessions,
      (select count(*)::integer from parley_private.sign_ins where revoked_at is null) as browsers`;
    return (await client.query(text)).rows;
  });
  expect(row).toEqual({ keys: 0, sessions: 0, browsers: 1 });
}

describe.each(WRITES)("%s with somebody's cookie", (line, body) => {
  test("is refused from a page of another origin, another port of this machine, another name for it, or nowhere", async () => {
    const json = { "content-type": "application/json" };
    for (const origin of [
      "https://evil.example",
      otherPort(),
      parley.url.replace("127.0.0.1", "localhost"),
      "null",
      `${parley.url}.evil.example`,
    ])
      expect([origin, ...codeOf(await send(line, { ...json, origin }, body))]).toEqual([origin, ...FORBIDDEN]);
    expect(codeOf(await send(line, json, body))).toEqual(FORBIDDEN);
    await nothingHappened();
  });

  test("is refused in the content types that a form may send, also under our own origin", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "text/plain; application/json",
      "",
    ])
      for (const origin of [parley.url, otherPort()])
        expect(codeOf(await send(line, { "content-type": type, origin }, body))).toEqual(FORBIDDEN);
    await nothingHappened();
  });

  test("is refused under a name that somebody has pointed here", async () => {
    const rebound = `rebound.example:${new URL(parley.url).port}`;
    const headers = { host: rebound, origin: `http://${rebound}`, "content-type": "application/json" };
    expect(codeOf(await send(line, headers, body))).toEqual(FORBIDDEN);
    await nothingHappened();
  });
});

test("a WebSocket with somebody's cookie is opened by our own page alone", async () => {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol": "graphql-transport-ws",
  };
  for (const origin of ["https://evil.example", otherPort(), parley.url.replace("127.0.0.1", "localhost"), "null"])
    expect(codeOf(await send("GET /graphql", { ...upgrade, origin }))).toEqual(FORBIDDEN);
  expect(codeOf(await send("GET /graphql", upgrade))).toEqual(FORBIDDEN);
  expect((await send("GET /graphql", { ...upgrade, origin: parley.url })).status).toBe(101);
});

test("a foreign page reads nothing with somebody's cookie", async () => {
  for (const path of ["/auth/me", "/api/people", "/api/keys", "/api/sessions"])
    for (const origin of ["https://evil.example", otherPort()])
      expect(codeOf(await send(`GET ${path}`, { origin }))).toEqual(FORBIDDEN);
});

test("nobody is signed in by a foreign page, as somebody whom it has chosen", async () => {
  const token = await makeLink(parley, "Mallory", "member");
  const body = JSON.stringify({ token });
  for (const headers of [
    { origin: "https://evil.example", "content-type": "application/json" },
    { origin: otherPort(), "content-type": "text/plain" },
    { origin: parley.url, "content-type": "text/plain" },
  ])
    expect(codeOf(await send("POST /auth/sign-in", { ...headers, cookie: "x=y" }, body))).toEqual(FORBIDDEN);
  expect(
    (await send("POST /auth/sign-in", { origin: parley.url, "content-type": "application/json", cookie: "x=y" }, body))
      .status,
  ).toBe(200);
});

test("a key, a team and a cookie do not lend each other what they may do: an agent's key cannot speak as a person", async () => {
  const viewer = await signIn(parley, "viewer");
  const json = { "content-type": "application/json", origin: parley.url };
  const key = await connected(
    parley.database.url("parley_owner"),
    async (client) =>
      (await client.query("select secret from parley_private.admin_key('Agent', '{read,team}')")).rows[0].secret,
  );
  const bearer = { ...json, authorization: `Bearer ${key}`, cookie: "" };
  const created = await send(
    "POST /api/sessions",
    bearer,
    JSON.stringify({ title: "T", description: "", creator_team_name: "A" }),
  );
  const { ref, team_id } = JSON.parse(created.body);
  const say = (headers: Headers) =>
    send(`POST /api/sessions/${ref}/messages`, { ...json, ...headers }, JSON.stringify({ content: "hello" }));
  expect((await say({ ...bearer })).status).toBe(401);
  expect(await say({ ...bearer, "x-team-id": team_id })).toMatchObject({ status: 200 });
  expect(codeOf(await say({ cookie: viewer.cookie }))).toEqual([403, "forbidden"]);
  const { body } = await send(`GET /api/sessions/${ref}/messages`, { cookie: "", "x-team-id": team_id });
  const said = JSON.parse(body).messages.filter(({ type }: { type: string }) => type === "chat");
  expect(said.map(({ sender }: { sender: string }) => sender)).toEqual(["agent"]);
});
