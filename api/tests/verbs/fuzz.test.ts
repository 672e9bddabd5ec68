import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

const CALLS = 3_000;

let parley: TestServer;
let team: Team;
let teams: Team[];
let operations: Operation[];
beforeAll(async () => {
  parley = await startTestServer();
  team = await parley.create();
  await parley.say(team, "something to read");
  await parley.join(team, "K");
  await parley.post("/boards", { name: "Hello", zones: ["question", "k"] });
  await parley.post(`/sessions/${team.ref}/doc/append`, { text: "- [ ] hello" }, team);
  const closed = await parley.create("Alex's Team", "Over");
  await parley.post(`/sessions/${closed.ref}/conclude`, { summary_section: "Done." }, closed);
  teams = [team, closed];
  const { paths } = (await parley.get("/openapi.json")).body as { paths: Record<string, Record<string, OpenApi>> };
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => {
      const body = requestBody?.content["application/json"].schema;
      return {
        // A verb with two paths has a second operation; the tool is one.
        name: operationId.replace(/_\d+$/, ""),
        method: method.toUpperCase(),
        path: path.replace("/api", ""),
        args: { ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])), ...body?.properties },
        required: [...parameters.filter((p) => p.required).map((p) => p.name), ...(body?.required ?? [])],
      };
    }),
  );
  expect(operations.length).toBeGreaterThanOrEqual(44);
});
afterAll(() => parley.stop());

interface Schema {
  type?: string;
  anyOf?: Schema[];
}

interface OpenApi {
  operationId: string;
  parameters: { name: string; required: boolean; schema: Schema }[];
  requestBody?: {
    content: { "application/json": { schema: { properties: Record<string, Schema>; required?: string[] } } };
  };
}

interface Operation {
  name: string;
  method: string;
  path: string;
  args: Record<string, Schema>;
  required: string[];
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
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "question",
    "hello",
    "## Decisions",
    "alexs-team",
    '"a phrase" or -that',
    "k",
    "# x\n```\n## y",
    "\r\n",
  ),
);
/** What has the right type, and therefore gets further. */
const fitting: Record<string, fc.Arbitrary<unknown>> = {
  string: text,
  integer: fc.integer({ min: -2, max: 5 }),
  number: fc.double({ min: -1, max: 40, noNaN: true }),
  boolean: fc.boolean(),
  object: fc.oneof(fc.record({ text }), fc.dictionary(text, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })),
  array: fc.array(text, { maxLength: 3 }),
};
const messages = fc.array(
  fc.oneof(
    text,
    fc.record(
      {
        content: fc.oneof(text, value),
        kind: fc.oneof(text, value),
        reply_to: fc.oneof(fc.integer({ min: -1, max: 3 }), value),
        to: fc.oneof(fc.array(text, { maxLength: 2 }), value),
        expects_reply: fc.oneof(fc.boolean(), value),
        metadata: value,
        client_message_id: fc.oneof(text, value),
      },
      { requiredKeys: ["content"] },
    ),
  ),
  { maxLength: 4 },
);

const tasks = fc.array(
  fc.oneof(
    text,
    fc.record(
      {
        title: fc.oneof(text, value),
        body: fc.oneof(text, value),
        priority: fc.oneof(fc.integer({ min: -2, max: 2 }), value),
        depends_on: fc.oneof(fc.array(fc.oneof(fc.constantFrom("+1", "+2", 1, 2), value), { maxLength: 3 }), value),
        paths: fc.oneof(
          fc.array(fc.oneof(fc.constantFrom("src/", "src/*.ts", "**/x"), value), { maxLength: 3 }),
          value,
        ),
        check: fc.oneof(fc.constant("test"), value),
      },
      { requiredKeys: ["title"] },
    ),
  ),
  { maxLength: 3 },
);
const evidence = fc.array(fc.record({ kind: fc.constantFrom("check", "commit", "link"), commit: value, url: value }), {
  maxLength: 2,
});
/** Lists whose items have a shape. */
const shaped: Record<string, fc.Arbitrary<unknown>> = { outbox: messages, tasks, evidence };

/** Of many arguments most are left out, or hardly a call would get through. */
function argument(name: string, schema: Schema, leftOut: number): fc.Arbitrary<unknown> {
  const types = (schema.anyOf ?? [schema]).map(({ type }) => type as string);
  const right = shaped[name] ? [shaped[name]] : types.flatMap((t) => fitting[t] ?? []);
  return fc.oneof(
    { weight: 5, arbitrary: fc.oneof(...right) },
    { weight: leftOut, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: value },
  );
}

/** A verb, its arguments (mostly of a session that exists) and a team of that session. */
function call() {
  return fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      caller: fc.nat(9).map((n) => (n === 9 ? undefined : (teams[n % teams.length] as Team))),
      lost: fc.nat(9).map((n) => n === 9),
      args: fc.record(
        Object.fromEntries(
          Object.entries(operation.args).map(([name, schema]) => [
            name,
            argument(name, schema, operation.required.includes(name) ? 1 : Object.keys(operation.args).length * 4),
          ]),
        ),
      ),
    }),
  );
}

/** Of no session that is there: it would take everything with it. */
const destroys = ({ name }: Operation) => name === "delete_session";

/** Nothing may wait, and nobody may leave: the calls after it would all be strangers. */
function settled(operation: Operation, args: Record<string, unknown>, session: Team | undefined, lost: boolean) {
  return {
    ...Object.fromEntries(Object.entries(args).filter(([, v]) => v !== undefined)),
    ...(operation.args.timeout && { timeout: 0 }),
    ...(operation.args.wait && { wait: 0 }),
    ...(operation.args.session_id && !lost && !destroys(operation) && { session_id: (session ?? team).ref }),
  } as Record<string, unknown>;
}
const lasting = ({ name }: Operation) => name !== "leave_session" && name !== "conclude_session";
const inUrl = (v: unknown) => (typeof v === "object" ? JSON.stringify(v) : String(v)).toWellFormed();

test("nothing that is sent to a REST route makes the server fail, and every refusal says what to do next", {
  timeout: 120_000,
}, async () => {
  const statuses = new Set<number>();
  const succeeded = new Set<string>();
  await fc.assert(
    fc.asyncProperty(call(), async ({ operation, caller, lost, args: drawn }) => {
      const args = settled(operation, drawn, caller, lost);
      let path = operation.path;
      for (const [, name = ""] of operation.path.matchAll(/\{(\w+)\}/g)) {
        path = path.replace(`{${name}}`, encodeURIComponent(inUrl(args[name] ?? "1") || "-"));
        delete args[name];
      }
      const as = lasting(operation) ? caller : undefined;
      const query = new URLSearchParams(Object.fromEntries(Object.entries(args).map(([name, v]) => [name, inUrl(v)])));
      const answer =
        operation.method === "GET" ? await parley.get(`${path}?${query}`, as) : await parley.post(path, args, as);
      statuses.add(answer.status);
      if (answer.status === 200) succeeded.add(operation.name);
      expect(answer.status, `${operation.name} ${path} ${JSON.stringify(args)}`).toBeLessThan(500);
      if (answer.status !== 200)
        expect(answer.body.error, `${operation.name} ${path} ${JSON.stringify(args)}`).toMatchObject({
          code: expect.any(String),
          message: expect.any(String),
          details: { hint: expect.stringMatching(/\S/) },
        });
    }),
    { numRuns: CALLS },
  );
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 404]));
  // What never succeeds has hardly been tried. Of 44 verbs two are left to strangers, and some succeed once at most.
  expect(succeeded.size).toBeGreaterThan(24);
});

test("nothing that is sent to an MCP tool makes the server fail", { timeout: 120_000 }, async () => {
  const succeeded = new Set<string>();
  await fc.assert(
    fc.asyncProperty(call(), async ({ operation, caller, lost, args }) => {
      const team_id = lasting(operation) ? caller?.team_id : undefined;
      const given = { ...settled(operation, args, caller, lost), ...(team_id && { team_id }) };
      const response = await fetch(`${parley.url}/mcp`, {
        method: "POST",
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: operation.name, arguments: given },
        }),
      });
      const text = await response.text();
      expect(response.status).toBe(200);
      if (!text.includes('"isError":true')) succeeded.add(operation.name);
      expect(text, `${operation.name} ${JSON.stringify(given)}`).not.toMatch(/\\"code\\":\\"(internal|unavailable)\\"/);
    }),
    { numRuns: CALLS },
  );
  expect(succeeded.size).toBeGreaterThan(24);
});
