import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bearer, makeKey } from "../../../testing/access.ts";
import { auth, type Person, signIn } from "../../../testing/people.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
let owner: Person;
beforeAll(async () => {
  parley = await startTestServer({ access: "keys" });
  owner = await signIn(parley, "owner", "Olivia");
});
afterAll(() => parley.stop());

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [status, body.error?.code];
const post = (path: string, body: object, by: Person | string = owner) =>
  parley.post(path, body, undefined, { headers: headersOf(by) });
const get = (path: string, by: Person | string = owner) => parley.get(path, undefined, { headers: headersOf(by) });
const headersOf = (by: Person | string) => (typeof by === "string" ? { authorization: `Bearer ${by}` } : by.headers);
const keyWith = async (scopes: string[], session: string | null = null) =>
  connected(parley.database.url("parley_owner"), async (client) => {
    const { rows } = await client.query("select secret from parley_private.admin_key('test', $1, $2)", [
      scopes,
      session,
    ]);
    return rows[0].secret as string;
  });
const tokenOf = (link: string) => link.split("#token=")[1] as string;
const named = async (name: string) =>
  (await get("/people")).body.people.find((person: { name: string }) => person.name === name);
const events = async () => (await get("/audit?limit=20")).body.entries;

describe("an owner", () => {
  test("invites somebody by a link that works once, and sees them come", async () => {
    const invited = await post("/people", { name: "Ingrid", role: "viewer" });
    expect(invited.body).toMatchObject({ name: "Ingrid", role: "viewer" });
    expect(invited.body.link).toMatch(new RegExp(`^${parley.url}/sign-in#token=pl_[\\w-]{43}$`));
    expect(await named("Ingrid")).toBe(undefined);
    const token = tokenOf(invited.body.link);
    expect((await auth(parley, "/sign-in", { token })).body.person).toMatchObject({ name: "Ingrid", role: "viewer" });
    expect(await named("Ingrid")).toMatchObject({ role: "viewer", you: false, browsers: [{ by: "link" }] });
    expect((await auth(parley, "/sign-in", { token })).status).toBe(401);
    const list = await get("/people");
    expect(JSON.stringify(list.body)).not.toContain(token);
    expect(list.body.people[0]).toMatchObject({ name: "Olivia", role: "owner", you: true });
  });

  test("gives somebody who is known a link for another browser", async () => {
    const petra = await signIn(parley, "member", "Petra");
    const { body } = await post("/people", { person: petra.id });
    const again = await auth(parley, "/sign-in", { token: tokenOf(body.link) });
    expect(again.body.person.id).toBe(petra.id);
    expect((await named("Petra")).browsers).toHaveLength(2);
    expect((await post("/people", { person: petra.id, role: "owner" })).body.error.details.field).toBe("person");
  });

  test("changes what somebody may do, at once", async () => {
    const rosa = await signIn(parley, "viewer", "Rosa");
    const create = () => post("/sessions", { title: "T", description: "", creator_team_name: "R" }, rosa);
    expect(codeOf(await create())).toEqual([403, "forbidden"]);
    expect((await post(`/people/${rosa.id}/role`, { role: "member" })).body.role).toBe("member");
    expect((await create()).status).toBe(200);
  });

  test("makes somebody a viewer, whose teams end at once, their waits too, and go on when they may write again", async () => {
    const uma = await signIn(parley, "member", "Uma");
    const team = (await post("/sessions", { title: "T", description: "", creator_team_name: "U" }, uma)).body;
    const waiting = parley.wait(team);
    const waits = async () =>
      (await parley.get(`/sessions/${team.ref}/participants`, team)).body.participants[0].listening;
    await until(waits, "the wait");
    await post(`/people/${uma.id}/role`, { role: "viewer" });
    expect(codeOf(await waiting)).toEqual([401, "unauthorized"]);
    const say = () => parley.post(`/sessions/${team.ref}/messages`, { content: "Hello" }, team);
    expect(codeOf(await say())).toEqual([401, "unauthorized"]);
    await post(`/people/${uma.id}/role`, { role: "member" });
    expect((await say()).status).toBe(200);
  });

  test.each([
    ["is removed", "remove", {}],
    ["is an owner no more", "role", { role: "member" }],
  ])("who %s has left no link behind by which to come back", async (_, path, body) => {
    const eve = await signIn(parley, "owner", "Eve");
    const make = async (by: Person) => tokenOf((await post("/people", { role: "owner" }, by)).body.link);
    const [link, kept] = [await make(eve), await make(owner)];
    await post(`/people/${eve.id}/${path}`, body);
    expect((await auth(parley, "/sign-in", { token: link, name: "Eve again" })).status).toBe(401);
    expect((await auth(parley, "/link", { token: kept })).status).toBe(200);
  });

  test("ends the links that were made under a key with the key, and none of them lasts longer", async () => {
    const { body: key } = await post("/keys", {
      name: "K",
      scopes: ["read", "team", "run", "admin"],
      expires_in: "1h",
    });
    const { link, expires_at } = (await post("/people", { role: "owner" }, key.secret)).body;
    expect(Date.parse(expires_at)).toBeLessThanOrEqual(Date.parse(key.expires_at));
    await post(`/keys/${key.key}/revoke`, {});
    expect((await auth(parley, "/sign-in", { token: tokenOf(link), name: "Eve" })).status).toBe(401);
  });

  test("signs somebody out everywhere, who may come back", async () => {
    const sam = await signIn(parley, "member", "Sam");
    expect((await post("/people/Sam/sign-out", {})).body).toMatchObject({ name: "Sam", browsers: [] });
    expect((await get("/sessions", sam)).status).toBe(401);
    const { body } = await post("/people", { person: "Sam" });
    expect((await auth(parley, "/sign-in", { token: tokenOf(body.link) })).status).toBe(200);
  });

  test("removes somebody: cookies and links of theirs end, keys that they made stay, and a role brings them back", async () => {
    const tom = await signIn(parley, "owner", "Tom");
    const key = (await post("/keys", { name: "Tom's", scopes: ["read"] }, tom)).body.secret;
    const { link } = (await post("/people", { person: tom.id })).body;
    const removed = await post(`/people/${tom.id}/remove`, {});
    expect(removed.body).toMatchObject({ name: "Tom", browsers: [], removed_at: expect.any(String) });
    expect((await get("/people", tom)).status).toBe(401);
    expect((await auth(parley, "/sign-in", { token: tokenOf(link) })).status).toBe(401);
    expect((await get("/sessions", key)).status).toBe(200);
    expect((await get("/people")).body.people.at(-1).name).toBe("Tom");
    expect(codeOf(await post("/people", { person: tom.id }))).toEqual([409, "person_removed"]);

    await post(`/people/${tom.id}/role`, { role: "viewer" });
    const { body } = await post("/people", { person: tom.id });
    expect((await auth(parley, "/sign-in", { token: tokenOf(body.link) })).body.person.id).toBe(tom.id);
  });

  test("who is the last one stays it", async () => {
    const alone = await startTestServer({ access: "keys" });
    const last = await signIn(alone, "owner");
    const by = { headers: last.headers };
    for (const path of ["role", "remove"]) {
      const body = path === "role" ? { role: "member" } : {};
      expect(codeOf(await alone.post(`/people/${last.id}/${path}`, body, undefined, by))).toEqual([409, "last_owner"]);
    }
    await signIn(alone, "owner");
    expect((await alone.post(`/people/${last.id}/remove`, {}, undefined, by)).status).toBe(200);
    await alone.stop();
  });

  test("reads who did what, newest first, page by page and without secrets", async () => {
    const { body } = await post("/people", { name: "Vera", role: "member" });
    await auth(parley, "/sign-in", { token: tokenOf(body.link) });
    await post("/people/Vera/remove", {});
    const [removed, came, made] = await events();
    expect(removed).toMatchObject({ actor: "Olivia", event: "person_removed", details: { name: "Vera" } });
    expect(came).toMatchObject({ actor: "Vera", event: "signed_in", details: { by: "link" } });
    expect(made).toMatchObject({ actor: "Olivia", event: "link_made", details: { name: "Vera", role: "member" } });
    const first = (await get("/audit?limit=2")).body;
    expect(first.entries.map(({ id }: { id: number }) => id)).toEqual([removed.id, came.id]);
    expect((await get(`/audit?limit=1&before=${first.next_before}`)).body.entries[0].id).toBe(made.id);
    expect(JSON.stringify(await events())).not.toContain(tokenOf(body.link));
  });
});

describe("nobody else", () => {
  const VERBS = [
    ["GET", "/people"],
    ["GET", "/audit"],
    ["POST", "/people", { role: "member" }],
    ["POST", "/people/Olivia/role", { role: "owner" }],
    ["POST", "/people/Olivia/remove", {}],
    ["POST", "/people/Olivia/sign-out", {}],
  ] as const;
  const call = ([method, path, body]: (typeof VERBS)[number], by: Person | string) =>
    method === "GET" ? get(path, by) : post(path, body, by);

  test.each(VERBS)(
    "%s %s is refused to strangers, viewers, members, and keys without admin or of one session",
    async (...verb) => {
      const { ref } = (await post("/sessions", { title: "T", description: "", creator_team_name: "A" })).body;
      expect(codeOf(await call(verb as never, "pk_00000000_x"))).toEqual([401, "unauthorized"]);
      for (const by of [
        await signIn(parley, "viewer"),
        await signIn(parley, "member"),
        await keyWith(["read", "team", "run"]),
        await keyWith(["read", "team", "run", "admin"], ref),
      ])
        expect(codeOf(await call(verb as never, by))).toEqual([403, "forbidden"]);
      expect((await named("Olivia")).browsers).toHaveLength(1);
    },
  );

  test("makes somebody who may do more than themselves", async () => {
    const key = await keyWith(["read", "admin"]);
    expect(codeOf(await post("/people", { role: "owner" }, key))).toEqual([403, "forbidden"]);
    expect(codeOf(await post("/people/Rosa/role", { role: "member" }, key))).toEqual([403, "forbidden"]);
    expect((await post("/people", { role: "viewer" }, key)).status).toBe(200);
  });
});

test.each([
  ["role", "/people", { role: "king" }],
  ["role", "/people/Olivia/role", { role: "king" }],
  ["name", "/people", { name: " ", role: "member" }],
])("a wrong %s is named", async (field, path, body) => {
  const answer = await post(path, body);
  expect([answer.status, answer.body.error.details.field]).toEqual([400, field]);
});

test("a person who is not there, or whose name several have, is not found", async () => {
  await signIn(parley, "member", "Twin");
  await connected(parley.database.url("parley_owner"), (client) =>
    client.query("insert into parley_private.users (name, role) values ('Twin', 'member')"),
  );
  for (const name of ["Nobody", "Twin", "00000000-0000-0000-0000-000000000000"])
    expect(codeOf(await post(`/people/${name}/remove`, {}))).toEqual([404, "person_not_found"]);
});

test("with open access people are kept from the server's own machine, and from no other", async () => {
  const open = await startTestServer();
  expect((await open.get("/people")).status).toBe(200);
  const elsewhere = { headers: { "x-forwarded-for": "203.0.113.7" } };
  for (const path of ["/people", "/audit"])
    expect(codeOf(await open.get(path, undefined, elsewhere))).toEqual([403, "forbidden"]);

  // A key that administers does so from there, and gives no more than it has.
  const headers = { ...elsewhere.headers, ...bearer(await makeKey(open, ["admin"])) };
  const from = (path: string, body: object) => open.post(path, body, undefined, { headers });
  expect((await from("/keys", { name: "K", scopes: ["admin"] })).status).toBe(200);
  expect(codeOf(await from("/keys", { name: "K", scopes: ["team"] }))).toEqual([403, "forbidden"]);
  expect(codeOf(await from("/people", { role: "owner" }))).toEqual([403, "forbidden"]);
  await open.stop();
});

test("a key of one session has no say over the settings either", async () => {
  const { ref } = (await post("/sessions", { title: "T", description: "", creator_team_name: "A" })).body;
  const response = await fetch(`${parley.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${await keyWith(["admin"], ref)}` },
    body: JSON.stringify({
      query: 'mutation { updateSetting(input: { name: "title_max", value: 1 }) { result { value } } }',
    }),
  });
  expect(response.status).toBe(403);
});
