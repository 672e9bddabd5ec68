import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GraphQLTestServer, POST, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

describe("the list of sessions", () => {
  const find = async (args: string) => {
    const { data } = await server.ask(
      `{ findSessions${args} { nodes { ref state lastActivityAt lastMessage { sequence } } } }`,
    );
    return data.findSessions.nodes;
  };

  test("begins with the newest activity, and is found by text and by status", async () => {
    const first = await server.createSession("Of whales");
    const second = await server.createSession("Of 100% otters");
    await server.ask(POST, { id: first.ref, text: "news" }, first.teamId);
    const all = await find("");
    expect(all.slice(0, 2)).toMatchObject([
      { ref: first.ref, lastMessage: { sequence: 1 } },
      { ref: second.ref, lastMessage: null },
    ]);
    expect(await find(`(search: "OTTERS")`)).toMatchObject([{ ref: second.ref }]);
    expect(await find(`(search: "100%")`)).toHaveLength(1);
    expect(await find(`(search: "${first.ref}")`)).toHaveLength(1);
    await server.ask(
      `mutation ($id: String!) { concludeSession(input: { sessionId: $id, summarySection: "x" }) { result { status } } }`,
      { id: second.ref },
      second.teamId,
    );
    expect(await find(`(status: "closed")`)).toMatchObject([{ ref: second.ref, state: "concluded" }]);
  });

  test("a session is live after a call, and quiet later", async () => {
    const { ref, sessionId } = await server.createSession("Fading");
    const state = async () => (await find(`(search: "${ref}")`))[0].state;
    expect(await state()).toBe("live");
    await server.sql("update parley.participants set last_seen_at = now() - interval '1 hour' where session_id = $1", [
      sessionId,
    ]);
    expect(await state()).toBe("quiet");
  });
});

describe("the feed", () => {
  test("any stretch of it can be read, and its messages can be found", async () => {
    const { ref } = await server.sessionWithMessages(12);
    const { data } = await server.ask(
      `query ($ref: String!) { sessionByRef(ref: $ref) {
        feed(fromCursor: 4, toCursor: 6) { nodes { sequence content } }
        findMessages(search: "MESSAGE 1") { nodes { sequence } }
        nobody: findMessages(search: "message", team: "somebody-else") { nodes { sequence } }
      } }`,
      { ref },
    );
    expect(data.sessionByRef).toEqual({
      feed: { nodes: [4, 5, 6].map((sequence) => ({ sequence, content: { text: `message ${sequence}` } })) },
      findMessages: { nodes: [12, 11, 10, 1].map((sequence) => ({ sequence })) },
      nobody: { nodes: [] },
    });
  });

  test("is exported with the document, as markdown and as data", async () => {
    const { ref, teamId } = await server.sessionWithMessages(2);
    await server.ask(
      `mutation ($id: String!) { appendToSessionDoc(input: { sessionId: $id, text: "A finding" }) { result { version } } }`,
      { id: ref },
      teamId,
    );
    const { data } = await server.ask(`query ($ref: String!) { sessionByRef(ref: $ref) { asMarkdown asJson } }`, {
      ref,
    });
    expect(data.sessionByRef.asMarkdown).toMatch(/# A session[\s\S]*> message 1[\s\S]*> message 2[\s\S]*A finding/);
    expect(data.sessionByRef.asJson).toMatchObject({
      session: { ref, title: "A session" },
      participants: [{ handle: "alexs-team" }],
      document: { version: 1, content: "A finding" },
      messages: [{ cursor: 1, content: { text: "message 1" } }, { cursor: 2 }],
    });
    expect(JSON.stringify(data)).not.toContain(teamId);
  });
});

test("presence is remembered: who was there, fell silent, came back and left", async () => {
  const { ref, sessionId, teamId } = await server.createSession();
  const sweep = (seconds: number) =>
    server.sql("select parley_private.sweep_presence(now() + $1 * interval '1 second')", [seconds]);
  await sweep(30);
  await sweep(90);
  await server.parley.get(`/sessions/${ref}/messages/wait?timeout=0`, teamId);
  await server.parley.post(`/sessions/${ref}/leave`, {}, teamId);
  const { data } = await server.ask(
    `query ($id: UUID!) { session(id: $id) { presenceChanges { nodes { participantId at status } } } }`,
    { id: sessionId },
  );
  const statuses = data.session.presenceChanges.nodes.map((change: { status: string }) => change.status);
  expect(statuses).toEqual(["active", "idle", "disconnected", "active", "disconnected"]);
});

describe("settings", () => {
  const UPDATE = `mutation ($name: String!, $value: JSON!) { updateSetting(input: { name: $name, value: $value }) { result { name value updatedAt } } }`;

  test("a change is told to every page that is open", async () => {
    const { close, subscribe } = server.connect();
    const settings = subscribe(`subscription { settingsChanged { query { setting(name: "mcp_url") { value } } } }`);
    const seen = async () => (await settings.next()).data.settingsChanged.query.setting.value;
    expect(await seen()).toBe("");
    const { data } = await server.ask(UPDATE, { name: "mcp_url", value: "https://parley.example.com/mcp" });
    expect(data.updateSetting.result).toMatchObject({
      value: "https://parley.example.com/mcp",
      updatedAt: expect.any(String),
    });
    expect(await seen()).toBe("https://parley.example.com/mcp");
    await server.ask(UPDATE, { name: "mcp_url", value: "" });
    await close();
  });

  test.each([
    ["mcp_url", "ftp://x", 400],
    ["idle_polls", 0, 400],
    ["idle_polls", "many", 400],
    ["presence_active_seconds", 60, 400],
    ["nonsense", 1, 404],
  ])("%s may not be %j", async (name, value, status) => {
    const answer = await server.ask(UPDATE, { name, value });
    expect(answer.status).toBe(status);
    if (status === 400)
      expect(answer.errors?.[0]?.extensions).toMatchObject({ code: "invalid_argument", details: { field: name } });
  });
});
