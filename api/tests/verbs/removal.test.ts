import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool, connect } from "../../../mcp/tests/client.ts";
import { metric } from "../../../testing/faults.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import { type GraphQLTestServer, hears, startGraphQL } from "../graphql/test-client.ts";

const DELETE = `mutation ($id: String!) { deleteSession(input: { sessionId: $id }) { result { ref } } }`;

let graphql: GraphQLTestServer;
let parley: TestServer;
let replica: TestServer;
beforeAll(async () => {
  graphql = await startGraphQL();
  parley = graphql.parley;
  replica = await startTestServer({ database: parley.database });
});
afterAll(async () => {
  await replica.stop();
  await graphql.stop();
});

const waiting = (server: TestServer, count: number) =>
  until(async () => (await metric(server.url, "parley_waiting_calls")) === count, `${count} waits to be held`);

test("every wait on it ends with 404, here and on another server, whatever it waits for", async () => {
  const alex = await parley.create();
  const blue = await parley.join(alex);
  const { cursor } = await parley.say(alex, "Shall we?");
  const stream = { headers: { accept: "text/event-stream" } };
  const held = [
    parley.wait(blue, { since_cursor: cursor }),
    replica.wait(blue, { since_cursor: cursor }),
    replica.get(`/sessions/${alex.ref}/messages/${cursor}/replies`, alex),
  ];
  const streamed = parley.wait(blue, { since_cursor: cursor }, stream);
  await waiting(parley, 2);
  await waiting(replica, 2);
  expect((await graphql.ask(DELETE, { id: alex.ref })).data.deleteSession.result.ref).toBe(alex.ref);
  for (const { status, body } of await Promise.all(held)) {
    expect(status).toBe(404);
    expect(body.error.code).toBe("session_not_found");
  }
  expect((await streamed).body).toMatch(/^event: error\ndata: \{"error":\{"code":"session_not_found"/m);
  for (const server of [parley, replica])
    expect(await server.get(`/sessions/${alex.ref}/messages`, alex)).toMatchObject({ status: 404 });
});

test("whoever watches it or the list of sessions is told", async () => {
  const alex = await parley.create("Alex's Team", "Soon gone");
  const { close, subscribe } = graphql.connect();
  const feed = subscribe(`subscription ($id: String!) { sessionFeed(sessionId: $id) { session { ref } } }`, {
    id: alex.ref,
  });
  const list = subscribe(`subscription { sessionList { query { allSessions: sessions { nodes { ref } } } } }`);
  expect((await feed.next()).data.sessionFeed.session.ref).toBe(alex.ref);
  expect(JSON.stringify((await list.next()).data)).toContain(alex.ref);
  await graphql.ask(DELETE, { id: alex.ref });
  await hears(async () => (await feed.next()).data.sessionFeed.session, null);
  await hears(async () => JSON.stringify((await list.next()).data), expect.not.stringContaining(alex.ref));
  await close();
});

test("whoever is not on the server's machine is refused, over every door, and it changes nothing", async () => {
  const alex = await parley.create();
  const forwarded = { headers: { "x-forwarded-for": "192.0.2.7" } };
  const answer = await parley.post(`/sessions/${alex.ref}/delete`, {}, alex, forwarded);
  expect(answer).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  const body = JSON.stringify({ query: DELETE, variables: { id: alex.ref } });
  expect(await graphql.send(body, forwarded.headers)).toMatchObject({
    status: 403,
    errors: [{ extensions: { code: "forbidden" } }],
  });
  expect((await parley.get(`/sessions/${alex.ref}`, alex)).status).toBe(200);
});

test("agents are not offered it unless they ask for what is for administrators", async () => {
  const names = async (path: string) => {
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const { result } = (await (await fetch(`${parley.url}${path}`, { method: "POST", body: message })).json()) as {
      result: { tools: { name: string; annotations: object }[] };
    };
    return result.tools;
  };
  expect((await names("/mcp")).map(({ name }) => name)).not.toContain("delete_session");
  const offered = (await names("/mcp?toolset=admin")).find(({ name }) => name === "delete_session");
  // Whatever is not said to be harmless may destroy.
  expect(offered?.annotations).toEqual({});
  expect(await (await fetch(`${parley.url}/AGENTS.md`)).text()).not.toContain("delete_session");
  expect(await (await fetch(`${parley.url}/api/openapi.json`)).text()).toContain("/delete");
});

test("a session that was concluded too long ago is gone after a sweep of the worker", async () => {
  const worker = await startTestServer({ database: parley.database, worker: true });
  const [old, young]: Team[] = await Promise.all([parley.create(), parley.create()]);
  const sql = (text: string, values: unknown[] = []) =>
    connected(parley.database.url(), async (client) => (await client.query(text, values)).rows);
  for (const team of [old, young] as Team[])
    await parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
  await sql("update parley.sessions set closed_at = now() - interval '8 days' where ref = $1", [old?.ref]);
  await sql("update parley.settings set value = '7' where name = 'delete_closed_after'");
  await until(async () => {
    await sql("update graphile_worker._private_jobs set run_at = now() where locked_at is null");
    return (await parley.get(`/sessions/${old?.ref}`, old)).status === 404;
  }, "the end of the old one");
  expect((await parley.get(`/sessions/${young?.ref}`, young)).status).toBe(200);
  await worker.stop();
});

test("over MCP from elsewhere it is refused, too", async () => {
  const alex = await parley.create();
  const client = await connect(parley, "/mcp", { "x-forwarded-for": "192.0.2.7" });
  const { isError, text } = await callTool(client, "delete_session", { session_id: alex.ref });
  expect({ isError, ...JSON.parse(text).error }).toMatchObject({ isError: true, code: "forbidden" });
  await client.close();
  expect((await parley.get(`/sessions/${alex.ref}`, alex)).status).toBe(200);
});
