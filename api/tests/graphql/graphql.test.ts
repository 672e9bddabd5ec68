import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../../testing/server.ts";
import { type GraphQLTestServer, POST, startGraphQL } from "./test-client.ts";

let server: GraphQLTestServer;
beforeAll(async () => {
  server = await startGraphQL();
});
afterAll(() => server.stop());

describe("reading", () => {
  test("a session is found by its ref and by its id, with roster and document", async () => {
    const { sessionId, ref, teamId } = await server.createSession("Reading");
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
          sessionDocHistories(first: 10) { nodes { version content size writtenBy { handle } } }
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
    const { sessionId } = await server.sessionWithMessages(2);
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
    const { sessionId, ref, teamId } = await server.sessionWithMessages(7);
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
    const { sessionId } = await server.createSession();
    await server.sql(
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
    const { ref, teamId, url } = await server.createSession("Verbs");
    expect(url).toBe(`${server.parley.url}/s/${ref}`);
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
    const { ref, teamId } = await server.createSession();
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
    const { ref } = await server.createSession("quiet");
    expect((await server.ask(query, { id: ref })).errors?.[0]?.message).toMatch(/Cannot query field "shoutTitle"/);
    await server.sql(`
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
    expect((await server.createSession()).ref).toMatch(/^\w+-\w+-\d+$/);
  });
});

test("GraphiQL is served with its files", async () => {
  const page = await fetch(`${server.parley.url}/graphiql`);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const script = /ruru-static\/[^"']+\.js/.exec(await page.text())?.[0];
  expect((await fetch(`${server.parley.url}/${script}`)).status).toBe(200);
  const posted = await fetch(`${server.parley.url}/graphiql`, { method: "POST" });
  expect([posted.status, await posted.json()]).toMatchObject([405, { error: { code: "method_not_allowed" } }]);
});
