import { readdirSync } from "node:fs";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

/** fetch does not let a test choose Host, or send what is not text. */
function send(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: Buffer | string } = {},
) {
  return new Promise<{ status: number; body: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const req = request(
      `${parley.url}${path}`,
      { method: options.method ?? "GET", headers: options.headers ?? {} },
      (res) => {
        const chunks: Buffer[] = [];
        res.on("data", (chunk) => chunks.push(chunk));
        res.on("end", () =>
          resolve({ status: res.statusCode ?? 0, body: Buffer.concat(chunks).toString(), headers: res.headers }),
        );
      },
    );
    req.on("error", reject);
    req.end(options.body);
  });
}

const errorOf = (answer: { body: string }) => JSON.parse(answer.body).error;

describe("a request that cannot be understood gets the one error body", () => {
  test.each([
    ["invalid JSON", "/api/sessions", '{"title": ', 400, "invalid_argument"],
    ["a JSON list", "/api/sessions", "[]", 400, "invalid_argument"],
    ["a JSON string", "/api/sessions", '"hi"', 400, "invalid_argument"],
    ["an empty body", "/api/sessions", "", 400, "invalid_argument"],
    [
      "invalid UTF-8",
      "/api/sessions",
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      400,
      "invalid_argument",
    ],
    ["a body of 5 MB", "/api/sessions", Buffer.alloc(5_000_000, 0x20), 413, "body_too_large"],
    ["a query string of a question mark on a POST", "/api/sessions??", "{}", 400, "invalid_argument"],
    ["a query string on a POST", "/api/sessions?title=x", "{}", 400, "invalid_argument"],
  ])("%s", async (_what, path, body, status, code) => {
    const answer = await send(path, { method: "POST", body });
    expect(answer.status).toBe(status);
    expect(errorOf(answer)).toEqual({ code, message: expect.any(String), details: expect.any(Object) });
  });

  test("a path and a query string that do not decode", async () => {
    expect((await send("/api/sessions/%ff")).status).toBe(400);
    expect((await send("/api/sessions/x/messages?limit=%ff")).status).toBe(400);
    expect((await send("/api/sessions/%00")).status).toBe(400);
    expect((await send("/s/%ZZ/AGENTS.md")).status).toBe(400);
    expect((await send("/s/%ZZ")).status).toBe(400);
  });

  test("a second question mark belongs to the value before it", async () => {
    const { details } = errorOf(await send("/api/sessions/calm-otter-17/messages?limit=1?nonsense=2"));
    expect(details.field).toBe("limit");
    expect((await send("/api/sessions?text=why?")).status).toBe((await send("/api/sessions?text=why%3F")).status);
  });

  test("an address that is too long", async () => {
    const answer = await send(`/api/sessions/${"x".repeat(20_000)}`);
    expect([answer.status, errorOf(answer).code]).toEqual([431, "headers_too_large"]);
  });

  test("an unknown route, and a wrong method with what is allowed", async () => {
    expect(errorOf(await send("/api/nothing")).code).toBe("not_found");
    expect(errorOf(await send("/nothing")).code).toBe("not_found");
    const wrong = await send("/api/sessions/calm-otter-17/join", { method: "DELETE" });
    expect([wrong.status, wrong.headers.allow, errorOf(wrong).code]).toEqual([405, "POST", "method_not_allowed"]);
  });

  test.each([
    ["/livez", "GET"],
    ["/AGENTS.md", "GET"],
    ["/api/openapi.json", "GET"],
    ["/docs", "GET"],
    ["/parley.mjs", "GET"],
    ["/settings", "GET"],
    ["/graphql", "POST"],
  ])("PUT is not for %s, but %s", async (path, allowed) => {
    const wrong = await send(path, { method: "PUT" });
    expect([wrong.status, wrong.headers.allow, errorOf(wrong).code]).toEqual([405, allowed, "method_not_allowed"]);
  });
});

describe("what is read", () => {
  test.each(["application/x-www-form-urlencoded", "text/plain", "application/json"])(
    "a JSON body is read as %s",
    async (type) => {
      const body = JSON.stringify({ title: "T", description: "", creator_team_name: "A" });
      expect((await send("/api/sessions", { method: "POST", body, headers: { "content-type": type } })).status).toBe(
        200,
      );
    },
  );

  test("the prototype of an object cannot be set by an argument", async () => {
    const answer = await send("/api/sessions", { method: "POST", body: '{"__proto__": {"title": "x"}, "title": "T"}' });
    expect(errorOf(answer).details.field).toBe("__proto__");
  });
});

describe("what is generated", () => {
  test("openapi.json has every verb with its arguments, and nothing else", async () => {
    const document = JSON.parse((await send("/api/openapi.json")).body);
    expect(document.openapi).toBe("3.1.0");
    const operations = Object.values(document.paths).flatMap((path) =>
      Object.values(path as Record<string, { operationId: string }>),
    );
    const verbs = readdirSync("db/functions").map((file) => file.replace(".sql", ""));
    expect(operations.map((operation) => operation.operationId).sort()).toEqual([...verbs, "whoami_2"].sort());
    const wait = document.paths["/api/sessions/{session_id}/messages/wait"].get;
    expect(
      wait.parameters.map((p: { name: string; in: string; required: boolean }) => [p.name, p.in, p.required]),
    ).toEqual([
      ["session_id", "path", true],
      ["since_cursor", "query", false],
      ["timeout", "query", false],
      ["full", "query", false],
      ["include_self", "query", false],
      ["by", "query", false],
    ]);
    expect(document.components.schemas.feed_message.required).not.toContain("event");
    expect(document.components.schemas.feed_message.required).toContain("mine");
    const refs = JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g);
    for (const [, name] of refs) expect(document.components.schemas).toHaveProperty(name as string);
  });

  test("docs is HTML without scripts", async () => {
    const page = await send("/docs");
    expect(page.headers["content-type"]).toMatch(/^text\/html/);
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
    expect(page.body).not.toContain("<script");
    expect(page.body).toContain("wait_for_messages");
  });
});

test("every answer keeps pages of others away: what a verb, MCP, a page and a refusal answer", async () => {
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const ping = { method: "POST", headers: json, body: '{"jsonrpc": "2.0", "id": 1, "method": "ping"}' };
  const answers: [number, string, RequestInit][] = [
    [200, "/api/sessions", {}],
    [200, "/api/sessions?format=lines", {}],
    [404, "/api/nowhere", {}],
    [405, "/api/sessions", { method: "DELETE" }],
    [404, "/api/sessions/nobody-knows-1/messages/wait", { headers: { accept: "text/event-stream" } }],
    [200, "/mcp", ping],
    [415, "/mcp", { ...ping, headers: { ...json, "content-encoding": "gzip" } }],
    [200, "/docs", {}],
    [200, "/AGENTS.md", {}],
    [200, "/livez", {}],
    [404, "/nowhere.js", {}],
  ];
  for (const [status, path, init] of answers) {
    const { headers, ...answer } = await send(path, init as never);
    expect([path, answer.status, headers["x-frame-options"], headers["x-content-type-options"]]).toEqual([
      path,
      status,
      "DENY",
      "nosniff",
    ]);
    expect([path, headers["content-security-policy"]]).toEqual([
      path,
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
  }
});

describe("health", () => {
  test("livez, readyz and metrics answer", async () => {
    expect(JSON.parse((await send("/livez")).body).status).toBe("ok");
    expect(JSON.parse((await send("/readyz")).body).checks).toMatchObject({
      database: true,
      migrations: true,
      listener: true,
    });
    expect((await send("/metrics")).body).toMatch(/parley_waiting_calls 0/);
    expect((await send("/livez")).headers).not.toHaveProperty("x-powered-by");
  });
});
