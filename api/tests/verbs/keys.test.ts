import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, connectModern } from "../../../mcp/tests/client.ts";
import { makeKey } from "../../../testing/access-key.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
let admin: string;

beforeAll(async () => {
  parley = await startTestServer({ access: "keys" });
  admin = await keyFromTheMachine(["read", "team", "run", "admin"]);
});
afterAll(() => parley.stop());

const keyFromTheMachine = (scopes: string[], session?: string, expires?: string) =>
  makeKey(parley.database, { scopes, ...(session && { session }), ...(expires && { expires }) });
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const create = async (key: string): Promise<Team> =>
  (await parley.post("/sessions", { title: "T", description: "", creator_team_name: "A" }, undefined, bearer(key)))
    .body;
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code];
const UNAUTHORIZED = [401, "unauthorized"];

describe("without a key", () => {
  test.each(["/sessions", "/keys", "/openapi.json", "/sessions/calm-otter-17"])("%s is refused", async (path) => {
    const answer = await parley.get(path);
    expect(codeOf(answer)).toEqual(UNAUTHORIZED);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("an existing session and none are told apart by nobody", async () => {
    const { ref } = await create(admin);
    const there = await parley.get(`/sessions/${ref}`);
    const missing = await parley.get("/sessions/no-such-1");
    expect([there.status, there.body]).toEqual([missing.status, missing.body]);
  });

  test("health, the guide and the page's own files are open", async () => {
    for (const path of ["/livez", "/readyz", "/AGENTS.md", "/llms.txt", "/parley.mjs", "/parley.sh"])
      expect([path, (await fetch(parley.url + path)).status]).toEqual([path, 200]);
  });

  test("the guide says how to come in, and of a session no more than its name", async () => {
    const { ref } = await create(admin);
    const [there, missing] = await Promise.all(
      [ref, "no-such-1"].map(async (session) => (await fetch(`${parley.url}/s/${session}/AGENTS.md`)).text()),
    );
    expect(there).toContain(`invited to session \`${ref}\``);
    expect(there).toContain("**This server asks for an access key**");
    expect(there).toBe(missing?.replaceAll("no-such-1", ref));
    expect((await fetch(`${parley.url}/s/$(reboot)/AGENTS.md`)).status).toBe(404);
  });

  test.each(["/metrics", "/docs", "/demo"])("%s is not", async (path) => {
    expect((await fetch(parley.url + path)).status).toBe(401);
  });

  test("MCP refuses to connect, in both eras", async () => {
    await expect(connect(parley)).rejects.toThrow(/401|nauthorized/);
    await expect(connectModern(parley)).rejects.toThrow(/401|nauthorized/);
  });

  test("GraphQL reads nothing, and says why", async () => {
    const answer = await fetch(`${parley.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "{ findSessions(first: 1) { nodes { ref } } }" }),
    });
    const { errors } = (await answer.json()) as { errors: { extensions: { code: string } }[] };
    expect([answer.status, errors[0]?.extensions.code]).toEqual(UNAUTHORIZED);
  });
});

describe("with a key", () => {
  test("wrong, expired and revoked keys get one and the same answer", async () => {
    const expired = await keyFromTheMachine(["read"], undefined, "-1 minute");
    const revoked = await keyFromTheMachine(["read"]);
    await parley.post(`/keys/${revoked.slice(0, 11)}/revoke`, {}, undefined, bearer(admin));
    const answers = await Promise.all(
      ["pk_00000000_x", expired, revoked].map((key) => parley.get("/sessions", undefined, bearer(key))),
    );
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([401, answers[0]?.body]);
  });

  test("a scope that is missing is named", async () => {
    const key = await keyFromTheMachine(["read"]);
    const answer = await parley.post(
      "/sessions",
      { title: "T", description: "", creator_team_name: "A" },
      undefined,
      bearer(key),
    );
    expect(codeOf(answer)).toEqual([403, "forbidden"]);
    expect(answer.body.error.details.scope).toBe("team");
    expect((await parley.get("/sessions", undefined, bearer(key))).status).toBe(200);
  });

  test("X-MCP-Token works too", async () => {
    expect((await parley.get("/sessions", undefined, { headers: { "x-mcp-token": admin } })).status).toBe(200);
  });

  test("it is made, listed with its prefix, and shown once", async () => {
    const made = await parley.post(
      "/keys",
      { name: "CI", scopes: ["team", "read"], expires_in: "12h" },
      undefined,
      bearer(admin),
    );
    expect(made.body).toMatchObject({ name: "CI", scopes: ["read", "team"], session: null });
    expect(made.body.secret).toMatch(/^pk_[A-Za-z0-9]{8}_[\w-]{43}$/);
    expect(made.body.secret.startsWith(`${made.body.key}_`)).toBe(true);
    const { body } = await parley.get("/keys", undefined, bearer(admin));
    expect(JSON.stringify(body)).not.toContain(made.body.secret);
    const listed = body.keys.find(({ key }: { key: string }) => key === made.body.key);
    expect(Date.parse(listed.expires_at) - Date.parse(listed.created_at)).toBeGreaterThan(11 * 3_600_000);
    expect(listed.last_used_at).toBe(null);
    await parley.get("/sessions", undefined, bearer(made.body.secret));
    const after = (await parley.get("/keys", undefined, bearer(admin))).body.keys;
    expect(after.find(({ key }: { key: string }) => key === made.body.key).last_used_at).toMatch(/:00\+00:00$|:00Z$/);
  });

  test("it makes no key that opens more than itself", async () => {
    const key = await keyFromTheMachine(["read", "admin"]);
    const more = await parley.post("/keys", { name: "More", scopes: ["read", "team"] }, undefined, bearer(key));
    expect(codeOf(more)).toEqual([403, "forbidden"]);
    const same = await parley.post("/keys", { name: "Same", scopes: ["read"] }, undefined, bearer(key));
    expect(same.status).toBe(200);
  });

  test.each([
    ["name", { name: " ", scopes: ["read"] }],
    ["scopes", { name: "A", scopes: [] }],
    ["scopes", { name: "A", scopes: ["root"] }],
    ["expires_in", { name: "A", scopes: ["read"], expires_in: "soon" }],
  ])("a wrong %s is named", async (field, body) => {
    const answer = await parley.post("/keys", body, undefined, bearer(admin));
    expect(codeOf(answer)).toEqual([400, "invalid_argument"]);
    expect(answer.body.error.details.field).toBe(field);
  });

  test("as many as the setting allows are made within an hour", async () => {
    const set = (value: number) =>
      connected(parley.database.url("parley_owner"), (client) =>
        client.query("update parley.settings set value = to_jsonb($1::integer) where name = 'keys_per_hour'", [value]),
      );
    await set(1);
    const answer = await parley.post("/keys", { name: "A", scopes: ["read"] }, undefined, bearer(admin));
    await set(60);
    expect(codeOf(answer)).toEqual([429, "rate_limited"]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("one that is bound to a session opens that one alone", async () => {
    const [one, other] = [await create(admin), await create(admin)];
    const key = await keyFromTheMachine(["read", "team"], one.ref);
    const { body } = await parley.get("/sessions", undefined, bearer(key));
    expect(body.sessions.map(({ ref }: Team) => ref)).toEqual([one.ref]);
    const join = (ref: string) => parley.post(`/sessions/${ref}/join`, { team_name: "B" }, undefined, bearer(key));
    expect((await join(one.ref)).status).toBe(200);
    expect(codeOf(await join(other.ref))).toEqual([404, "session_not_found"]);
    const create2 = await parley.post(
      "/sessions",
      { title: "T", description: "", creator_team_name: "A" },
      undefined,
      bearer(key),
    );
    expect(codeOf(create2)).toEqual([403, "forbidden"]);
  });

  test("MCP connects with it", async () => {
    for (const open of [connect, connectModern]) {
      const client = await open(parley, "/mcp", bearer(admin).headers);
      expect((await client.listTools()).tools.length).toBeGreaterThan(12);
      await client.close();
    }
  });
});

test("a text that holds a key is refused, before anybody reads it", async () => {
  const team = await create(admin);
  const answer = await parley.post(`/sessions/${team.ref}/messages`, { content: `use ${admin}` }, team);
  expect(codeOf(answer)).toEqual([400, "invalid_argument"]);
  expect(JSON.stringify(answer.body)).not.toContain(admin);
  await parley.say(team, `use ${admin.slice(0, 11)}`);
  const link = `${parley.url}/sign-in#token=pl_${"x".repeat(43)}`;
  expect(codeOf(await parley.post(`/sessions/${team.ref}/doc/append`, { text: link }, team))).toEqual([
    400,
    "invalid_argument",
  ]);
});

describe("a team that was opened under a key", () => {
  test("needs its team_id alone from then on, and dies with the key", async () => {
    const key = await keyFromTheMachine(["read", "team"]);
    const team = await create(key);
    await parley.say(team, "Hello");
    const waiting = parley.wait(team);
    await until(
      async () => (await parley.get(`/sessions/${team.ref}/participants`, team)).body.participants[0].listening,
      "the wait",
    );
    await parley.post(`/keys/${key.slice(0, 11)}/revoke`, {}, undefined, bearer(admin));
    expect(codeOf(await waiting)).toEqual(UNAUTHORIZED);
    expect(codeOf(await parley.post(`/sessions/${team.ref}/messages`, { content: "?" }, team))).toEqual(UNAUTHORIZED);
    expect(codeOf(await parley.get(`/sessions/${team.ref}`, team))).toEqual(UNAUTHORIZED);
  });

  test("or a key that was made with it, ends with it; those of others do not", async () => {
    const make = async (by: string, scopes: string[]): Promise<string> =>
      (await parley.post("/keys", { name: "made", scopes }, undefined, bearer(by))).body.secret;
    const first = await keyFromTheMachine(["read", "team", "admin"]);
    const second = await make(first, ["read", "admin"]);
    const third = await make(second, ["read"]);
    const other = await make(admin, ["read"]);
    await parley.post(`/keys/${first.slice(0, 11)}/revoke`, {}, undefined, bearer(admin));
    for (const key of [first, second, third])
      expect(codeOf(await parley.get("/sessions", undefined, bearer(key)))).toEqual(UNAUTHORIZED);
    for (const key of [admin, other]) expect((await parley.get("/sessions", undefined, bearer(key))).status).toBe(200);
  });

  test("and has ended with it takes no seat", async () => {
    const key = await keyFromTheMachine(["team"]);
    const body = { title: "T", description: "", creator_team_name: "A", capacity: 2 };
    const { ref } = (await parley.post("/sessions", body, undefined, bearer(admin))).body;
    const join = (by: string) => parley.post(`/sessions/${ref}/join`, { team_name: "B" }, undefined, bearer(by));
    await join(key);
    expect(codeOf(await join(admin))).toEqual([409, "session_full"]);
    await parley.post(`/keys/${key.slice(0, 11)}/revoke`, {}, undefined, bearer(admin));
    expect((await join(admin)).status).toBe(200);
    expect(codeOf(await join(admin))).toEqual([409, "session_full"]);
  });

  test("and has ended with it is not handed out again: the same call under another key is another team", async () => {
    const [key, another] = [await keyFromTheMachine(["team"]), await keyFromTheMachine(["team"])];
    const session = await create(another);
    const join = async (by: string) =>
      (
        await parley.post(
          `/sessions/${session.ref}/join`,
          { team_name: "B", idempotency_key: "once" },
          undefined,
          bearer(by),
        )
      ).body as Team;
    const ended = await join(key);
    await parley.post(`/keys/${key.slice(0, 11)}/revoke`, {}, undefined, bearer(admin));
    const next = await join(another);
    expect(next.handle).not.toBe(ended.handle);
    await parley.say(next, "Hello");
    expect((await join(another)).handle).toBe(next.handle);
  });

  test("is found again by rejoin, under the same key and name", async () => {
    const [key, another] = [await keyFromTheMachine(["team"]), await keyFromTheMachine(["team"])];
    const session = await create(key);
    const join = async (by: string, rejoin?: boolean) =>
      (await parley.post(`/sessions/${session.ref}/join`, { team_name: "B", rejoin }, undefined, bearer(by)))
        .body as Team;
    const first = await join(key);
    const again = await join(key, true);
    expect(again.handle).toBe(first.handle);
    expect(again.team_id).not.toBe(first.team_id);
    expect(codeOf(await parley.get(`/sessions/${session.ref}`, first))).toEqual(UNAUTHORIZED);
    expect((await parley.get(`/sessions/${session.ref}`, again)).status).toBe(200);
    expect((await join(another, true)).handle).not.toBe(first.handle);
  });
});
