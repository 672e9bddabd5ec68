import { afterAll, beforeAll, expect, test } from "vitest";
import { type GraphQLTestServer, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

const SAY = `mutation ($input: PostMessageInput!) { postMessage(input: $input) { result { cursor messageId unread } } }`;

/** A session of two teams: the second has joined at cursor 1. */
async function pair() {
  const a = await server.parley.create();
  return [a, await server.parley.join(a)] as const;
}

test("a message is posted with all that it can have, and told with it", async () => {
  const [a, b] = await pair();
  const question = await server.ask(
    SAY,
    { input: { sessionId: a.ref, content: "who?", kind: "question", to: [b.handle], metadata: { ticket: 42 } } },
    a.team_id,
  );
  expect(question.data.postMessage.result).toMatchObject({ cursor: 2, unread: 1 });
  const input = { sessionId: a.ref, content: "I do", kind: "answer", replyTo: "2", clientMessageId: "k" };
  for (let i = 0; i < 2; i++)
    expect((await server.ask(SAY, { input }, b.team_id)).data.postMessage.result.cursor).toBe(3);
  await server.ask(
    `mutation ($id: String!) { ackMessages(input: { sessionId: $id, throughCursor: 2 }) { result { ackedCursor } } }`,
    { id: a.ref },
    b.team_id,
  );
  const { data } = await server.ask(
    `query ($ref: String!) { sessionByRef(ref: $ref) { feed(fromCursor: 2, toCursor: 3) { nodes {
      kind addressedTo expectsReply metadata readBy replyTo repliedTo { sequence content } } } } }`,
    { ref: a.ref },
  );
  expect(data.sessionByRef.feed.nodes).toEqual([
    {
      kind: "question",
      addressedTo: [b.handle],
      expectsReply: true,
      metadata: { ticket: 42 },
      readBy: [b.handle],
      replyTo: null,
      repliedTo: null,
    },
    {
      kind: "answer",
      addressedTo: null,
      expectsReply: false,
      metadata: null,
      readBy: [],
      replyTo: 2,
      repliedTo: { sequence: 2, content: { text: "who?" } },
    },
  ]);
});

test("the key of a post is taken and never told", async () => {
  const { data } = await server.ask(`{ __schema { types { name fields { name } } } }`);
  const types = data.__schema.types as { name: string; fields: { name: string }[] | null }[];
  const told = types.filter(({ fields }) => fields?.some(({ name }) => /clientMessageId|idempotencyKey/.test(name)));
  expect(told.map(({ name }) => name)).toEqual([]);
});

test("a stale post and a key used twice are refused with their details", async () => {
  const [a, b] = await pair();
  await server.parley.say(b, "wait");
  const stale = await server.ask(SAY, { input: { sessionId: a.ref, content: "x", expectedCursor: 1 } }, a.team_id);
  expect([stale.status, stale.errors?.[0]?.extensions]).toMatchObject([
    409,
    { code: "stale_post", details: { current_cursor: 2, messages: [{ cursor: 2, content: { text: "wait" } }] } },
  ]);
  const input = { sessionId: a.ref, content: "x", clientMessageId: "k" };
  await server.ask(SAY, { input }, a.team_id);
  const other = await server.ask(SAY, { input: { ...input, content: "y" } }, a.team_id);
  expect([other.status, other.errors?.[0]?.extensions]).toMatchObject([
    409,
    { code: "idempotency_conflict", details: { cursor: 3 } },
  ]);
});

test("who watches sees the digest, and where a session was continued", async () => {
  const [a, b] = await pair();
  for (const [team, body] of [
    [a, { content: "why?", kind: "question" }],
    [b, { content: "in cents", kind: "decision" }],
  ] as const)
    await server.parley.post(`/sessions/${a.ref}/messages`, body, team);
  await server.parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "Done." }, a);
  const resumed = await server.ask(
    `mutation ($id: String!) { resumeSession(input: { sessionId: $id, teamName: "Next" }) {
      result { ref docVersion handoff { continues conclusion openQuestions } } } }`,
    { id: a.ref },
  );
  const next = resumed.data.resumeSession.result;
  expect(next).toMatchObject({
    docVersion: 1,
    handoff: { continues: a.ref, conclusion: "Done.", openQuestions: 1 },
  });
  const { data } = await server.ask(
    `query ($old: String!, $new: String!) {
      old: sessionByRef(ref: $old) {
        continuations { nodes { ref } }
        digest { messages openQuestions { cursor text } decisions { cursor handle } events { event } }
        later: digest(sinceCursor: 2) { openQuestions { cursor } decisions { cursor } }
      }
      new: sessionByRef(ref: $new) { continues { ref } }
    }`,
    { old: a.ref, new: next.ref },
  );
  expect(data).toEqual({
    old: {
      continuations: { nodes: [{ ref: next.ref }] },
      digest: {
        messages: 2,
        openQuestions: [{ cursor: 2, text: "why?" }],
        decisions: [{ cursor: 3, handle: b.handle }],
        events: [{ event: "team_joined" }, { event: "session_concluded" }],
      },
      later: { openQuestions: [], decisions: [{ cursor: 3 }] },
    },
    new: { continues: { ref: a.ref } },
  });
});

test("a team asks who it is, for a message, for a digest and for words, as over REST", async () => {
  const [a, b] = await pair();
  await server.parley.say(b, "the needle");
  const query = `query ($id: String!) {
    whoami { ref handle unread }
    getMessage(sessionId: $id, messageId: "2") { content mine }
    getDigest(sessionId: $id) { throughCursor unread }
    search(sessionId: $id, query: "needles") { hits { place cursor snippet } }
  }`;
  expect((await server.ask(query, { id: a.ref }, a.team_id)).data).toEqual({
    whoami: { ref: a.ref, handle: a.handle, unread: 2 },
    getMessage: { content: { text: "the needle" }, mine: false },
    getDigest: { throughCursor: 2, unread: 2 },
    search: { hits: [{ place: "message", cursor: 2, snippet: "the needle" }] },
  });
  const { status, errors } = await server.ask(query, { id: a.ref });
  expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([401, Array(4).fill("unauthorized")]);
});
