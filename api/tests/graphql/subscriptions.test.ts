import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import { SESSION_GAP_MS } from "../../graphql/subscriptions.ts";
import { type GraphQLTestServer, hears, POST, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

test("sessionFeed shows the feed at once and after each post", async () => {
  const { ref, teamId } = await server.sessionWithMessages(1);
  const { close, subscribe } = server.connect();
  const feed = subscribe(
    `subscription ($id: String!) { sessionFeed(sessionId: $id) { session { lastSequence messages(last: 1) { nodes { content } } } } }`,
    { id: ref },
  );
  const seen = async () => (await feed.next()).data.sessionFeed.session;
  expect(await seen()).toMatchObject({ lastSequence: 1 });
  await server.ask(POST, { id: ref, text: "news" }, teamId);
  await hears(seen, {
    lastSequence: 2,
    messages: { nodes: [{ content: { text: "news" } }] },
  });
  await close();
});

test("sessionRoster shows who has joined and who has left", async () => {
  const { sessionId, ref, teamId } = await server.createSession();
  const { close, subscribe } = server.connect();
  const roster = subscribe(
    `subscription ($id: String!) { sessionRoster(sessionId: $id) { session { participants { nodes { handle status } } } } }`,
    { id: sessionId },
  );
  const seen = async () => (await roster.next()).data.sessionRoster.session.participants.nodes;
  expect(await seen()).toEqual([{ handle: "alexs-team", status: "active" }]);
  await server.ask(
    `mutation ($id: String!) { joinSession(input: { sessionId: $id, teamName: "Bo" }) { result { cursor } } }`,
    { id: ref },
  );
  await hears(seen, [expect.anything(), expect.anything()]);
  await server.ask(
    `mutation ($id: String!) { leaveSession(input: { sessionId: $id }) { result { handle } } }`,
    { id: ref },
    teamId,
  );
  await hears(seen, expect.arrayContaining([{ handle: "alexs-team", status: "disconnected" }]));
  await close();
});

test("sessionDoc shows the document, title and status", async () => {
  const { ref, teamId } = await server.createSession("Before");
  const { close, subscribe } = server.connect();
  const doc = subscribe(
    `subscription ($id: String!) { sessionDoc(sessionId: $id) { session { title status sessionDoc } } }`,
    { id: ref },
  );
  const seen = async () => (await doc.next()).data.sessionDoc.session;
  expect(await seen()).toEqual({ title: "Before", status: "active", sessionDoc: "" });
  await server.ask(
    `mutation ($id: String!) { appendToSessionDoc(input: { sessionId: $id, text: "x" }) { result { version } } }`,
    { id: ref },
    teamId,
  );
  await hears(seen, expect.objectContaining({ sessionDoc: "x" }));
  await server.ask(
    `mutation ($id: String!) { updateSessionMetadata(input: { sessionId: $id, title: "After", reason: "r" }) { result { title } } }`,
    { id: ref },
    teamId,
  );
  await hears(seen, expect.objectContaining({ title: "After" }));
  await close();
});

test("sessionList shows new sessions, and what happens in them", async () => {
  const { close, subscribe } = server.connect();
  const list = subscribe(
    `subscription { sessionList { query { sessions(first: 1, orderBy: CREATED_AT_DESC) { nodes { title lastSequence } } } } }`,
  );
  const seen = async () => (await list.next()).data.sessionList.query.sessions.nodes[0];
  await seen();
  const title = randomUUID();
  const { ref, teamId } = await server.createSession(title);
  await hears(seen, { title, lastSequence: 0 });
  await server.ask(POST, { id: ref, text: "x" }, teamId);
  await hears(seen, { title, lastSequence: 1 });
  await close();
});

test("many posts are few ticks, and the last one shows the last post", async () => {
  const { ref, teamId } = await server.createSession();
  const { close, subscribe } = server.connect();
  const feed = subscribe(`subscription ($id: String!) { sessionFeed(sessionId: $id) { session { lastSequence } } }`, {
    id: ref,
  });
  await feed.next();
  const start = Date.now();
  await Promise.all(Array.from({ length: 60 }, (_, i) => server.ask(POST, { id: ref, text: `${i}` }, teamId)));
  const seen = [];
  while (seen.at(-1) !== 60) seen.push((await feed.next()).data.sessionFeed.session.lastSequence);
  expect(seen.length).toBeLessThanOrEqual(2 + (Date.now() - start) / SESSION_GAP_MS);
  await close();
});

test("an unknown session is an error of the subscription", async () => {
  const { close, subscribe } = server.connect();
  const answer = await subscribe(`subscription { sessionFeed(sessionId: "no-such-99") { session { id } } }`).next();
  expect(answer.errors?.[0]?.extensions).toMatchObject({ code: "session_not_found", status: 404 });
  await close();
});

test("the limits hold on a WebSocket too", async () => {
  const { close, subscribe } = server.connect();
  const answer = await subscribe(
    "subscription { sessionList { query { sessions(first: 501) { nodes { id } } } } }",
  ).next();
  expect(answer.errors?.[0]?.extensions).toMatchObject({ code: "invalid_argument" });
  await close();
});

test.each(["X-Team-ID", "teamId"])("a team that connects with %s can call its verbs there", async (name) => {
  const { ref, teamId } = await server.createSession();
  const { close, subscribe } = server.connect({ [name]: teamId });
  const { data } = await subscribe(POST, { id: ref, text: "over the socket" }).next();
  expect(data.postMessage.result.cursor).toBe(1);
  await close();
});

test("a socket has a largest number of subscriptions", async () => {
  const { close, subscribe } = server.connect();
  const open = Array.from({ length: 20 }, () => subscribe("subscription { sessionList { query { __typename } } }"));
  await Promise.all(open.map(({ next }) => next()));
  await expect(subscribe("subscription { sessionList { query { __typename } } }").next()).rejects.toMatchObject([
    { extensions: { code: "rate_limited" } },
  ]);
  await open[0]?.stop();
  expect((await subscribe("{ __typename }").next()).data).toEqual({ __typename: "Query" });
  await close();
});

test("a message that is too large ends the socket, not the server", async () => {
  const socket = new WebSocket(server.socketUrl, "graphql-transport-ws");
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init", payload: { x: "x".repeat(100_001) } }));
  const [code] = await once(socket, "close");
  expect(code).toBe(1009);
  expect((await server.ask("{ __typename }")).status).toBe(200);
});

test("a foreign page and an unknown path get no WebSocket", async () => {
  const answer = async (url: string, origin: string) => {
    const socket = new WebSocket(url, "graphql-transport-ws", { origin });
    socket.on("error", () => undefined);
    const [, response] = await once(socket, "unexpected-response");
    return response.statusCode;
  };
  const url = server.socketUrl;
  expect(await answer(url, "http://evil.example")).toBe(403);
  expect(await answer(url.replace("/graphql", "/other"), server.parley.url)).toBe(404);
});

test("a running subscription survives a new verb", async () => {
  const { ref, teamId } = await server.createSession();
  const { close, subscribe } = server.connect();
  const feed = subscribe(`subscription ($id: String!) { sessionFeed(sessionId: $id) { session { lastSequence } } }`, {
    id: ref,
  });
  await feed.next();
  await server.addVerb("another", "null");
  await server.ask(POST, { id: ref, text: "x" }, teamId);
  await hears(async () => (await feed.next()).data.sessionFeed.session.lastSequence, 1);
  await close();
});

test("a change that was never announced comes too, a few seconds later", async () => {
  const { ref } = await server.createSession();
  const { close, subscribe } = server.connect();
  const doc = subscribe(`subscription ($id: String!) { sessionDoc(sessionId: $id) { session { title } } }`, {
    id: ref,
  });
  await doc.next();
  await server.sql(`
    begin;
    alter table parley.sessions disable trigger user;
    update parley.sessions set title = 'In silence' where ref = '${ref}';
    alter table parley.sessions enable trigger user;
    commit`);
  await hears(async () => (await doc.next()).data.sessionDoc.session.title, "In silence");
  await close();
});
