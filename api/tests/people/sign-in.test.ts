import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asPerson, auth, makeLink, signIn } from "../../../testing/people.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type TestServer } from "../../../testing/server.ts";

const PUBLIC = "https://parley.example.com";
const PLAIN = "http://10.1.2.3:8080";
let parley: TestServer;
let open: TestServer;
beforeAll(async () => {
  [parley, open] = await Promise.all([
    startTestServer({ access: "keys" }),
    startTestServer({ publicOrigins: [PLAIN] }),
  ]);
});
afterAll(async () => {
  await parley.stop();
  await open.stop();
});

const sql = (text: string, values: unknown[] = [], server = parley) =>
  connected(server.database.url(), async (client) => (await client.query(text, values)).rows);
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code];
const secretOf = (setCookie: string) => /=([^;]*)/.exec(setCookie)?.[1] as string;

describe("a sign-in link", () => {
  test("says whom it is for, signs them in, and works once", async () => {
    const token = await makeLink(parley, "Ada", "owner");
    const looked = await auth(parley, "/link", { token });
    expect(looked.body).toMatchObject({ name: "Ada", role: "owner" });
    const first = await auth(parley, "/sign-in", { token });
    expect(first.body).toEqual({ person: expect.objectContaining({ name: "Ada", role: "owner", by: "link" }) });
    const me = await auth(parley, "/me", undefined, asPerson(parley, first.setCookie));
    expect(me.body).toMatchObject({
      access: "keys",
      person: { name: "Ada", role: "owner" },
      scopes: ["read", "team", "run", "admin"],
      sign_in: { link: true, name: false, oidc: null },
    });
    for (const path of ["/sign-in", "/link"])
      expect(codeOf(await auth(parley, path, { token }))).toEqual([401, "unauthorized"]);
  });

  test("that is unknown, used, expired, revoked or of somebody who was removed gets one and the same answer", async () => {
    const [used, expired, revoked, removed] = await Promise.all(
      ["used", "expired", "revoked", "removed"].map((name) => makeLink(parley, name, "member")),
    );
    await auth(parley, "/sign-in", { token: used as string });
    await sql("update parley_private.invites set expires_at = now() where name = 'expired'");
    await sql("update parley_private.invites set revoked_at = now() where name = 'revoked'");
    await auth(parley, "/sign-in", { token: removed as string });
    const again = await makeLink(parley, "removed", null);
    await sql("update parley_private.users set removed_at = now() where name = 'removed'");
    const answers = await Promise.all(
      [used, expired, revoked, again, "pl_nonsense"].map((token) =>
        auth(parley, "/sign-in", { token: token as string }),
      ),
    );
    for (const { status, body, setCookie } of answers)
      expect([status, body, setCookie]).toEqual([401, answers[0]?.body, ""]);
  });

  test("without a name asks for one, and is not used up by asking", async () => {
    const token = await connected(parley.database.url("parley_owner"), async (client) => {
      const { rows } = await client.query(
        "select (parley_private.make_link(null, null, 'viewer', '1 day', 'a test')).secret",
      );
      return rows[0].secret as string;
    });
    const nameless = await auth(parley, "/sign-in", { token });
    expect([...codeOf(nameless), nameless.body.error.details.field]).toEqual([400, "invalid_argument", "name"]);
    expect((await auth(parley, "/sign-in", { token, name: " " })).status).toBe(400);
    const named = await auth(parley, "/sign-in", { token, name: "Grace" });
    expect(named.body.person).toMatchObject({ name: "Grace", role: "viewer" });
  });

  test("is not a key: as one it opens nothing", async () => {
    const token = await makeLink(parley, "Key", "owner");
    for (const path of ["/sessions", "/people", "/openapi.json"])
      expect((await parley.get(path, undefined, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
  });

  test("for somebody who is known signs them in once more", async () => {
    const grace = await signIn(parley, "member", "Known");
    const again = await auth(parley, "/sign-in", { token: await makeLink(parley, "Known", null), name: "Another" });
    expect(again.body.person).toMatchObject({ id: grace.id, name: "Known" });
  });
});

describe("the cookie", () => {
  test("cannot be read by scripts nor sent by other sites, and lasts 30 days", async () => {
    const { setCookie } = await auth(parley, "/sign-in", { token: await makeLink(parley, "Cookie", "member") });
    expect(setCookie).toMatch(/^parley=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    const [row] = await sql(
      `select i.expires_at - i.created_at = interval '30 days' as month, i.last_used_at = date_trunc('minute', i.last_used_at) as minute, i.hash
       from parley_private.sign_ins i join parley_private.users u on u.id = i.user_id where u.name = 'Cookie'`,
    );
    expect(row).toMatchObject({ month: true, minute: true });
    expect(JSON.stringify(row)).not.toContain(secretOf(setCookie));
  });

  test("travels encrypted under a public address, bound to its host; plain http is refused, and the link stays good", async () => {
    const server = await startTestServer({ access: "keys", publicOrigins: [PUBLIC, PLAIN] });
    const token = await makeLink(server, "Far", "member");
    const from = (origin: string) =>
      request(server.url, "/auth/sign-in", { token }, { host: new URL(origin).host, origin });
    const plain = await from(PLAIN);
    expect([plain.status, JSON.parse(plain.body).error.code]).toEqual([403, "forbidden"]);
    const https = await from(PUBLIC);
    expect(https.headers["set-cookie"]).toMatch(
      /^__Host-parley=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    );
    await server.stop();
  });

  test("is always a fresh one: what a browser brought along is neither taken over nor left alive", async () => {
    const planted = "planted".padEnd(43, "x");
    const token = await makeLink(parley, "Fixed", "owner");
    const { setCookie } = await auth(parley, "/sign-in", { token }, { cookie: `parley=${planted}` });
    expect(secretOf(setCookie)).not.toBe(planted);
    const asPlanted = await auth(parley, "/me", undefined, { cookie: `parley=${planted}` });
    expect(asPlanted.body.person).toBe(null);

    const next = await auth(
      parley,
      "/sign-in",
      { token: await makeLink(parley, "Fixed", null) },
      asPerson(parley, setCookie),
    );
    expect(secretOf(next.setCookie)).not.toBe(secretOf(setCookie));
    expect((await auth(parley, "/me", undefined, asPerson(parley, setCookie))).body.person).toBe(null);
    expect((await auth(parley, "/me", undefined, asPerson(parley, next.setCookie))).body.person.name).toBe("Fixed");
  });

  test("is remembered as used, to the minute", async () => {
    const ada = await signIn(parley, "member");
    await sql("update parley_private.sign_ins set last_used_at = '2020-01-01' where user_id = $1", [ada.id]);
    expect((await parley.get("/sessions", undefined, { headers: ada.headers })).status).toBe(200);
    const [{ used }] = await sql(
      "select last_used_at > now() - interval '2 minutes' and last_used_at = date_trunc('minute', last_used_at) as used from parley_private.sign_ins where user_id = $1",
      [ada.id],
    );
    expect(used).toBe(true);
  });

  test("of a person who was signed in opens nothing after it has expired", async () => {
    const ada = await signIn(parley, "owner");
    expect((await parley.get("/people", undefined, { headers: ada.headers })).status).toBe(200);
    await sql("update parley_private.sign_ins set expires_at = now() where user_id = $1", [ada.id]);
    expect(codeOf(await parley.get("/people", undefined, { headers: ada.headers }))).toEqual([401, "unauthorized"]);
  });
});

describe("signing out", () => {
  test("ends this browser, and everywhere ends all of them", async () => {
    const first = await signIn(parley, "owner", "Everywhere");
    const browsers = [first.headers];
    for (let i = 0; i < 2; i++) {
      const token = await makeLink(parley, "Everywhere", null);
      browsers.push(asPerson(parley, (await auth(parley, "/sign-in", { token })).setCookie));
    }
    const alive = async () => {
      const all = await Promise.all(browsers.map((headers) => auth(parley, "/me", undefined, headers)));
      return all.map(({ body }) => body.person !== null);
    };
    const out = await auth(parley, "/sign-out", {}, browsers[0]);
    expect([out.body, out.setCookie]).toEqual([
      { signed_out: 1 },
      "parley=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
    ]);
    expect(await alive()).toEqual([false, true, true]);
    expect((await auth(parley, "/sign-out-everywhere", {}, browsers[1])).body).toEqual({ signed_out: 2 });
    expect(await alive()).toEqual([false, false, false]);
    expect((await auth(parley, "/sign-out", {})).body).toEqual({ signed_out: 0 });
  });
});

describe("with open access", () => {
  test("whoever comes types a name once, and may mend it", async () => {
    const nobody = await auth(open, "/me");
    expect(nobody.body).toMatchObject({ access: "open", person: null, sign_in: { name: true } });
    const first = await auth(open, "/name", { name: "Adda" });
    expect(first.body.person).toMatchObject({ name: "Adda", role: "member", by: "name" });
    const second = await auth(open, "/name", { name: "Ada" }, asPerson(open, first.setCookie));
    expect(second.body.person).toMatchObject({ id: first.body.person.id, name: "Ada" });
    expect((await auth(open, "/me", undefined, asPerson(open, second.setCookie))).body.person.name).toBe("Ada");
    expect(codeOf(await auth(open, "/name", { name: "" }))).toEqual([400, "invalid_argument"]);
  });

  test("as many come by a name from one address as the setting allows; a name that is mended is not another one", async () => {
    const allow = (most: number) =>
      sql("update parley.settings set value = to_jsonb($1::integer) where name = 'names_per_hour'", [most], open);
    await sql("delete from parley_private.counters", [], open);
    await allow(1);
    const first = await auth(open, "/name", { name: "First" });
    expect(first.status).toBe(200);
    expect(codeOf(await auth(open, "/name", { name: "Second" }))).toEqual([429, "rate_limited"]);
    expect((await auth(open, "/name", { name: "1st" }, asPerson(open, first.setCookie))).status).toBe(200);
    await allow(60);
  });

  test("a name may be typed over plain http, and no link is used there: an owner's cookie would be anyone's", async () => {
    const from = (path: string, body: object) =>
      request(open.url, path, body, { host: new URL(PLAIN).host, origin: PLAIN });
    expect((await from("/auth/name", { name: "Ada" })).status).toBe(200);
    const token = await makeLink(open, "Olga", "owner");
    expect((await from("/auth/sign-in", { token })).status).toBe(403);
    expect((await auth(open, "/sign-in", { token })).status).toBe(200);
  });

  test("a name that was typed there opens nothing once keys are asked for", async () => {
    const typed = await auth(open, "/name", { name: "Was here before" });
    const later = await startTestServer({ database: open.database, access: "keys" });
    const headers = { ...asPerson(later, typed.setCookie) };
    expect((await auth(later, "/me", undefined, headers)).body.person).toBe(null);
    expect((await later.get("/sessions", undefined, { headers })).status).toBe(401);
    await later.server.stop();
  });

  test("under keys a name alone lets nobody in", async () => {
    const answer = await auth(parley, "/name", { name: "Anybody" });
    expect([...codeOf(answer), answer.setCookie]).toEqual([403, "forbidden", ""]);
  });
});

test("bad input is named, and changes nothing", async () => {
  const token = await makeLink(parley, "Input", "member");
  for (const [field, body] of [
    ["token", {}],
    ["token", { token: 5 }],
    ["colour", { token, colour: "red" }],
    ["token", { token: "\0" }],
  ] as const) {
    const answer = await auth(parley, "/sign-in", body);
    expect([answer.status, answer.body.error.details.field]).toEqual([400, field]);
  }
  const wrongMethod = await fetch(`${parley.url}/auth/sign-in`);
  expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await fetch(`${parley.url}/auth/oidc`)).status).toBe(404);
  expect((await fetch(`${parley.url}/auth/nothing`)).status).toBe(404);
  expect((await auth(parley, "/sign-in", { token })).status).toBe(200);
});

async function request(url: string, path: string, body: object, headers: Record<string, string>) {
  const { sendRaw } = await import("../../../testing/raw-http.ts");
  const json = JSON.stringify(body);
  const lines = Object.entries({
    "content-type": "application/json",
    "content-length": String(json.length),
    ...headers,
  });
  return sendRaw(url, `POST ${path} HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join("")}\r\n${json}`);
}
