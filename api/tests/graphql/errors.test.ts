import { afterAll, beforeAll, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { until } from "../../../testing/server.ts";
import { type GraphQLTestServer, POST, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

test("a refusal of the database keeps its message, code, details and status", async () => {
  const { ref, teamId } = await server.createSession();
  const answer = await server.ask(
    `mutation ($id: String!) { updateSessionDoc(input: { sessionId: $id, content: "x", expectedVersion: 6 }) { result { version } } }`,
    { id: ref },
    teamId,
  );
  expect(answer.status).toBe(409);
  expect(answer.data).toEqual({ updateSessionDoc: null });
  expect(answer.errors?.[0]).toMatchObject({
    message: "The document is at version 0, not 6.",
    path: ["updateSessionDoc"],
    extensions: {
      code: "version_conflict",
      status: 409,
      details: { current_version: 0, expected_version: 6, hint: expect.any(String) },
    },
  });
});

test("a stranger gets 401, with or without a credential of another session", async () => {
  const { ref } = await server.createSession();
  const { teamId } = await server.createSession();
  for (const stranger of [undefined, teamId, "pt_wrong"]) {
    const { status, errors } = await server.ask(POST, { id: ref, text: "hi" }, stranger);
    expect([status, errors?.[0]?.extensions.code]).toEqual([401, "unauthorized"]);
  }
});

test("an unknown session is 404", async () => {
  const { status, errors } = await server.ask(`{ getSession(sessionId: "no-such-99") { title } }`);
  expect([status, errors?.[0]?.extensions.code]).toEqual([404, "session_not_found"]);
});

test.each([
  ["syntax", "{ sessions {"],
  ["an unknown field", "{ sessions { nodes { secret } } }"],
  ["a missing argument", "{ getSession { title } }"],
  ["a variable of the wrong type", "query ($id: UUID!) { session(id: $id) { id } }"],
  ["a value that is no uuid", '{ session(id: "x") { id } }'],
  ["a cursor that is none", '{ sessions(after: "x") { nodes { id } } }'],
  ["a number too large", '{ readSessionDoc(sessionId: "a", version: 3000000000) { version } }'],
  ["NUL in the query", '{ sessionByRef(ref: "\\u0000") { id } }'],
  ["a subscription without a WebSocket", "subscription { sessionList { query { __typename } } }"],
  ["no query at all", undefined],
])("%s is 400 and invalid_argument", async (_, query) => {
  const { status, errors } = await server.ask(query as string, { id: 7 });
  expect([status, errors?.[0]?.extensions]).toEqual([
    400,
    { code: "invalid_argument", status: 400, details: expect.any(Object) },
  ]);
});

test.each([
  ["NUL", "a\0b", "text"],
  ["half a surrogate pair", { text: "\ud800" }, "text"],
])("%s in a variable is refused, naming it", async (_, text, field) => {
  const { ref, teamId } = await server.createSession();
  const { status, errors } = await server.ask(POST, { id: ref, text }, teamId);
  expect([status, errors?.[0]?.extensions]).toMatchObject([400, { code: "invalid_argument", details: { field } }]);
});

test.each(["1e400", "9007199254740993", '[{"a": -1e30}]'])("%s in a variable is refused, not changed", async (n) => {
  const { ref, teamId } = await server.createSession();
  const query = `mutation ($id: String!, $data: JSON) {
    postMessage(input: { sessionId: $id, content: "x", metadata: $data }) { result { cursor } }
  }`;
  const send = (data: string) =>
    server.send(`{"query": ${JSON.stringify(query)}, "variables": {"id": "${ref}", "data": {"n": ${data}}}}`, {
      "x-team-id": teamId,
    });
  expect((await send("9007199254740991")).status).toBe(200);
  const { status, errors } = await send(n);
  expect([status, errors?.[0]?.extensions]).toMatchObject([
    400,
    { details: { field: "data", hint: expect.any(String) } },
  ]);
});

test.each([
  ["an unknown argument", { content: "x", bogus: 1 }, "bogus"],
  ["a missing one", {}, "content"],
  ["one of another type", { content: "x", expectedCursor: "soon" }, "expectedCursor"],
  ["one deep inside", { content: "x", to: [{}] }, "to"],
])("%s is named as the field", async (_, input, field) => {
  const { ref, teamId } = await server.createSession();
  const query = "mutation ($input: PostMessageInput!) { postMessage(input: $input) { result { cursor } } }";
  const { status, errors } = await server.ask(query, { input: { sessionId: ref, ...input } }, teamId);
  expect([status, errors?.[0]?.extensions]).toMatchObject([400, { code: "invalid_argument", details: { field } }]);
});

test("a query that cannot be understood is the field itself, an argument written into it is named", async () => {
  const fieldOf = async (query: string) => (await server.ask(query)).errors?.[0]?.extensions.details.field;
  expect(await fieldOf("{ nothingOfTheKind }")).toBe("query");
  expect(await fieldOf('mutation { postMessage(input: { sessionId: "a-b-1" }) { result { cursor } } }')).toBe(
    "content",
  );
  expect(await fieldOf('{ getSession(sessionId: "a-b-1", more: 1) { ref } }')).toBe("more");
});

test("a body that is not JSON, not UTF-8, a list of queries or too large is refused", async () => {
  const codes = async (body: string | Uint8Array<ArrayBuffer>) => {
    const { status, errors } = await server.send(body);
    return [status, errors?.[0]?.extensions.code];
  };
  expect(await codes("{")).toEqual([400, "invalid_argument"]);
  expect(await codes("")).toEqual([400, "invalid_argument"]);
  expect(
    await codes(Uint8Array.from([...Buffer.from('{"query": "{ __typename } #'), 0xff, ...Buffer.from('"}')])),
  ).toEqual([400, "invalid_argument"]);
  expect(await codes('[{"query": "{ __typename }"}]')).toEqual([400, "invalid_argument"]);
  expect(await codes(JSON.stringify({ query: "{ __typename }", variables: { x: "x".repeat(5_000_000) } }))).toEqual([
    413,
    "body_too_large",
  ]);
});

test("curl -d is understood, GET is not", async () => {
  const form = await server.send('{"query": "{ __typename }"}', {
    "content-type": "application/x-www-form-urlencoded",
  });
  expect([form.status, form.data]).toEqual([200, { __typename: "Query" }]);
  const get = await fetch(`${server.url}?query={__typename}`);
  expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
  expect(await get.json()).toMatchObject({ errors: [{ extensions: { code: "method_not_allowed" } }] });
});

test("what nobody foresaw is masked, and the rest of the answer is there", async () => {
  await server.createSession();
  await server.addVerb("broken", "assert false, 'secret of the house'");
  const { status, errors, data } = await server.ask("{ broken sessions(first: 1) { nodes { __typename } } }");
  expect(status).toBe(500);
  expect(errors?.[0]).toMatchObject({
    message: "Something went wrong on our side.",
    extensions: { code: "internal", details: { hint: expect.any(String) } },
  });
  expect(JSON.stringify(errors)).not.toMatch(/secret|assert|plpgsql/);
  expect(data).toEqual({ broken: null, sessions: { nodes: [{ __typename: "Session" }] } });
});

test("a statement that takes too long is stopped", async () => {
  await server.addVerb("slow", "perform pg_sleep(20)");
  const { status, headers, errors } = await server.ask("{ slow }");
  expect([status, errors?.[0]?.extensions.code, headers.get("retry-after")]).toEqual([503, "unavailable", "2"]);
});

test("a database that goes away is 503, and what comes after is served again", async () => {
  await server.addVerb("dying", "perform pg_sleep(20)");
  const answer = server.ask("{ dying }");
  const kill = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'parley graphql' and query like '%dying%' and state = 'active'`;
  await until(
    () => connected(server.parley.database.url(), async (client) => (await client.query(kill)).rowCount),
    "the call",
  );
  const { status, errors } = await answer;
  expect([status, errors?.[0]?.extensions.code]).toEqual([503, "unavailable"]);
  expect((await server.ask("{ sessions { totalCount } }")).status).toBe(200);
});
