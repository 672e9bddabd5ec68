import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { buildSchema, type GraphQLInputObjectType, type GraphQLObjectType, getIntrospectionQuery } from "graphql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { connected } from "../../testing/postgres.ts";
import { startTestServer, type TestServer, until } from "../../testing/server.ts";
import { exportSchema } from "./export-schema.ts";
import { graphqlClient } from "./test-client.ts";

let parley: TestServer;
let server: ReturnType<typeof graphqlClient>;

beforeAll(async () => {
  parley = await startTestServer({ graphiql: true });
  server = graphqlClient(parley.url);
});
afterAll(() => parley.stop());

const sql = (text: string, values: unknown[] = []) =>
  connected(parley.database.url("parley_owner"), (client) => client.query(text, values));

/** Adds a verb as a DBA would, and waits until its field is there. */
async function addVerb(name: string, body: string) {
  await sql(`
    create function parley.${name}() returns text language plpgsql stable set search_path = ''
    as $f$ begin ${body}; return 'done'; end $f$;
    grant execute on function parley.${name} to parley_caller;
    comment on function parley.${name} is $c$
@verb GET /${name}
@who open
For a test.
$c$;`);
  const known = `{ __type(name: "Query") { fields { name } } }`;
  await until(async () => JSON.stringify((await server.ask(known)).data).includes(`"${name}"`), name);
}

const CREATE = `mutation ($title: String!, $team: String!) {
  createSession(input: { title: $title, description: "", creatorTeamName: $team }) { result { sessionId ref teamId url } }
}`;
const POST = `mutation ($id: String!, $text: JSON!) { postMessage(input: { sessionId: $id, content: $text }) { result { cursor messageId at } } }`;

async function createSession(
  title = "A session",
  team = "Alex's Team",
): Promise<{ sessionId: string; ref: string; teamId: string; url: string }> {
  return (await server.ask(CREATE, { title, team })).data.createSession.result;
}

async function sessionWithMessages(count: number) {
  const session = await createSession();
  for (let i = 1; i <= count; i++) await server.ask(POST, { id: session.ref, text: `message ${i}` }, session.teamId);
  return session;
}

describe("the schema", () => {
  let sdl: string;
  let fields: (type: string) => string[];

  beforeAll(async () => {
    sdl = await exportSchema(parley.database.url("parley_caller"));
    const schema = buildSchema(sdl);
    fields = (type) => Object.keys((schema.getType(type) as GraphQLObjectType).getFields()).sort();
  });

  test("the mutations are the verbs that write, and nothing else", () => {
    expect(fields("Mutation")).toEqual([
      "appendToSessionDoc",
      "concludeSession",
      "createSession",
      "joinSession",
      "leaveSession",
      "postMessage",
      "updateSessionDoc",
      "updateSessionMetadata",
    ]);
  });

  test("the verbs that read are queries, beside the tables", () => {
    expect(fields("Query")).toEqual(
      expect.arrayContaining(["getHistory", "getSession", "listParticipants", "readSessionDoc"]),
    );
    expect(fields("Query")).toEqual(
      expect.arrayContaining(["session", "sessionByRef", "sessions", "message", "settings", "sessionDocHistory"]),
    );
  });

  test("a verb that blocks is not offered", () => {
    expect(sdl).not.toMatch(/waitForMessages|type News/);
  });

  test("what is private has no name in it", () => {
    expect(sdl).not.toMatch(/hash|credential|knownStatus|emptyPolls|createdBy|versionBeforeClose/i);
    expect(sdl).toMatch(/postedBy: Participant\n/);
    expect(sdl).toMatch(/writtenBy: Participant\n/);
    expect(fields("MessageCondition")).not.toContain("postedBy");
    expect(sdl).not.toMatch(/POSTED_BY|WRITTEN_BY/);
  });

  test("the tags of the comments stay out of the descriptions, which are told of fields and arguments", () => {
    expect(sdl).not.toMatch(/@(verb|who|toolset|param|behavior|readonly|optional|cost)/);
    const schema = buildSchema(sdl);
    const input = schema.getType("JoinSessionInput") as GraphQLInputObjectType;
    expect(schema.getMutationType()?.getFields().postMessage?.description).toBe(
      "Post a message. Everyone who waits in the session gets it at once.",
    );
    expect(input.getFields().teamName?.description).toBe("Who you are, e.g. Alexs Team.");
    expect(
      schema
        .getQueryType()
        ?.getFields()
        .getHistory?.args.find((arg) => arg.name === "limit")?.description,
    ).toMatch(/at most 500/);
  });

  test("an argument with a default is optional, one without is not", () => {
    const input = buildSchema(sdl).getType("JoinSessionInput") as GraphQLInputObjectType;
    expect(
      Object.fromEntries(Object.entries(input.getFields()).map(([name, field]) => [name, String(field.type)])),
    ).toMatchObject({
      sessionId: "String!",
      teamName: "String!",
      replayFrom: "Int",
    });
  });

  test("exporting it twice gives the same text", async () => {
    expect(await exportSchema(parley.database.url("parley_caller"))).toBe(sdl);
  });

  test("anyone may look at the schema", async () => {
    const { status, data } = await server.ask(getIntrospectionQuery());
    expect(status).toBe(200);
    expect(data.__schema.queryType.name).toBe("Query");
  });
});

describe("reading", () => {
  test("a session is found by its ref and by its id, with roster and document", async () => {
    const { sessionId, ref, teamId } = await createSession("Reading");
    await server.ask(
      `mutation ($id: String!) { appendToSessionDoc(input: { sessionId: $id, text: "# One" }) { result { version } } }`,
      { id: ref },
      teamId,
    );
    const { data } = await server.ask(
      `query ($id: UUID!, $ref: String!) {
        session(id: $id) { ref }
        sessionByRef(ref: $ref) {
          id title status lastSequence sessionDoc sessionDocVersion
          participants { nodes { id handle teamName kind status listening convener } }
          sessionDocHistories { nodes { version content size writtenBy { handle } } }
        }
      }`,
      { id: sessionId, ref },
    );
    expect(data.session).toEqual({ ref });
    expect(data.sessionByRef).toMatchObject({
      id: sessionId,
      title: "Reading",
      status: "active",
      sessionDoc: "# One",
      sessionDocVersion: 1,
      participants: {
        nodes: [
          {
            id: 1,
            handle: "alexs-team",
            teamName: "Alex's Team",
            kind: "agent",
            status: "active",
            listening: false,
            convener: true,
          },
        ],
      },
      sessionDocHistories: { nodes: [{ version: 1, content: "# One", size: 5, writtenBy: { handle: "alexs-team" } }] },
    });
  });

  test("a message is found by its session and sequence", async () => {
    const { sessionId } = await sessionWithMessages(2);
    const { data } = await server.ask(
      `query ($id: UUID!) { message(sessionId: $id, sequence: 2) { type content postedBy { handle } session { id } } }`,
      { id: sessionId },
    );
    expect(data.message).toEqual({
      type: "chat",
      content: { text: "message 2" },
      postedBy: { handle: "alexs-team" },
      session: { id: sessionId },
    });
  });

  test("the feed is read in pages, forwards and backwards, while it grows", async () => {
    const { sessionId, ref, teamId } = await sessionWithMessages(7);
    const page = async (args: string, variables: Record<string, unknown> = {}) =>
      (
        await server.ask(
          `query ($id: UUID!${args.includes("$cursor") ? ", $cursor: Cursor" : ""}) {
            session(id: $id) { messages(${args}) { nodes { sequence } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }
          }`,
          { id: sessionId, ...variables },
        )
      ).data.session.messages;
    const sequences = (messages: { nodes: { sequence: number }[] }) => messages.nodes.map(({ sequence }) => sequence);

    const first = await page("first: 3");
    expect(sequences(first)).toEqual([1, 2, 3]);
    expect(first.pageInfo.hasNextPage).toBe(true);
    const second = await page("first: 3, after: $cursor", { cursor: first.pageInfo.endCursor });
    expect(sequences(second)).toEqual([4, 5, 6]);
    const newest = await page("last: 3");
    expect(sequences(newest)).toEqual([5, 6, 7]);
    await server.ask(POST, { id: ref, text: "message 8" }, teamId);
    expect(sequences(await page("first: 3, after: $cursor", { cursor: second.pageInfo.endCursor }))).toEqual([7, 8]);
    expect(sequences(await page("last: 2, before: $cursor", { cursor: newest.pageInfo.startCursor }))).toEqual([3, 4]);
    expect(sequences(await page("before: $cursor", { cursor: newest.pageInfo.startCursor }))).toEqual([1, 2, 3, 4]);
    expect(sequences(await page("orderBy: SEQUENCE_DESC, first: 2"))).toEqual([8, 7]);
  });

  test("a page without a size has one all the same", async () => {
    const { sessionId } = await createSession();
    await sql(
      `with counted as (update parley.sessions set last_sequence = 150 where id = $1)
       insert into parley.messages (session_id, sequence, type, content) select $1, n, 'system', '{"event": "x"}' from generate_series(1, 150) n`,
      [sessionId],
    );
    const { data } = await server.ask(
      `query ($id: UUID!) {
        session(id: $id) { messages { nodes { sequence } } }
        messages(condition: { sessionId: $id }) { nodes { sequence } totalCount }
      }`,
      { id: sessionId },
    );
    expect(data.session.messages.nodes).toHaveLength(100);
    expect(data.messages.nodes).toHaveLength(100);
    expect(data.messages.totalCount).toBe(150);
  });
});

describe("verbs", () => {
  test("a whole session can be held over GraphQL", async () => {
    const { ref, teamId, url } = await createSession("Verbs");
    expect(url).toBe(`${parley.url}/s/${ref}`);
    const as = (team: string | undefined, query: string, variables: Record<string, unknown> = {}) =>
      server.ask(query, { id: ref, ...variables }, team);

    const joined = await as(
      undefined,
      `mutation ($id: String!) { joinSession(input: { sessionId: $id, teamName: "Bo" }) { result { teamId cursor participants { handle } } } }`,
    );
    expect(joined.data.joinSession.result).toMatchObject({
      cursor: 1,
      participants: [{ handle: "alexs-team" }, { handle: "bo" }],
    });
    const bo = joined.data.joinSession.result.teamId;

    expect((await as(bo, POST, { text: { text: "hello" } })).data.postMessage.result.cursor).toBe(2);
    expect((await as(bo, POST, { text: "plain" })).data.postMessage.result.cursor).toBe(3);
    const reads = await as(
      teamId,
      `query ($id: String!) {
        getSession(sessionId: $id) { title lastCursor convener }
        listParticipants(sessionId: $id) { participants { handle you } }
        getHistory(sessionId: $id, limit: 2) { messages { cursor content mine } nextCursor hasMore }
        readSessionDoc(sessionId: $id) { content version }
      }`,
    );
    expect(reads.data).toEqual({
      getSession: { title: "Verbs", lastCursor: 3, convener: "alexs-team" },
      listParticipants: {
        participants: [
          { handle: "alexs-team", you: true },
          { handle: "bo", you: false },
        ],
      },
      getHistory: {
        messages: [
          { cursor: 2, content: { text: "hello" }, mine: false },
          { cursor: 3, content: { text: "plain" }, mine: false },
        ],
        nextCursor: 2,
        hasMore: true,
      },
      readSessionDoc: { content: "", version: 0 },
    });

    const written = await as(
      teamId,
      `mutation ($id: String!) {
        updateSessionDoc(input: { sessionId: $id, content: "a", expectedVersion: 0 }) { result { version } }
        appendToSessionDoc(input: { sessionId: $id, text: "b" }) { result { version } }
        updateSessionMetadata(input: { sessionId: $id, title: "New", reason: "because" }) { result { title changes } }
        concludeSession(input: { sessionId: $id, summarySection: "Done." }) { result { status docVersion } }
        leaveSession(input: { sessionId: $id }) { result { handle } }
      }`,
    );
    expect(written.data).toMatchObject({
      updateSessionDoc: { result: { version: 1 } },
      appendToSessionDoc: { result: { version: 2 } },
      updateSessionMetadata: { result: { title: "New", changes: { title: { from: "Verbs", to: "New" } } } },
      concludeSession: { result: { status: "closed", docVersion: 3 } },
      leaveSession: { result: { handle: "alexs-team" } },
    });
  });

  test("a document of 1 MiB can be written", async () => {
    const { ref, teamId } = await createSession();
    const content = "lines of text\n".repeat(74_898);
    const { data } = await server.ask(
      `mutation ($id: String!, $content: String!) { updateSessionDoc(input: { sessionId: $id, content: $content, expectedVersion: 0 }) { result { version } } }`,
      { id: ref, content },
      teamId,
    );
    expect(data.updateSessionDoc.result.version).toBe(1);
  });

  test("a verb that a DBA adds by SQL alone becomes a field, and what is granted to nobody does not", async () => {
    const query = `query ($id: String!) { shoutTitle(sessionId: $id, mark: "?") }`;
    const { ref } = await createSession("quiet");
    expect((await server.ask(query, { id: ref })).errors?.[0]?.message).toMatch(/Cannot query field "shoutTitle"/);
    await sql(`
      create function parley.not_granted() returns text language sql stable set search_path = '' as $f$ select 'x' $f$;
      create function parley.shout_title(session_id text, mark text default '!') returns text language sql stable set search_path = ''
      as $f$ select upper((parley_private.find_session(session_id)).title) || mark $f$;
      grant execute on function parley.shout_title to parley_caller;
      comment on function parley.shout_title is $c$
@verb GET /sessions/{session_id}/shout
@who open
@param mark How it ends.
The title, louder.
$c$;`);
    await until(async () => (await server.ask(query, { id: ref })).status === 200, "the new field");
    expect((await server.ask(query, { id: ref })).data).toEqual({ shoutTitle: "QUIET?" });
    expect((await server.ask("{ notGranted }")).errors?.[0]?.message).toMatch(/Cannot query field/);
    expect((await createSession()).ref).toMatch(/^\w+-\w+-\d+$/);
  });
});

describe("errors", () => {
  test("a refusal of the database keeps its message, code, details and status", async () => {
    const { ref, teamId } = await createSession();
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
    const { ref } = await createSession();
    const { teamId } = await createSession();
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
    const { ref, teamId } = await createSession();
    const { status, errors } = await server.ask(POST, { id: ref, text }, teamId);
    expect([status, errors?.[0]?.extensions]).toMatchObject([400, { code: "invalid_argument", details: { field } }]);
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
    await createSession();
    await addVerb("broken", "raise exception 'secret of the house'");
    const { status, errors, data } = await server.ask("{ broken sessions(first: 1) { nodes { __typename } } }");
    expect(status).toBe(500);
    expect(errors?.[0]).toMatchObject({
      message: "Something went wrong on our side.",
      extensions: { code: "internal", details: { hint: expect.any(String) } },
    });
    expect(JSON.stringify(errors)).not.toMatch(/secret|raise|plpgsql/);
    expect(data).toEqual({ broken: null, sessions: { nodes: [{ __typename: "Session" }] } });
  });

  test("a statement that takes too long is stopped", async () => {
    await addVerb("slow", "perform pg_sleep(20)");
    const { status, headers, errors } = await server.ask("{ slow }");
    expect([status, errors?.[0]?.extensions.code, headers.get("retry-after")]).toEqual([503, "unavailable", "2"]);
  });

  test("a database that goes away is 503, and what comes after is served again", async () => {
    await addVerb("dying", "perform pg_sleep(20)");
    const answer = server.ask("{ dying }");
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'parley graphql' and query like '%dying%' and state = 'active'`;
    await until(
      () => connected(parley.database.url(), async (client) => (await client.query(kill)).rowCount),
      "the call",
    );
    const { status, errors } = await answer;
    expect([status, errors?.[0]?.extensions.code]).toEqual([503, "unavailable"]);
    expect((await server.ask("{ sessions { totalCount } }")).status).toBe(200);
  });
});

describe("limits", () => {
  const refused = async (query: string, variables: Record<string, unknown> = {}) => {
    const { status, errors, data } = await server.ask(query, variables);
    expect([status, errors?.[0]?.extensions.code, data]).toEqual([400, "invalid_argument", undefined]);
    return errors?.[0]?.message;
  };
  const nested = (levels: number) =>
    `{ sessions(first: 1) { nodes { ${"participants(first: 1) { nodes { session { ".repeat(levels)} id ${"} } }".repeat(levels)} } } }`;

  test("a query that is nested too deeply is refused", async () => {
    expect((await server.ask(nested(3))).status).toBe(200);
    expect(await refused(nested(4))).toMatch(/deeper than 12/);
  });

  test("too many aliases are refused, also when fragments hide them", async () => {
    const aliased = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(" ");
    expect((await server.ask(`{ ${aliased(30)} }`)).status).toBe(200);
    expect(await refused(`{ ${aliased(31)} }`)).toMatch(/30 aliases/);
    expect(await refused(`{ ...a ...b } fragment a on Query { ${aliased(20)} } fragment b on Query { ...a }`)).toMatch(
      /30 aliases/,
    );
  });

  test("fragments that spread each other by the thousand are refused quickly", async () => {
    const fragments = Array.from(
      { length: 30 },
      (_, i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`,
    ).join(" ");
    expect(await refused(`{ ...f0 } ${fragments} fragment f30 on Query { __typename }`)).toMatch(/2000 fields/);
  });

  test("a query that reads too much is refused before it is run, whether the sizes are written or variables", async () => {
    const query = `query ($n: Int) { sessions(first: $n) { nodes { participants(first: $n) { nodes { postedMessages(first: $n) { nodes { id } } } } } } }`;
    expect(await refused(query, { n: 60 })).toMatch(/too much/);
    expect(await refused(query)).toMatch(/too much/);
    expect((await server.ask(query, { n: 5 })).status).toBe(200);
  });

  test("a page has a largest size", async () => {
    expect(await refused("{ sessions(first: 501) { nodes { id } } }")).toBe("first must be from 0 to 500.");
    expect(await refused("query ($n: Int) { sessions(last: $n) { nodes { id } } }", { n: 501 })).toBe(
      "last must be from 0 to 500.",
    );
    expect(await refused("{ sessions(first: -1) { nodes { id } } }")).toBe("first must be from 0 to 500.");
    expect(await refused("{ sessions(first: 1, last: 1) { nodes { id } } }")).toMatch(/from one end/);
    expect(await refused(`{ sessions(first: 1, before: "x") { nodes { id } } }`)).toMatch(/from one end/);
    expect((await server.ask("{ sessions(first: 500) { nodes { id } } }")).status).toBe(200);
  });

  test("a query text has a longest size", async () => {
    expect(await refused(`{ ${"__typename ".repeat(2_001)} }`)).toMatch(/2000 words/);
    expect(await refused(`{ sessionByRef(ref: "${"x".repeat(50_000)}") { id } }`)).toMatch(/50000 characters/);
  });
});

describe("subscriptions", () => {
  test("sessionFeed shows the feed at once and after each post", async () => {
    const { ref, teamId } = await sessionWithMessages(1);
    const { close, subscribe } = server.connect();
    const feed = subscribe(
      `subscription ($id: String!) { sessionFeed(sessionId: $id) { session { lastSequence messages(last: 1) { nodes { content } } } } }`,
      { id: ref },
    );
    expect((await feed.next()).data.sessionFeed.session.lastSequence).toBe(1);
    await server.ask(POST, { id: ref, text: "news" }, teamId);
    expect((await feed.next()).data.sessionFeed.session).toEqual({
      lastSequence: 2,
      messages: { nodes: [{ content: { text: "news" } }] },
    });
    await close();
  });

  test("sessionRoster shows who has joined and who has left", async () => {
    const { sessionId, ref, teamId } = await createSession();
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
    expect(await seen()).toHaveLength(2);
    await server.ask(
      `mutation ($id: String!) { leaveSession(input: { sessionId: $id }) { result { handle } } }`,
      { id: ref },
      teamId,
    );
    expect(await seen()).toContainEqual({ handle: "alexs-team", status: "disconnected" });
    await close();
  });

  test("sessionDoc shows the document, title and status", async () => {
    const { ref, teamId } = await createSession("Before");
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
    expect(await seen()).toMatchObject({ sessionDoc: "x" });
    await server.ask(
      `mutation ($id: String!) { updateSessionMetadata(input: { sessionId: $id, title: "After", reason: "r" }) { result { title } } }`,
      { id: ref },
      teamId,
    );
    expect(await seen()).toMatchObject({ title: "After" });
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
    const { ref, teamId } = await createSession(title);
    expect(await seen()).toEqual({ title, lastSequence: 0 });
    await server.ask(POST, { id: ref, text: "x" }, teamId);
    expect(await seen()).toEqual({ title, lastSequence: 1 });
    await close();
  });

  test("many posts are few ticks, and the last one shows the last post", async () => {
    const { ref, teamId } = await createSession();
    const { close, subscribe } = server.connect();
    const feed = subscribe(`subscription ($id: String!) { sessionFeed(sessionId: $id) { session { lastSequence } } }`, {
      id: ref,
    });
    await feed.next();
    await Promise.all(Array.from({ length: 60 }, (_, i) => server.ask(POST, { id: ref, text: `${i}` }, teamId)));
    const seen = [];
    while (seen.at(-1) !== 60) seen.push((await feed.next()).data.sessionFeed.session.lastSequence);
    expect(seen.length).toBeLessThan(30);
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
    const { ref, teamId } = await createSession();
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
    expect(await answer(url.replace("/graphql", "/other"), "http://127.0.0.1")).toBe(404);
  });

  test("a running subscription survives a new verb", async () => {
    const { ref, teamId } = await createSession();
    const { close, subscribe } = server.connect();
    const feed = subscribe(`subscription ($id: String!) { sessionFeed(sessionId: $id) { session { lastSequence } } }`, {
      id: ref,
    });
    await feed.next();
    await addVerb("another", "null");
    await server.ask(POST, { id: ref, text: "x" }, teamId);
    expect((await feed.next()).data.sessionFeed.session.lastSequence).toBe(1);
    await close();
  });
});

test("GraphiQL is served with its files", async () => {
  const page = await fetch(`${parley.url}/graphiql`);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const script = /ruru-static\/[^"']+\.js/.exec(await page.text())?.[0];
  expect((await fetch(`${parley.url}/${script}`)).status).toBe(200);
});
