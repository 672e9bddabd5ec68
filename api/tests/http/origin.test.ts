import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { connected } from "../../../testing/postgres.ts";
import { sendRaw } from "../../../testing/raw-http.ts";
import { startTestServer, type TestServer, until } from "../../../testing/server.ts";

const PUBLIC = "https://parley.example.com";

let parley: TestServer;
let port: number;
beforeAll(async () => {
  parley = await startTestServer({ graphiql: true, publicOrigins: [PUBLIC, "http://10.1.2.3:8080"] });
  port = parley.server.port;
});
afterAll(() => parley.stop());

const HANDSHAKE =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n";
const CREATE = JSON.stringify({ title: "T", description: "", creator_team_name: "A" });

/** One request, written out: the Host, further headers, and a body where there is one. */
function ask(line: string, host: string | undefined, headers: Record<string, string> = {}, body = "") {
  const lines = Object.entries({ ...headers, "content-length": String(body.length) }).map(([k, v]) => `${k}: ${v}\r\n`);
  const hostLine = host === undefined ? "" : `Host: ${host}\r\n`;
  return sendRaw(parley.url, `${line} HTTP/1.1\r\n${hostLine}${lines.join("")}\r\n${body}`);
}
const codeOf = (body: string) => JSON.parse(body).error.code;

const EVERY_ROUTE = [
  "GET /",
  "GET /s/calm-otter-17",
  "GET /settings",
  "GET /sign-in",
  "GET /auth/me",
  "POST /auth/sign-in",
  "POST /auth/name",
  "GET /auth/oidc",
  "GET /favicon.svg",
  "GET /plain.css",
  "GET /assets/index.js",
  "GET /AGENTS.md",
  "GET /s/calm-otter-17/AGENTS.md",
  "GET /llms.txt",
  "GET /parley.mjs",
  "GET /docs",
  "GET /api/openapi.json",
  "GET /api/sessions",
  "POST /api/sessions",
  "POST /mcp",
  "POST /api/mcp",
  "GET /mcp",
  "POST /graphql",
  "GET /graphql",
  "GET /graphiql",
  "GET /livez",
  "GET /readyz",
  "GET /metrics",
  "POST /demo",
  "GET /nothing",
  "OPTIONS /api/sessions",
];

describe("on every route", () => {
  test.each(EVERY_ROUTE)(
    "%s is refused under a foreign Host and from a foreign Origin, with what to set",
    async (line) => {
      const json = { "content-type": "application/json" };
      for (const [host, headers] of [
        ["evil.example", json],
        [`evil.example:${port}`, json],
        [`localhost:${port}`, { ...json, origin: "http://evil.example" }],
        [`127.0.0.1:${port}`, { ...json, origin: "null" }],
      ] as const) {
        const { status, headers: answered, body } = await ask(line, host, headers, line.startsWith("POST") ? "{}" : "");
        expect([status, codeOf(body)]).toEqual([403, "forbidden_origin"]);
        expect(JSON.parse(body).error.details.hint).toContain("PUBLIC_URL");
        expect(answered).not.toHaveProperty("access-control-allow-origin");
      }
    },
  );

  test("a WebSocket is refused in the same way, in the error body", async () => {
    for (const [host, headers] of [
      ["evil.example", ""],
      [`127.0.0.1:${port}`, "Origin: https://evil.example\r\n"],
      [`127.0.0.1:${port}`, "Origin: http://127.0.0.1:1\r\n"],
    ]) {
      const answer = await sendRaw(parley.url, `GET /graphql HTTP/1.1\r\nHost: ${host}\r\n${headers}${HANDSHAKE}\r\n`);
      expect([answer.status, codeOf(answer.body)]).toEqual([403, "forbidden_origin"]);
    }
  });

  test("a page that points a name of its own here reads nothing", async () => {
    await parley.create("A team", "a secret title");
    for (const path of ["/api/sessions", "/metrics", "/livez", "/AGENTS.md"]) {
      const { body } = await ask(`GET ${path}`, `rebound.example:${port}`, {
        origin: `http://rebound.example:${port}`,
      });
      expect(Object.keys(JSON.parse(body))).toEqual(["error"]);
    }
  });
});

describe("the Host of a request", () => {
  test.each([
    ["localhost", (p: number) => `localhost:${p}`],
    ["upper case", (p: number) => `LocalHost:${p}`],
    ["127.0.0.1", (p: number) => `127.0.0.1:${p}`],
    ["another loopback address", (p: number) => `127.8.9.10:${p}`],
    ["[::1]", (p: number) => `[::1]:${p}`],
    ["the public one", () => "parley.example.com"],
    ["the public one in upper case", () => "PARLEY.example.COM"],
    ["the public one with its port", () => "parley.example.com:443"],
    ["the other public one", () => "10.1.2.3:8080"],
  ])("may be %s", async (_what, host) => {
    expect((await ask("GET /livez", host(port))).status).toBe(200);
  });

  test.each([
    ["without the port", () => "localhost"],
    ["another port", (p: number) => `localhost:${p - 1}`],
    ["a port with a zero in front", (p: number) => `localhost:0${p}`],
    ["an empty port", () => "localhost:"],
    ["a port that is no number", () => "localhost:x"],
    ["a port that is too large", (p: number) => `localhost:${p + 65_536}`],
    ["a dot at the end", (p: number) => `localhost.:${p}`],
    ["a name under localhost", (p: number) => `evil.localhost:${p}`],
    ["a name that begins like loopback", (p: number) => `127.0.0.1.evil.example:${p}`],
    ["a number that means loopback", (p: number) => `2130706433:${p}`],
    ["hexadecimal", (p: number) => `0x7f.0.0.1:${p}`],
    ["octal", (p: number) => `0177.0.0.1:${p}`],
    ["short", (p: number) => `127.1:${p}`],
    ["a long IPv6 form", (p: number) => `[0:0:0:0:0:0:0:1]:${p}`],
    ["IPv4 in IPv6", (p: number) => `[::ffff:127.0.0.1]:${p}`],
    ["IPv6 with a zone", (p: number) => `[::1%25lo]:${p}`],
    ["IPv6 without brackets", (p: number) => `::1:${p}`],
    ["with a user", (p: number) => `evil.example@localhost:${p}`],
    ["with a path", (p: number) => `localhost:${p}/evil`],
    ["with a query", (p: number) => `localhost:${p}?`],
    ["two in one", (p: number) => `localhost:${p}, evil.example`],
    ["any address", () => "0.0.0.0"],
    ["this machine on its network", (p: number) => `192.168.1.7:${p}`],
    ["the public one under another port", () => "parley.example.com:80"],
    ["the public one with a dot", () => "parley.example.com."],
    ["a name under the public one", () => "evil.parley.example.com"],
    ["empty", () => ""],
    ["percent signs", (p: number) => `%6cocalhost:${p}`],
    ["full-width letters", (p: number) => `ｌocalhost:${p}`],
  ])("may not be %s", async (_what, host) => {
    const { status, body } = await ask("GET /livez", host(port));
    expect([status, codeOf(body)]).toEqual([403, "forbidden_origin"]);
  });

  test("stands there once", async () => {
    for (const lines of [
      "",
      `Host: localhost:${port}\r\nHost: evil.example\r\n`,
      `Host: evil.example\r\nHost: localhost:${port}\r\n`,
    ]) {
      const { status, body } = await sendRaw(parley.url, `GET /livez HTTP/1.1\r\n${lines}\r\n`);
      expect([status, codeOf(body), JSON.parse(body).error.details.field]).toEqual([400, "invalid_argument", "Host"]);
    }
    const old = await sendRaw(parley.url, "GET /livez HTTP/1.0\r\n\r\n");
    expect([old.status, codeOf(old.body)]).toEqual([400, "invalid_argument"]);
  });

  test("agrees with an address in the request line", async () => {
    const own = `localhost:${port}`;
    const created = await ask(`POST http://${own}/api/sessions`, own, {}, CREATE);
    expect([created.status, JSON.parse(created.body).url]).toEqual([200, expect.stringContaining(`http://${own}/s/`)]);
    expect((await ask(`GET http://${own}/api/sessions?limit=1`, own)).status).toBe(200);
    for (const target of [`http://${own}`, `http://${own}?x`, `HTTP://${own}/livez`])
      expect((await ask(`GET ${target}`, own)).status).toBeLessThan(500);
    for (const [target, host] of [
      ["http://evil.example/livez", own],
      [`http://${own}/livez`, "evil.example"],
      [`http://user@${own}/livez`, own],
      ["http:///livez", own],
      ["https://parley.example.com/livez", own],
    ]) {
      const { status, body } = await ask(`GET ${target}`, host);
      expect([target, status, codeOf(body)]).toEqual([target, 403, "forbidden_origin"]);
    }
  });
});

describe("the Origin of a request", () => {
  const from = (origin: string, headers: Record<string, string> = {}, host = `127.0.0.1:${port}`) =>
    ask("POST /api/sessions", host, { origin, "content-type": "application/json", ...headers }, CREATE);

  test("may be any of the server's own pages", async () => {
    for (const [origin, host] of [
      [`http://127.0.0.1:${port}`],
      [`http://localhost:${port}`],
      [`http://[::1]:${port}`],
      [PUBLIC, "parley.example.com"],
      ["http://10.1.2.3:8080", "10.1.2.3:8080"],
    ] as const)
      expect([origin, (await from(origin, {}, host)).status]).toEqual([origin, 200]);
  });

  test.each([
    ["another port of this machine", (p: number) => `http://localhost:${p - 1}`],
    ["this machine without a port", () => "http://localhost"],
    ["another scheme", (p: number) => `https://localhost:${p}`],
    ["the public address without TLS", () => "http://parley.example.com"],
    ["the public address on another port", () => "https://parley.example.com:8443"],
    ["null", () => "null"],
    ["nothing", () => ""],
    ["a file", () => "file://"],
    ["two", (p: number) => `http://localhost:${p}, https://evil.example`],
    ["one with a path", (p: number) => `http://localhost:${p}/`],
    ["one with a user", (p: number) => `http://evil@localhost:${p}`],
    ["an extension", (p: number) => `chrome-extension://localhost:${p}`],
    ["one that begins like ours", () => "https://parley.example.com.evil.example"],
  ])("may not be %s", async (_what, origin) => {
    const { status, body } = await from(origin(port));
    expect([status, codeOf(body)]).toEqual([403, "forbidden_origin"]);
  });

  test.each(["/api/sessions", "/mcp", "/graphql", "/demo"])("goes with JSON in what is posted to %s", async (path) => {
    const origin = `http://localhost:${port}`;
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "",
    ]) {
      const { status, body } = await ask(`POST ${path}`, `localhost:${port}`, { origin, "content-type": type }, "{}");
      expect([type, status, codeOf(body)]).toEqual([type, 403, "forbidden_origin"]);
    }
  });

  test("goes with any kind of JSON, and without it anything is read", async () => {
    const origin = `http://localhost:${port}`;
    for (const type of [
      "application/json",
      "application/json; charset=utf-8",
      "Application/JSON",
      "application/vnd.api+json",
    ])
      expect([type, (await from(origin, { "content-type": type })).status]).toEqual([type, 200]);
    const { status } = await ask("POST /api/sessions", `localhost:${port}`, { "content-type": "text/plain" }, CREATE);
    expect(status).toBe(200);
  });
});

test("links and the guide name the address that the request came to, behind a TLS proxy the public one", async () => {
  const created = JSON.parse((await ask("POST /api/sessions", "parley.example.com", {}, CREATE)).body);
  expect(created.url).toBe(`${PUBLIC}/s/${created.ref}`);
  const guide = (await ask("GET /AGENTS.md", "Parley.Example.com")).body;
  expect(guide).toContain(`claude mcp add --transport http parley ${PUBLIC}/mcp`);
  expect((await ask("GET /AGENTS.md", `LOCALHOST:${port}`)).body).toContain(`http://localhost:${port}/mcp`);
});

test("the setting mcp_url fills in the guide, and makes nobody trusted", async () => {
  const set = (value: string) =>
    connected(parley.database.url(), (client) =>
      client.query("update parley.settings set value = to_jsonb($1::text) where name = 'mcp_url'", [value]),
    );
  await set("https://other.example/mcp");
  await until(
    async () => (await (await fetch(`${parley.url}/AGENTS.md`)).text()).includes("parley https://other.example/mcp"),
    "the setting to apply",
  );
  expect((await ask("GET /livez", "other.example")).status).toBe(403);
  const { status } = await ask("GET /livez", `localhost:${port}`, { origin: "https://other.example" });
  expect(status).toBe(403);
  await set("");
});

test("a WebSocket of the server's own page opens", async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, "graphql-transport-ws", { origin: parley.url });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  socket.close();
});
