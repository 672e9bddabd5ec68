import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectModern } from "../../../mcp/tests/client.ts";
import { as, bearer, makeKey, signIn } from "../../../testing/access.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";
import type { Access } from "../../config.ts";
import type { Verb } from "../../verbs/catalogue.ts";
import type { Headers } from "./actors.ts";
import { catalogueOf, sampleOf } from "./samples.ts";
import { openSocket } from "./sockets.ts";
import { requestOf } from "./surfaces.ts";

describe.each<Access>(["open", "keys"])("a session for members, with %s access", { timeout: 240_000 }, (access) => {
  let parley: TestServer;
  let hidden: Team;
  let shown: Team;
  const strangers: Record<string, Headers> = {};
  let verbs: Verb[];
  /** A session that never was, under names of the same length. */
  const never: Team = { ref: "", session_id: "", team_id: "", handle: "", cursor: 0 };

  const create = async (headers: Headers, visibility: string): Promise<Team> =>
    (
      await parley.post(
        "/sessions",
        { title: "Needle", description: "in a haystack", creator_team_name: "Amber", visibility },
        undefined,
        { headers },
      )
    ).body;

  beforeAll(async () => {
    parley = await startTestServer({ access });
    const house = access === "keys" ? bearer(await makeKey(parley, ["read", "team"])) : {};
    [hidden, shown] = [await create(house, "members"), await create(house, "everyone")];
    for (const team of [hidden, shown]) {
      await parley.say(team, "A needle");
      await parley.post(`/sessions/${team.ref}/doc/append`, { text: "A needle" }, team);
      await parley.post(`/sessions/${team.ref}/ask`, { question: "A needle?" }, team);
    }
    const turned = (text: string) => text.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
    Object.assign(never, { ref: turned(hidden.ref), session_id: turned(hidden.session_id) });
    strangers["a person"] = (await signIn(parley, "Sam")).headers;
    strangers["a team of another session"] = { "x-team-id": shown.team_id };
    if (access === "open") strangers.nobody = {};
    else {
      strangers["a key"] = bearer(await makeKey(parley, ["read", "team"]));
      const { invite } = (await parley.post(`/sessions/${shown.ref}/invites`, { uses: 100 }, shown)).body;
      strangers["a guest of another session"] = bearer(invite);
    }
    verbs = (await catalogueOf(parley.database)).verbs;
  });
  afterAll(() => parley.stop());

  const each = async (check: (headers: Headers, who: string) => Promise<void>) => {
    for (const [who, headers] of Object.entries(strangers)) await check(headers, who);
  };
  /** Bytes and status, and what is not of the moment among the headers. */
  async function raw(path: string, init: RequestInit) {
    const answer = await fetch(parley.url + path, init);
    const { date: _, ...headers } = Object.fromEntries(answer.headers);
    return { status: answer.status, headers, body: await answer.text() };
  }

  test("is missing to every verb, byte for byte as one that never was", async () => {
    const ofSessions = verbs.filter((verb) => verb.arguments.some(({ name }) => name === "session_id"));
    expect(ofSessions.length).toBeGreaterThan(28);
    const call = (verb: Verb, session_id: string, headers: Headers) => {
      const { at, init } = requestOf(verb, sampleOf(verb, { session_id }));
      return raw(`/api${at}`, { ...init, headers: { ...headers, "content-type": "application/json" } });
    };
    await each(async (headers, who) => {
      for (const verb of ofSessions) {
        for (const name of ["ref", "session_id"] as const) {
          const [there, missing] = [await call(verb, hidden[name], headers), await call(verb, never[name], headers)];
          expect([who, verb.name, there]).toEqual([who, verb.name, missing]);
          expect([who, verb.name, there.status]).toEqual([who, verb.name, expect.toBeOneOf([401, 403, 404])]);
        }
        const prefix = await call(verb, hidden.session_id.slice(0, 13), headers);
        expect([verb.name, prefix.status]).toEqual([verb.name, expect.toBeOneOf([401, 403, 404])]);
        expect(prefix.body).not.toMatch(/ambiguous/);
      }
    });
  });

  test("is in no list, no count and no search", async () => {
    await each(async (headers, who) => {
      const { get, graphql } = as(parley, { headers });
      const list = await get("/sessions?text=needle&limit=100");
      expect(JSON.stringify(list.body)).not.toContain(hidden.ref);
      const { data, errors } = await graphql(
        `query ($ref: String!, $id: UUID!) {
          findSessions(search: "needle") { nodes { ref } } countSessions(search: "needle")
          searchEverywhere(search: "needle") { nodes { ref place } }
          sessions { nodes { ref } } sessionByRef(ref: $ref) { asMarkdown asJson sessionDoc }
          session(id: $id) { ref messages { nodes { content } } participants { nodes { handle } } }
          message(sessionId: $id, sequence: 1) { content ask { open } }
          sessionDocHistory(sessionId: $id, version: 1) { content }
          participant(sessionId: $id, id: 1) { handle }
        }`,
        { ref: hidden.ref, id: hidden.session_id },
      );
      expect([who, errors]).toEqual([who, undefined]);
      expect([who, data.countSessions, data.findSessions.nodes, data.sessions.nodes]).toEqual([
        who,
        1,
        [{ ref: shown.ref }],
        [{ ref: shown.ref }],
      ]);
      expect([who, data.searchEverywhere.nodes.map(({ ref, place }: Record<string, string>) => [ref, place])]).toEqual([
        who,
        [
          [shown.ref, "message"],
          [shown.ref, "message"],
          [shown.ref, "doc"],
        ],
      ]);
      for (const field of ["sessionByRef", "session", "message", "sessionDocHistory", "participant"])
        expect([who, field, data[field]]).toEqual([who, field, null]);
    });
  });

  test("is no MCP resource: not listed, not completed, not read, not listened to", async () => {
    await each(async (headers, who) => {
      const client = await connectModern(parley, "/mcp", headers);
      const names = (await client.listResources()).resources.map(({ name }) => name);
      expect([who, names]).toEqual([who, [shown.ref]]);
      const { completion } = await client.complete({
        ref: { type: "ref/resource", uri: "parley://sessions/{ref}" },
        argument: { name: "ref", value: hidden.ref.slice(0, 4) },
      });
      expect([who, completion.values]).not.toContain(hidden.ref);
      for (const part of ["", "/doc", "/feed", "/roster"]) {
        const refusal = async (attempt: (uri: string) => Promise<unknown>, { ref }: Team) => {
          const uri = `parley://sessions/${ref}${part}`;
          const error = await attempt(uri).then(
            () => ({ message: "it was answered", code: 0, data: {} }),
            (error: { message: string; code: number; data: object }) => error,
          );
          return JSON.stringify([error.message, error.code, { ...error.data, uri: "" }]);
        };
        const read = (uri: string) => client.readResource({ uri });
        const listen = (uri: string) => client.listen({ resourceSubscriptions: [uri] });
        for (const attempt of [read, listen]) {
          const there = await refusal(attempt, hidden);
          expect(there).not.toContain("it was answered");
          expect([who, part, there]).toEqual([who, part, await refusal(attempt, never)]);
        }
      }
      await client.close();
    });
  });

  test("has no guide, for anybody who could tell", async () => {
    await each(async (headers, who) => {
      const [there, missing] = await Promise.all(
        [hidden, never].map(({ ref }) => raw(`/s/${ref}/AGENTS.md`, { headers })),
      );
      expect([who, there]).toEqual([who, missing]);
      expect(there?.status).toBe(404);
    });
    const own = await raw(`/s/${hidden.ref}/AGENTS.md`, { headers: { "x-team-id": hidden.team_id } });
    expect(own.body).toContain(`You are invited to session \`${hidden.ref}\``);
    if (access === "open") return;
    const [there, missing] = await Promise.all([hidden, never].map(({ ref }) => raw(`/s/${ref}/AGENTS.md`, {})));
    expect(there?.status).toBe(200);
    expect(there?.body.replaceAll(hidden.ref, never.ref)).toBe(missing?.body);
    expect((await raw(`/s/${hidden.session_id}/AGENTS.md`, {})).status).toBe(404);
    expect((await raw("/s/ignore%20what%20was%20said/AGENTS.md", {})).status).toBe(404);
  });

  test("is in no figure and no log of errors that a stranger reads", async () => {
    await each(async (headers) => {
      const { body } = await raw("/metrics", { headers });
      expect(body).toContain("parley_http_requests_total");
      for (const name of [hidden.ref, hidden.session_id]) expect(body).not.toContain(name);
    });
  });

  test("is told of by no subscription: neither its own, nor by ticks of the list or the inbox", async () => {
    await each(async (headers, who) => {
      const client = openSocket(parley.url, headers);
      for (const field of ["sessionFeed", "sessionRoster", "sessionDoc"]) {
        const first = async ({ ref }: Team) => {
          const answers = client.iterate({
            query: `subscription { ${field}(sessionId: "${ref}") { session { ref } } }`,
          });
          const answer = await answers.next().catch((error: unknown) => error);
          await answers.return?.();
          return JSON.stringify(answer);
        };
        const there = await first(hidden);
        expect(there).toContain("session_not_found");
        expect([who, field, there]).toEqual([who, field, await first(never)]);
      }
      for (const query of [
        "subscription { sessionList { __typename } }",
        ...(headers.cookie ? ["subscription { inboxChanged { query { listInbox { items { ref } } } } }"] : []),
      ]) {
        let ticks = 0;
        const answers = client.iterate({ query });
        const told = (async () => {
          for await (const _ of answers) ticks++;
        })();
        await until(() => ticks > 0, "the greeting");
        const ask = (team: Team) => parley.post(`/sessions/${team.ref}/ask`, { question: "And now?" }, team);
        // The list looks by itself every five seconds: what is asked here is whether it ticks between.
        const since = ticks;
        for (let n = 0; n < 2; n++) await ask(hidden);
        await new Promise((resolve) => setTimeout(resolve, 700));
        expect([who, query, ticks]).toEqual([who, query, since]);
        await ask(shown);
        await until(() => ticks > since, "a tick of the session that is seen");
        await answers.return?.();
        await told;
      }
      await client.dispose();
    });
  });

  test("is let go of by whoever saw it before it was hidden, and told once more", async () => {
    const team = await create(access === "keys" ? bearer(await makeKey(parley, ["team"])) : {}, "everyone");
    const headers = strangers["a person"] as Headers;
    const client = openSocket(parley.url, headers);
    const feed = client.iterate<{ sessionFeed: { session: { ref: string } | null } }>({
      query: `subscription { sessionFeed(sessionId: "${team.ref}") { session { ref } } }`,
    });
    expect((await feed.next()).value).toMatchObject({ data: { sessionFeed: { session: { ref: team.ref } } } });
    const mcp = await connectModern(parley, "/mcp", headers);
    const heard: string[] = [];
    mcp.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
    await mcp.listen({ resourceSubscriptions: [`parley://sessions/${team.ref}/feed`] });
    await parley.say(team, "Seen");
    await until(() => heard.length > 0, "the post");
    expect((await feed.next()).value).toMatchObject({ data: { sessionFeed: { session: { ref: team.ref } } } });
    await parley.post(`/sessions/${team.ref}/access`, { visibility: "members" }, team);
    let last: unknown;
    for (let next = await feed.next(); !next.done; next = await feed.next()) last = next.value;
    expect(last).toMatchObject({ data: { sessionFeed: { session: null } } });
    const before = heard.length;
    await parley.say(team, "Not seen");
    await parley.say(shown, "Something else");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(heard.length).toBe(before);
    await mcp.close();
    await client.dispose();
  });
});
