import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { lookedAt } from "../../../testing/plans.ts";
import { connected } from "../../../testing/postgres.ts";
import { asRole } from "../../postgres/database.ts";
import { type GraphQLTestServer, hears, POST, startGraphQL } from "./test-client.ts";

interface Statement {
  text: string;
  values: unknown[];
}

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

/** Counts the rows of a table that are read, by a policy that looks at each. */
async function rowsRead(table: string, read: () => Promise<unknown>): Promise<number> {
  const policy = `policy ${table}_are_readable on parley.${table}`;
  const [{ rule }] = (
    await server.sql(
      "select pg_get_expr(polqual, polrelid) as rule from pg_policy where polrelid = $1::regclass and polname = $2",
      [`parley.${table}`, `${table}_are_readable`],
    )
  ).rows;
  await server.sql(`
    create sequence parley_private.looks;
    grant usage on sequence parley_private.looks to parley_caller;
    alter ${policy} using (nextval('parley_private.looks') > 0)`);
  try {
    await read();
    const [{ count }] = (await server.sql("select nextval('parley_private.looks')::integer - 1 as count")).rows;
    return count;
  } finally {
    await server.sql(`alter ${policy} using (${rule}); drop sequence parley_private.looks`);
  }
}

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

  test("a session tells how many teams have joined, also when they have left", async () => {
    const { ref, teamId } = await server.createSession("Counted");
    const act = (name: string, args: string, headers = "") =>
      server.ask(`mutation { ${name}(input: { sessionId: "${ref}" ${args} }) { result { handle } } }`, {}, headers);
    await act("joinSession", 'teamName: "Two"');
    await act("leaveSession", "", teamId);
    const { data } = await server.ask(`{ sessionByRef(ref: "${ref}") { teamCount } }`);
    expect(data.sessionByRef.teamCount).toBe(2);
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

describe("a page", () => {
  test.each([
    "feed(fromCursor: 1, toCursor: 1000, first: 1)",
    'findMessages(search: "message", first: 1)',
    'findMessages(team: "alexs-team", kind: "message", first: 1)',
  ])("of one reads one: %s", async (field) => {
    const { ref, sessionId } = await server.createSession();
    await server.sql(
      `insert into parley.messages (session_id, sequence, posted_by, type, content)
      select $1, n, 1, 'chat', '{"text": "A message"}' from generate_series(1, 1000) n`,
      [sessionId],
    );
    await server.sql("analyze parley.messages");
    const read = async () => {
      const { data } = await server.ask(
        `query ($ref: String!) { sessionByRef(ref: $ref) { page: ${field} { nodes { sequence } } } }`,
        { ref },
      );
      expect(data.sessionByRef.page.nodes).toHaveLength(1);
    };
    expect(await rowsRead("messages", read)).toBeLessThan(5);
  });

  test("of the list reads the sessions that it shows", async () => {
    await server.sql(
      `insert into parley.sessions (ref, title, description, created_at, updated_at)
      select 'page-' || n, 'Page', '', t, t from generate_series(1, 500) n, lateral (select now() - n * interval '1 minute' as t) as x`,
    );
    const read = async () => {
      const { data } = await server.ask("{ findSessions(first: 10) { nodes { ref state } pageInfo { hasNextPage } } }");
      expect(data.findSessions.nodes).toHaveLength(10);
    };
    expect(await rowsRead("sessions", read)).toBeLessThan(60);
    const { data } = await server.ask(
      '{ countSessions(search: "page-") closed: countSessions(status: "closed", search: "page-") }',
    );
    expect(data).toEqual({ countSessions: 500, closed: 0 });
  });
});

describe("what the sessions of a page refer to", () => {
  beforeAll(async () => {
    await server.sql(
      `with made as (
        insert into parley.sessions (ref, title, description, last_sequence, last_message_at)
        select 'kin-' || n, 'Kin', '', 3, now() + n * interval '1 second' from generate_series(1, 300) n returning id, ref
      )
      insert into parley.messages (session_id, sequence, type, content)
      select id, n, 'system', '{"event": "team_joined"}' from made, generate_series(1, 3) n`,
    );
    await server.sql("analyze parley.messages, parley.sessions");
  });

  /** The statements that look up what rows refer to, as they were sent. */
  async function lookups(query: string) {
    const sent = vi.spyOn(pg.Client.prototype, "query");
    const { data } = await server.ask(query);
    const statements = sent.mock.calls.map(
      ([statement]) => statement as unknown as { text: string; values: unknown[] },
    );
    sent.mockRestore();
    return { data, statements: statements.filter(({ text }) => text?.includes("json_array_elements($1::json)")) };
  }
  const rowsOf = (table: string, text: string, values: unknown[]) =>
    connected(
      asRole(server.parley.database.url("parley_server"), "parley_caller", { enable_seqscan: "off" }),
      async (client) => {
        const { rows } = await client.query(`explain (analyze, format json) ${text.replace(/;\s*$/, "")}`, values);
        return lookedAt(rows[0]["QUERY PLAN"][0].Plan, table);
      },
    );

  test("is looked up by its key, though a policy has to look at each row", async () => {
    const { data, statements } = await lookups(
      `{ findSessions(search: "kin-", first: 10) { nodes { lastMessage { sequence } } } }`,
    );
    expect(data.findSessions.nodes).toEqual(Array.from({ length: 10 }, () => ({ lastMessage: { sequence: 3 } })));
    const [{ text, values }] = statements as [Statement];
    expect(await rowsOf("messages", text, values)).toBe(10);
    // As it would be without reading the keys first.
    expect(await rowsOf("messages", text.replace("offset 0", ""), values)).toBeGreaterThan(100);
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
    await hears(seen, "https://parley.example.com/mcp");
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
