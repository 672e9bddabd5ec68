import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool, connect } from "../../../mcp/tests/client.ts";
import { until } from "../../../testing/server.ts";
import { type GraphQLTestServer, hears, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

const silent = (sessionId: string, seconds = 3_600) =>
  server.sql(
    "update parley.participants set last_seen_at = now() - $2 * interval '1 second', known_status = 'disconnected' where session_id = $1",
    [sessionId, seconds],
  );
/** As the page sees it: without a credential. */
async function seen(ref: string) {
  const { data } = await server.ask(
    `query ($ref: String!) { sessionByRef(ref: $ref) { state participants { nodes { activity status listening } } } }`,
    { ref },
  );
  const { state, participants } = data.sessionByRef;
  return { state, ...participants.nodes[0] };
}

test("a call through any door is seen by who watches", async () => {
  const { ref, sessionId, teamId } = await server.createSession();
  const mcp = await connect(server.parley);
  const doors: Record<string, () => Promise<unknown>> = {
    REST: () => server.parley.get(`/sessions/${ref}`, teamId),
    MCP: () => callTool(mcp, "get_session", { session_id: ref, team_id: teamId }),
    GraphQL: () => server.ask(`query ($id: String!) { getSession(sessionId: $id) { title } }`, { id: ref }, teamId),
    "a table by GraphQL": () => server.ask(`{ sessions(first: 1) { nodes { ref } } }`, {}, teamId),
  };
  for (const [door, call] of Object.entries(doors)) {
    await silent(sessionId);
    expect([door, await seen(ref)]).toEqual([
      door,
      { state: "quiet", activity: "silent", status: "disconnected", listening: false },
    ]);
    await call();
    await until(async () => (await seen(ref)).activity === "working", `the sign of life over ${door}`);
    expect(await seen(ref)).toMatchObject({ state: "live", status: "active" });
  }
  await mcp.close();
});

test("a session is live for two minutes after the last call of a team that is there", async () => {
  const { ref, sessionId, teamId } = await server.createSession();
  await silent(sessionId, 119);
  expect(await seen(ref)).toMatchObject({ state: "live", activity: "working", status: "disconnected" });
  await silent(sessionId, 121);
  expect(await seen(ref)).toMatchObject({ state: "quiet", activity: "working" });
  await server.parley.post(`/sessions/${ref}/leave`, {}, teamId);
  expect(await seen(ref)).toMatchObject({ state: "quiet", activity: "left" });
});

test("who comes back by a read is announced to the page", async () => {
  const { ref, sessionId, teamId } = await server.createSession();
  await silent(sessionId);
  const { close, subscribe } = server.connect();
  const roster = subscribe(
    `subscription ($id: String!) { sessionRoster(sessionId: $id) { session { participants { nodes { activity } } } } }`,
    { id: ref },
  );
  const next = async () => (await roster.next()).data.sessionRoster.session.participants.nodes[0].activity;
  expect(await next()).toBe("silent");
  await server.parley.get(`/sessions/${ref}/doc`, teamId);
  await hears(next, "working");
  await close();
});
