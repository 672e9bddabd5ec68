import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../testing/server.ts";

const CALLS = 1_500;

let parley: TestServer;
let team: Team;
let operations: Operation[];
beforeAll(async () => {
  parley = await startTestServer();
  team = await parley.create();
  await parley.say(team, "something to read");
  const { paths } = (await parley.get("/openapi.json")).body as { paths: Record<string, Record<string, OpenApi>> };
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => ({
      name: operationId,
      method: method.toUpperCase(),
      path,
      args: [
        ...parameters.map(({ name }) => name),
        ...Object.keys(requestBody?.content["application/json"].schema.properties ?? {}),
      ],
    })),
  );
});
afterAll(() => parley.stop());

interface OpenApi {
  operationId: string;
  parameters: { name: string }[];
  requestBody?: { content: { "application/json": { schema: { properties: object } } } };
}

interface Operation {
  name: string;
  method: string;
  path: string;
  args: string[];
}

/** What callers get wrong: types, sizes, characters, and now and then nothing. */
const value = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 2, arbitrary: fc.integer() },
  fc.double(),
  fc.boolean(),
  fc.constantFrom(
    null,
    "",
    " ",
    "0",
    "-1",
    "1e9",
    "NaN",
    "Infinity",
    "\u0000",
    "\ud800",
    "%",
    "'; drop table x; --",
    {},
    [],
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(0, 1, 2_147_483_648, -1, "x".repeat(70_000)),
);
const step = fc.record({ pick: fc.nat(), values: fc.array(value, { maxLength: 4 }), known: fc.boolean() });

const given = (operation: Operation, values: unknown[], known: boolean) => {
  const pairs = operation.args.map((name, i) => [name, values[i % Math.max(values.length, 1)]]);
  return Object.fromEntries([...pairs, ...(known ? [["session_id", team.ref]] : [])]) as Record<string, unknown>;
};

test("nothing that is sent to a REST route makes the server fail", { timeout: 60_000 }, async () => {
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(step, async ({ pick, values, known }) => {
      const operation = operations[pick % operations.length] as Operation;
      const { session_id, ...args } = given(operation, values, known);
      const path = operation.path
        .replace("/api", "")
        .replace("{session_id}", encodeURIComponent(String(session_id).toWellFormed() || "-"));
      const query = new URLSearchParams({ timeout: "0" });
      const isGet = operation.method === "GET";
      if (isGet) for (const [name, v] of Object.entries(args)) if (name !== "timeout") query.set(name, String(v));
      const answer = isGet
        ? await parley.get(`${path}?${operation.args.includes("timeout") ? query : ""}`, team)
        : await parley.post(path, args, team);
      statuses.add(answer.status);
      expect(answer.status, `${operation.name} ${JSON.stringify(args)}`).toBeLessThan(500);
      if (answer.status !== 200)
        expect(answer.body.error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    }),
    { numRuns: CALLS },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 404]));
});

test("nothing that is sent to an MCP tool makes the server fail", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(step, async ({ pick, values, known }) => {
      const { name, args } = operations[pick % operations.length] as Operation;
      const call = {
        ...given({ name, args } as Operation, values, known),
        timeout: undefined,
        ...(args.includes("timeout") && { timeout: 0 }),
      };
      const response = await fetch(`${parley.url}/mcp`, {
        method: "POST",
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name, arguments: { ...call, team_id: team.team_id } },
        }),
      });
      const text = await response.text();
      expect(response.status).toBe(200);
      expect(text, `${name} ${JSON.stringify(call)}`).not.toContain('\\"code\\":\\"internal\\"');
    }),
    { numRuns: CALLS },
  );
});
