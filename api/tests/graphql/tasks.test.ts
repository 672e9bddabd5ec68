import { afterAll, beforeAll, expect, test } from "vitest";
import { type GraphQLTestServer, hears, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

const FIELDS = `tasks(orderBy: PRIMARY_KEY_ASC) { nodes { task title status blockedBy claimExpiresAt holder { handle } } }`;
const ADD = `mutation ($id: String!, $tasks: JSON!) { addTasks(input: { sessionId: $id, tasks: $tasks }) { result { open blocked } } }`;
const CLAIM = `mutation ($id: String!) { claimTask(input: { sessionId: $id, wait: 30 }) { result { task open } } }`;

test("tasks, their holders and what they wait for are read, changed and watched", async () => {
  const { ref, teamId } = await server.createSession();
  const { close, subscribe } = server.connect();
  const watched = subscribe(
    `subscription ($id: String!) { sessionTasks(sessionId: $id) { session { ${FIELDS} heldPaths { nodes { path holder { handle } } } } } }`,
    { id: ref },
  );
  const seen = async () => (await watched.next()).data.sessionTasks.session;
  expect(await seen()).toEqual({ tasks: { nodes: [] }, heldPaths: { nodes: [] } });

  const tasks = [
    { title: "One", paths: ["src/"] },
    { title: "Two", depends_on: ["+1"] },
  ];
  const added = await server.ask(ADD, { id: ref, tasks }, teamId);
  expect(added.data.addTasks.result).toEqual({ open: 1, blocked: 1 });
  const [one, two] = [
    { task: 1, title: "One", status: "open", blockedBy: [], claimExpiresAt: null, holder: null },
    { task: 2, title: "Two", status: "blocked", blockedBy: [1], claimExpiresAt: null, holder: null },
  ];
  await hears(seen, { tasks: { nodes: [one, two] } });

  expect((await server.ask(CLAIM, { id: ref }, teamId)).data.claimTask.result).toEqual({ task: 1, open: null });
  await hears(seen, {
    tasks: { nodes: [{ status: "claimed", holder: { handle: "alexs-team" }, claimExpiresAt: expect.any(String) }, {}] },
    heldPaths: { nodes: [{ path: "src/", holder: { handle: "alexs-team" } }] },
  });
  // There is nobody to hold the call: it says at once that there is nothing.
  expect((await server.ask(CLAIM, { id: ref }, teamId)).data.claimTask.result).toEqual({ task: null, open: 0 });
  const refused = await server.ask(CLAIM, { id: ref });
  expect(refused.errors?.[0]?.extensions.code).toBe("unauthorized");
  await close();
});
