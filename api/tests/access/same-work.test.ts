import { afterAll, beforeAll, expect, test } from "vitest";
import { bearer, makeKey } from "../../../testing/access.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";
import { statementsOf, tellStatements } from "../../../testing/statements.ts";
import { DEFAULT_POOLS } from "../../config.ts";
import type { Verb } from "../../verbs/catalogue.ts";
import type { Headers } from "./actors.ts";
import { catalogueOf, sampleOf } from "./samples.ts";
import { byGraphQL, byMcp, byRest, rpc } from "./surfaces.ts";

/** Time tells, too: what the database does for a session that is hidden is what it does for one that never was. */
let database: TestDatabase;
let parley: TestServer;
let stranger: Headers;
let hidden: Team;
let verbs: Verb[];
beforeAll(async () => {
  database = await createTestDatabase();
  verbs = (await catalogueOf(database)).verbs;
  await tellStatements(database);
  // On one connection of each kind nothing is done for the first time after the first time.
  parley = await startTestServer({ database, access: "keys", pools: { ...DEFAULT_POOLS, calls: 1, graphql: 1 } });
  const house = bearer(await makeKey(parley, ["read", "team"]));
  const session = { title: "Needle", description: "", creator_team_name: "Amber", visibility: "members" };
  hidden = (await parley.post("/sessions", session, undefined, { headers: house })).body;
  stranger = bearer(await makeKey(parley, ["read", "team"]));
});
afterAll(async () => {
  await parley.stop();
  await database.drop();
});

async function workOf(ask: (ref: string) => Promise<unknown>, ref: string) {
  const ran = await statementsOf(() => ask(ref));
  return { texts: ran.map(({ text }) => text).sort(), pages: ran.reduce((sum, { pages }) => sum + pages, 0) };
}

async function expectSameWork(what: string, ask: (ref: string) => Promise<unknown>) {
  const never = hidden.ref.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
  await ask(never);
  const [forHidden, forNever] = [await workOf(ask, hidden.ref), await workOf(ask, never)];
  expect(forNever.texts.length, what).toBeGreaterThan(1);
  expect({ what, ran: forHidden.texts }).toEqual({ what, ran: forNever.texts });
  // The row itself, as often as it is looked for and as many functions stand around that; nothing that hangs on it.
  expect(Math.abs(forHidden.pages - forNever.pages), what).toBeLessThanOrEqual(10);
}

test("every verb does the same for a hidden session as for one that never was, by REST and MCP", {
  timeout: 240_000,
}, async () => {
  const ofSessions = verbs.filter(({ arguments: args }) => args.some(({ name }) => name === "session_id"));
  expect(ofSessions.length).toBeGreaterThan(28);
  for (const verb of ofSessions)
    await expectSameWork(verb.name, (session_id) => byRest(parley.url, verb, sampleOf(verb, { session_id }), stranger));
  for (const verb of ofSessions.filter(({ name }) => ["get_session", "join_session", "post_message"].includes(name)))
    await expectSameWork(`${verb.name} by MCP`, (session_id) =>
      byMcp(parley.url, verb, sampleOf(verb, { session_id }), stranger),
    );
});

test("and so do GraphQL, resources and the guide", async () => {
  await expectSameWork("GraphQL", (ref) =>
    byGraphQL(parley.url, `{ sessionByRef(ref: "${ref}") { title } }`, stranger),
  );
  await expectSameWork("a resource", (ref) =>
    rpc(
      parley.url,
      { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: `parley://sessions/${ref}/doc` } },
      stranger,
    ),
  );
  await expectSameWork("the guide", (ref) => fetch(`${parley.url}/s/${ref}/AGENTS.md`, { headers: stranger }));
});
