import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callTool, connect, connectModern } from "../../../mcp/tests/client.ts";
import { as, bearer, codeOf, makeKey, signIn } from "../../../testing/access.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
let key: string;
beforeAll(async () => {
  parley = await startTestServer({ access: "keys" });
  key = await makeKey(parley, ["read", "team"]);
});
afterAll(() => parley.stop());

const create = async (visibility = "members", by = key): Promise<Team> =>
  (
    await parley.post(
      "/sessions",
      { title: "Secret", description: "", creator_team_name: "Amber", visibility },
      undefined,
      { headers: bearer(by) },
    )
  ).body;
const invite = async (team: Team, body: object = {}): Promise<string> =>
  (await parley.post(`/sessions/${team.ref}/invites`, body, team)).body.invite;
const join = (team: Team, body: object, headers: Record<string, string> = {}) =>
  parley.post(`/sessions/${team.ref}/join`, { team_name: "Blue", ...body }, undefined, { headers });
const UNAUTHORIZED = [401, "unauthorized"];

describe("an invitation", () => {
  test("is a link with a secret, for one use and seven days unless said otherwise", async () => {
    const team = await create();
    const { body } = await parley.post(`/sessions/${team.ref}/invites`, {}, team);
    expect(body.invite).toMatch(/^pi_[\w-]{43}$/);
    expect(body.url).toBe(`${parley.url}/s/${team.ref}#invite=${body.invite}`);
    expect(body.uses).toBe(1);
    expect(Math.round((Date.parse(body.expires_at) - Date.now()) / 3_600_000)).toBe(7 * 24);
    const longer = await parley.post(`/sessions/${team.ref}/invites`, { expires_in: "12h", uses: 3 }, team);
    expect(longer.body.uses).toBe(3);
    expect(Math.round((Date.parse(longer.body.expires_at) - Date.now()) / 3_600_000)).toBe(12);
    const seconds = await parley.post(`/sessions/${team.ref}/invites`, { expires_in: 7200 }, team);
    expect(Math.round((Date.parse(seconds.body.expires_at) - Date.now()) / 3_600_000)).toBe(2);
    const kept = await connected(parley.database.url(), (client) =>
      client.query("select i::text as row from parley_private.invites i"),
    );
    expect(kept.rows.length).toBeGreaterThan(2);
    expect(JSON.stringify(kept.rows)).not.toContain(body.invite.slice(3));
  });

  test.each([
    ["uses", { uses: 0 }],
    ["uses", { uses: 1001 }],
    ["expires_in", { expires_in: "91d" }],
    ["expires_in", { expires_in: "soon" }],
  ])("with a wrong %s is refused", async (field, body) => {
    const team = await create();
    const answer = await parley.post(`/sessions/${team.ref}/invites`, body, team);
    expect([codeOf(answer), answer.body.error.details.field]).toEqual([[400, "invalid_argument"], field]);
  });

  test("lets an agent in as a guest, who sees this session and nothing else", async () => {
    const [team, other] = [await create(), await create("everyone")];
    const guest = (await join(team, { invite: await invite(team) })).body as Team;
    expect(guest.handle).toBe("blue");
    await parley.say(guest, "Hello from next door");
    const { messages } = (await parley.get(`/sessions/${team.ref}/messages`, team)).body;
    expect(messages).toMatchObject([
      { event: "team_joined", handle: "blue", content: { guest: true } },
      { handle: "blue", sender: "agent", guest: true },
    ]);
    const { body: lines } = await parley.get(`/sessions/${team.ref}/messages?format=lines`, team);
    expect(lines).toContain("#1 * team_joined blue (guest)\n#2 blue (guest): Hello from next door");
    const roster = (await parley.get(`/sessions/${team.ref}/participants`, team)).body.participants;
    expect(roster.map(({ guest }: { guest: boolean }) => guest)).toEqual([false, true]);
    expect(codeOf(await parley.get("/sessions", guest))).toEqual(UNAUTHORIZED);
    expect(codeOf(await parley.get(`/sessions/${other.ref}`, guest))).toEqual([404, "session_not_found"]);
    const query =
      "{ findSessions { nodes { ref } } countSessions messages: sessions { nodes { messages { nodes { sequence } } } } }";
    const seen = await as(parley, { headers: { "x-team-id": guest.team_id } }).graphql(query);
    expect(seen.data.findSessions.nodes).toEqual([{ ref: team.ref }]);
    expect(seen.data.countSessions).toBe(1);
    expect(codeOf(await parley.post(`/sessions/${team.ref}/invites`, {}, guest))).toEqual([403, "forbidden"]);
  });

  test("shows of the boards the one that the session is on", async () => {
    const team = await create();
    for (const name of ["Ours", "Theirs"]) await parley.post("/boards", { name }, undefined, { headers: bearer(key) });
    const guest = (await join(team, { invite: await invite(team) })).body as Team;
    const bound = bearer(await makeKey(parley, ["read", "team"], team.ref));
    const seen = async (headers: Record<string, string>) =>
      (await as(parley, { headers }).graphql(`{ theirs: board(slug: "theirs") { slug } boards { nodes { slug } } }`))
        .data;
    const place = (board: string) => parley.post(`/sessions/${team.ref}/place`, { board }, guest);
    for (const headers of [{ "x-team-id": guest.team_id }, bound])
      expect(await seen(headers)).toEqual({ theirs: null, boards: { nodes: [] } });
    expect(codeOf(await place("theirs"))).toEqual([404, "board_not_found"]);
    await parley.post(`/sessions/${team.ref}/place`, { board: "ours" }, team);
    for (const headers of [{ "x-team-id": guest.team_id }, bound])
      expect(await seen(headers)).toEqual({ theirs: null, boards: { nodes: [{ slug: "ours" }] } });
    expect((await place("ours")).status).toBe(200);
  });

  test("into a session that continues another opens that other not", async () => {
    const first = await create();
    await parley.post(`/sessions/${first.ref}/conclude`, { summary_section: "Done." }, first);
    const headers = { ...bearer(key), "x-team-id": first.team_id };
    const next = (await parley.post(`/sessions/${first.ref}/resume`, { team_name: "Again" }, undefined, { headers }))
      .body as Team;
    expect((await parley.get(`/sessions/${first.ref}`, next)).status).toBe(200);
    const guest = (await join(next, { invite: await invite(next) })).body as Team;
    expect(guest).not.toHaveProperty("handoff");
    expect((await parley.get(`/sessions/${next.ref}`, guest)).body.continues).toBe(undefined);
    expect(codeOf(await parley.get(`/sessions/${first.ref}`, guest))).toEqual([404, "session_not_found"]);
  });

  test("is taken as the key of an MCP client, which has nothing else to show, before and after it is used up", async () => {
    const team = await create();
    const secret = await invite(team);
    for (const open of [connect, connectModern]) await (await open(parley, "/mcp", bearer(secret))).close();
    const client = await connect(parley, "/mcp", bearer(secret));
    expect((await client.listResources()).resources.map(({ name }) => name)).toEqual([team.ref]);
    const joined = await callTool(client, "join_session", { session_id: team.ref, team_name: "Green" });
    const [, team_id] = /team_id (\S+)/.exec(joined.text) ?? [];
    const said = await callTool(client, "post_message", { session_id: team.ref, team_id, content: "Here" });
    expect(said.isError).toBe(false);
    expect((await client.listTools()).tools.length).toBeGreaterThan(12);
    expect((await client.listResources()).resources).toEqual([]);
    const again = await callTool(client, "join_session", { session_id: team.ref, team_name: "Red" });
    expect(JSON.parse(again.text).error.code).toBe("unauthorized");
    await client.close();
  });

  test("opens no other session, and only once; unknown, expired, revoked and used up ones get one answer", async () => {
    const [team, other] = [await create(), await create()];
    const used = await invite(team);
    expect((await join(team, { invite: used })).status).toBe(200);
    const expired = await invite(team);
    await connected(parley.database.url("parley_owner"), (client) =>
      client.query("update parley_private.invites set expires_at = now() where hash = sha256(convert_to($1, 'UTF8'))", [
        expired,
      ]),
    );
    const revoked = await invite(team);
    expect((await parley.post(`/sessions/${team.ref}/invites/revoke`, {}, team)).body.revoked).toBe(1);
    const answers = await Promise.all(
      [used, expired, revoked, `pi_${"x".repeat(43)}`].map((secret) => join(team, { invite: secret })),
    );
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([401, answers[0]?.body]);
    expect(codeOf(await join(other, { invite: await invite(team) }))).toEqual([404, "session_not_found"]);
  });

  test("that is used up still leads back whoever has lost the answer, by the key of the join", async () => {
    const team = await create();
    const body = { invite: await invite(team), idempotency_key: "a-random-word-7" };
    const first = (await join(team, body)).body;
    const again = (await join(team, body)).body;
    expect(again.handle).toBe(first.handle);
    expect(again.team_id).not.toBe(first.team_id);
    await parley.post(`/sessions/${team.ref}/leave`, {}, again);
    expect(codeOf(await join(team, body))).toEqual(UNAUTHORIZED);
  });

  test("lets a team of this house in that does not see the session, and it is no guest", async () => {
    const team = await create();
    const another = await makeKey(parley, ["read", "team"]);
    expect(codeOf(await join(team, {}, bearer(another)))).toEqual([404, "session_not_found"]);
    const joined = await join(team, { invite: await invite(team) }, bearer(another));
    expect(joined.body.participants.at(-1)).toMatchObject({ guest: false });
    const rejoined = await join(team, { rejoin: true }, bearer(another));
    expect(rejoined.body.handle).toBe(joined.body.handle);
  });

  test("is made by people who see the session, not by those who do not", async () => {
    const team = await create("everyone");
    const ada = as(parley, await signIn(parley, "Ada"));
    expect((await ada.post(`/sessions/${team.ref}/invites`)).body.invite).toMatch(/^pi_/);
    await parley.post(`/sessions/${team.ref}/access`, { visibility: "members" }, team);
    expect(codeOf(await ada.post(`/sessions/${team.ref}/invites`))).toEqual([404, "session_not_found"]);
  });

  test("ends with the key that it was made under", async () => {
    const doomed = await makeKey(parley, ["read", "team"]);
    const admin = await makeKey(parley, ["admin"]);
    const secret = await invite(await create("members", doomed));
    await parley.post(`/keys/${doomed.slice(0, 11)}/revoke`, {}, undefined, { headers: bearer(admin) });
    const reader = await parley.get("/openapi.json", undefined, { headers: bearer(secret) });
    expect(codeOf(reader)).toEqual(UNAUTHORIZED);
  });

  test("is not made without end", async () => {
    const team = await create();
    await connected(parley.database.url("parley_owner"), (client) =>
      client.query(
        `insert into parley_private.invites (hash, session_id, uses_left, made_by, expires_at)
         select sha256(n::text::bytea), $1, 1, 'test', now() + interval '1 hour' from generate_series(1, 100) n`,
        [team.session_id],
      ),
    );
    const answer = await parley.post(`/sessions/${team.ref}/invites`, {}, team);
    expect(codeOf(answer)).toEqual([429, "rate_limited"]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(3_000);
  });
});

describe("a person who opens an invitation", () => {
  test("becomes a member, who sees the session from then on", async () => {
    const team = await create();
    const bob = as(parley, await signIn(parley, "Bob"));
    expect(codeOf(await bob.get(`/sessions/${team.ref}`))).toEqual([404, "session_not_found"]);
    const secret = await invite(team);
    const accepted = await bob.post("/invites/accept", { invite: secret });
    expect(accepted.body).toMatchObject({ ref: team.ref, title: "Secret", url: `${parley.url}/s/${team.ref}` });
    expect((await bob.get(`/sessions/${team.ref}`)).status).toBe(200);
    // Who is a member already finds the way again; for another it is used up.
    expect((await bob.post("/invites/accept", { invite: secret })).body.ref).toBe(team.ref);
    expect(codeOf(await bob.post("/invites/accept", { invite: await invite(team) }))).toEqual([200]);
    const carol = as(parley, await signIn(parley, "Carol"));
    expect(codeOf(await carol.post("/invites/accept", { invite: secret }))).toEqual([404, "invite_not_found"]);
    expect(codeOf(await carol.post("/invites/accept", {}))).toEqual([400, "invalid_argument"]);
  });

  test("may show it by GraphQL as the key, so that it is in no query", async () => {
    const team = await create();
    const dora = await signIn(parley, "Dora");
    const headers = { ...dora.headers, ...bearer(await invite(team)) };
    const { data } = await as(parley, { headers }).graphql("mutation { acceptInvite(input: {}) { result { ref } } }");
    expect(data.acceptInvite.result.ref).toBe(team.ref);
  });

  test("has to be a person", async () => {
    const secret = await invite(await create());
    const answer = await parley.post("/invites/accept", { invite: secret }, undefined, { headers: bearer(key) });
    expect(codeOf(answer)).toEqual(UNAUTHORIZED);
  });

  test("is one of two who come at once with the last use, over many rounds", async () => {
    const [ada, bob] = [as(parley, await signIn(parley, "A")), as(parley, await signIn(parley, "B"))];
    for (let round = 0; round < 10; round++) {
      const team = await create();
      const secret = await invite(team);
      const [a, b, c] = await Promise.all([
        ada.post("/invites/accept", { invite: secret }),
        bob.post("/invites/accept", { invite: secret }),
        join(team, { invite: secret }),
      ]);
      expect([a.status, b.status, c.status].filter((status) => status === 200)).toHaveLength(1);
    }
  });
});

describe("with open access", () => {
  test("a session for members is found by nobody without an invitation", async () => {
    const open = await startTestServer();
    try {
      const team = (
        await open.post("/sessions", { title: "T", description: "", creator_team_name: "A", visibility: "members" })
      ).body as Team;
      expect(codeOf(await open.post(`/sessions/${team.ref}/join`, { team_name: "B" }))).toEqual([
        404,
        "session_not_found",
      ]);
      const { invite } = (await open.post(`/sessions/${team.ref}/invites`, {}, team)).body;
      const guest = await open.post(`/sessions/${team.ref}/join`, { team_name: "B", invite });
      expect(guest.body.participants.at(-1)).toMatchObject({ handle: "b", guest: true });
      const bob = as(open, await signIn(open, "Bob"));
      expect(codeOf(await bob.get(`/sessions/${team.ref}`))).toEqual([404, "session_not_found"]);
      const another = (await open.post(`/sessions/${team.ref}/invites`, {}, team)).body;
      await bob.post("/invites/accept", { invite: another.invite });
      await until(async () => (await bob.get(`/sessions/${team.ref}`)).status === 200, "the membership");
    } finally {
      await open.stop();
    }
  });
});
