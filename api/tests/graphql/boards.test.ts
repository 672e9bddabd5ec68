import { afterAll, beforeAll, expect, test } from "vitest";
import { type GraphQLTestServer, hears, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

const BOARD = `boardBySlug: board(slug: "billing") {
  name zones
  placements(first: 500, orderBy: [PLACED_AT_DESC]) {
    nodes { zone placedAt session { ref title state lastActivityAt participants(first: 12) { nodes { handle activity } } } }
  }
}`;
const PLACE = `mutation ($id: String!, $zone: String) {
  placeSession(input: { sessionId: $id, board: "billing", zone: $zone }) { result { board zone } }
}`;

test("a page shows boards with their zones and sessions, and is told of every move", async () => {
  await server.ask(`mutation { createBoard(input: { name: "Billing" }) { result { board } } }`);
  const { ref, teamId } = await server.createSession("Port billing");
  const { close, subscribe } = server.connect();
  const boards = subscribe(`subscription { boardList { query { ${BOARD} } } }`);
  const seen = async () => (await boards.next()).data.boardList.query.boardBySlug.placements.nodes;
  expect(await seen()).toEqual([]);

  const moved = await server.ask(PLACE, { id: ref, zone: "In progress" }, teamId);
  expect(moved.data.placeSession.result).toEqual({ board: "billing", zone: "In progress" });
  await hears(seen, [
    {
      zone: "In progress",
      session: { ref, title: "Port billing", state: "live", participants: { nodes: [{ activity: "working" }] } },
    },
  ]);
  await server.ask(
    `mutation ($id: String!) { concludeSession(input: { sessionId: $id, summarySection: "Done." }) { result { status } } }`,
    { id: ref },
    teamId,
  );
  await hears(seen, [{ session: { state: "concluded" } }]);
  await close();

  const { data } = await server.ask(
    `query ($ref: String!) {
    boards(orderBy: [CREATED_AT_DESC]) { nodes { slug zones } }
    sessionByRef(ref: $ref) { placement { zone board { slug name } } }
    listBoards { boards { board sessions } }
  }`,
    { ref },
  );
  expect(data).toEqual({
    boards: { nodes: [{ slug: "billing", zones: ["Planning", "In progress", "Done"] }] },
    sessionByRef: { placement: { zone: "In progress", board: { slug: "billing", name: "Billing" } } },
    listBoards: { boards: [{ board: "billing", sessions: 1 }] },
  });
});

test("who comes from elsewhere moves nothing without a team, nor does one of another session", async () => {
  await server.ask(`mutation { createBoard(input: { name: "Billing" }) { result { board } } }`);
  const [mine, other] = [await server.createSession(), await server.createSession()];
  const body = JSON.stringify({ query: PLACE, variables: { id: mine.ref } });
  const afar = await server.send(body, { "x-forwarded-for": "203.0.113.7" });
  expect(afar.errors?.[0]?.extensions.code).toBe("unauthorized");
  expect((await server.ask(PLACE, { id: mine.ref }, other.teamId)).errors?.[0]?.extensions.code).toBe("unauthorized");
  expect((await server.ask(PLACE, { id: mine.ref }, mine.teamId)).data.placeSession.result.zone).toBe("Planning");
});

test("the lineage of a session is a field of it, and a page that watches it is told", async () => {
  const { ref, teamId } = await server.createSession("Root");
  const { close, subscribe } = server.connect();
  const sessions = subscribe(
    `subscription ($id: String!) { sessionDoc(sessionId: $id) { session { lineage { ref ancestors { ref } descendants { title relation of status } } } } }`,
    { id: ref },
  );
  const seen = async () => (await sessions.next()).data.sessionDoc.session.lineage;
  expect(await seen()).toEqual({ ref, ancestors: [], descendants: [] });
  const spawn = `mutation ($id: String!) { spawnSession(input: { sessionId: $id, title: "Child", description: "" }) { result { ref teamId } } }`;
  const child = (await server.ask(spawn, { id: ref }, teamId)).data.spawnSession.result;
  const entry = { title: "Child", relation: "spawned", of: ref };
  await hears(seen, { descendants: [{ ...entry, status: "active" }] });
  await server.ask(
    `mutation ($id: String!) { concludeSession(input: { sessionId: $id, summarySection: "Done." }) { result { status } } }`,
    { id: child.ref },
    child.teamId,
  );
  await hears(seen, { descendants: [{ ...entry, status: "closed" }] });
  await close();
});
