import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { as, bearer, codeOf, makeKey, type Person, signIn } from "../../../testing/access.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
let key: string;
let ada: Person;
beforeAll(async () => {
  parley = await startTestServer({ access: "keys" });
  key = await makeKey(parley, ["read", "team"]);
  ada = await signIn(parley, "Ada");
});
afterAll(() => parley.stop());

const headers = () => ({ headers: bearer(key) });
async function pair(): Promise<[Team, Team]> {
  const body = { title: "T", description: "", creator_team_name: "Amber" };
  const a = (await parley.post("/sessions", body, undefined, headers())).body as Team;
  return [a, (await parley.post(`/sessions/${a.ref}/join`, { team_name: "Blue" }, undefined, headers())).body as Team];
}
const feedOf = async (team: Team) => (await parley.get(`/sessions/${team.ref}/messages`, team)).body.messages;
const audited = (team: Team) =>
  connected(
    parley.database.url("parley_owner"),
    async (client) =>
      (
        await client.query(
          "select actor, event, details from parley_private.audit where session_ref = $1 order by id",
          [team.ref],
        )
      ).rows,
  );
const lead = (team: Team, verb: string, body: object = {}) => parley.post(`/sessions/${team.ref}/${verb}`, body, team);
const listening = (team: Team, handle: string) =>
  until(
    async () =>
      (await parley.get(`/sessions/${team.ref}/participants`, team)).body.participants.find(
        (other: Team) => other.handle === handle,
      ).listening,
    "the wait",
  );
const PAUSED = [403, "session_paused"];

describe("a paused session", () => {
  test("takes no word of an agent, says why, and goes on when it is unpaused", async () => {
    const [a, b] = await pair();
    const waiting = parley.wait(b, { since_cursor: 1 });
    await listening(a, "blue");
    const paused = await as(parley, ada).post(`/sessions/${a.ref}/pause`, { reason: "Wrong branch" });
    expect(paused.body).toMatchObject({ paused: true, reason: "Wrong branch" });
    expect((await waiting).body.messages).toMatchObject([
      { event: "session_paused", by: "Ada", reason: "Wrong branch", sender: "system" },
    ]);
    for (const team of [a, b]) {
      const refused = await parley.post(`/sessions/${a.ref}/messages`, { content: "But" }, team);
      expect(codeOf(refused)).toEqual(PAUSED);
      expect(refused.body.error.message).toBe("This session is paused: Wrong branch.");
      expect(refused.body.error.details.reason).toBe("Wrong branch");
    }
    expect((await parley.get(`/sessions/${a.ref}`, a)).body).toMatchObject({
      paused: true,
      pause_reason: "Wrong branch",
    });
    expect((await parley.get(`/sessions/${a.ref}?format=lines`, a)).body).toMatch(
      /^.*· paused yes ·.*\npause reason: Wrong/,
    );
    const goesOn = parley.wait(b, { since_cursor: 2 });
    await listening(a, "blue");
    expect((await lead(a, "unpause")).body.paused).toBe(false);
    expect((await goesOn).body.messages).toMatchObject([{ event: "session_unpaused", by: "Amber", handle: "amber" }]);
    expect((await parley.say(b, "Good")).cursor).toBe(4);
    expect((await parley.get(`/sessions/${a.ref}`, a)).body.paused).toBe(false);
    expect(await audited(a)).toMatchObject([
      { actor: "Ada", event: "session_paused", details: { reason: "Wrong branch" } },
      { actor: `amber in ${a.ref}`, event: "session_unpaused" },
    ]);
  });

  test("refuses every write of an agent, and lets it read, wait, ack and leave", async () => {
    const [a, b] = await pair();
    const question = (await parley.post(`/sessions/${a.ref}/messages`, { content: "?", kind: "question" }, b)).body
      .cursor;
    await lead(a, "pause");
    const writes: Record<string, object> = {
      messages: { content: "x" },
      sync: { outbox: ["x"] },
      doc: { content: "x", expected_version: 0 },
      "doc/append": { text: "x" },
      metadata: { title: "x", reason: "x" },
      conclude: { summary_section: "x" },
      ask: { question: "x" },
      invites: {},
      [`messages/${question}/withdraw`]: {},
    };
    for (const [path, body] of Object.entries(writes))
      expect([path, codeOf(await parley.post(`/sessions/${a.ref}/${path}`, body, b))]).toEqual([path, PAUSED]);
    const join = await parley.post(`/sessions/${a.ref}/join`, { team_name: "Green" }, undefined, headers());
    expect(codeOf(join)).toEqual(PAUSED);
    expect(codeOf(await lead(a, "access", { mode: "read_only" }))).toEqual(PAUSED);
    for (const path of ["", "/messages", "/participants", "/doc", "/digest", "/whoami", "/messages/wait?timeout=0"])
      expect([path, (await parley.get(`/sessions/${a.ref}${path}`, b)).status]).toEqual([path, 200]);
    expect((await parley.post(`/sessions/${a.ref}/ack`, { through_cursor: 2 }, b)).status).toBe(200);
    expect((await parley.post(`/sessions/${a.ref}/sync`, {}, b)).status).toBe(200);
    expect((await parley.post(`/sessions/${a.ref}/leave`, {}, b)).status).toBe(200);
  });

  test("lets people write, and the retry of a post succeed that was acknowledged before", async () => {
    const [a] = await pair();
    const body = { content: "Once", client_message_id: "once-1" };
    const { cursor } = (await parley.post(`/sessions/${a.ref}/messages`, body, a)).body;
    await as(parley, ada).post(`/sessions/${a.ref}/pause`);
    expect((await parley.post(`/sessions/${a.ref}/messages`, body, a)).body.cursor).toBe(cursor);
    expect((await as(parley, ada).post(`/sessions/${a.ref}/messages`, { content: "Now listen" })).status).toBe(200);
    const concluded = await as(parley, ada).post(`/sessions/${a.ref}/conclude`, { summary_section: "Stopped." });
    expect(concluded.status).toBe(200);
    expect((await parley.get(`/sessions/${a.ref}`, a)).body.paused).toBe(false);
  });

  test("is paused by people and the convener alone, once, and not after the close", async () => {
    const [a, b] = await pair();
    expect(codeOf(await parley.post(`/sessions/${a.ref}/pause`, {}, b))).toEqual([403, "convener_only"]);
    await lead(a, "pause");
    expect(codeOf(await parley.post(`/sessions/${a.ref}/unpause`, {}, b))).toEqual([403, "convener_only"]);
    const { last_cursor } = (await parley.get(`/sessions/${a.ref}`, a)).body;
    expect((await as(parley, ada).post(`/sessions/${a.ref}/pause`, { reason: "Again" })).body.paused).toBe(true);
    expect((await parley.get(`/sessions/${a.ref}`, a)).body.last_cursor).toBe(last_cursor);
    await lead(a, "unpause");
    await lead(a, "unpause");
    expect((await parley.get(`/sessions/${a.ref}`, a)).body.last_cursor).toBe(last_cursor + 1);
    await lead(a, "conclude", { summary_section: "Done." });
    expect(codeOf(await lead(a, "pause"))).toEqual([403, "session_closed"]);
    expect(codeOf(await lead(a, "pause", { reason: " " }))).toEqual([400, "invalid_argument"]);
  });
});

describe("a team that is removed", () => {
  test("is told so at once, while it waits and ever after, and everybody reads why", async () => {
    const [a, b] = await pair();
    const waiting = parley.wait(b, { since_cursor: 1 });
    await listening(a, "blue");
    const removed = await lead(a, "remove", { handle: "@blue", reason: "It loops" });
    expect(removed.body).toMatchObject({ handle: "blue", removed_at: expect.any(String), unread: 1 });
    expect(codeOf(await waiting)).toEqual([401, "unauthorized"]);
    for (const [path, body] of Object.entries({ messages: { content: "x" }, leave: {}, sync: {} }))
      expect(codeOf(await parley.post(`/sessions/${a.ref}/${path}`, body, b))).toEqual([401, "unauthorized"]);
    expect(codeOf(await parley.get("/whoami", b))).toEqual([401, "unauthorized"]);
    expect((await feedOf(a)).at(-1)).toMatchObject({
      ...{ event: "team_removed", team: "Blue", handle: "blue", by: "Amber", reason: "It loops" },
    });
    expect((await parley.get(`/sessions/${a.ref}/messages?format=lines`, a)).body).toContain(
      "* team_removed blue by Amber: It loops",
    );
    const roster = (await parley.get(`/sessions/${a.ref}/participants`, a)).body.participants;
    expect(roster[1]).toMatchObject({ handle: "blue", activity: "left", status: "disconnected" });
    // Removed twice, it is told once.
    await as(parley, ada).post(`/sessions/${a.ref}/remove`, { handle: "blue" });
    expect((await feedOf(a)).filter(({ event }: { event?: string }) => event === "team_removed")).toHaveLength(1);
    expect(await audited(a)).toMatchObject([
      { actor: `amber in ${a.ref}`, event: "team_removed", details: { handle: "blue", reason: "It loops" } },
    ]);
  });

  test("does not come back by the key of its join, nor by rejoin; one that left does", async () => {
    const [a] = await pair();
    const join = (body: object) => parley.post(`/sessions/${a.ref}/join`, body, undefined, headers());
    const body = { team_name: "Green", idempotency_key: "green-word" };
    const green = (await join(body)).body as Team;
    await parley.post(`/sessions/${a.ref}/leave`, {}, green);
    const again = (await join(body)).body as Team;
    await lead(a, "remove", { handle: again.handle });
    expect(codeOf(await join(body))).toEqual([403, "forbidden"]);
    expect(codeOf(await join({ team_name: "Green", rejoin: true }))).toEqual([403, "forbidden"]);
    const fresh = await join({ team_name: "Green" });
    expect(fresh.body.handle).toBe("green-3");
  });

  test("is removed by people and the convener alone; an agent removes no person", async () => {
    const [a, b] = await pair();
    await as(parley, ada).post(`/sessions/${a.ref}/messages`, { content: "Hello" });
    expect(codeOf(await parley.post(`/sessions/${a.ref}/remove`, { handle: "amber" }, b))).toEqual([
      403,
      "convener_only",
    ]);
    expect(codeOf(await lead(a, "remove", { handle: "ada" }))).toEqual([403, "forbidden"]);
    expect(codeOf(await lead(a, "remove", { handle: "amber" }))).toEqual([400, "invalid_argument"]);
    expect(codeOf(await lead(a, "remove", { handle: "nobody" }))).toEqual([404, "team_not_found"]);
    expect((await as(parley, ada).post(`/sessions/${a.ref}/remove`, { handle: "amber" })).status).toBe(200);
    expect(codeOf(await parley.get(`/sessions/${a.ref}`, a))).toEqual([401, "unauthorized"]);
  });

  test("if it is a person, is no member any more", async () => {
    const bob = as(parley, await signIn(parley, "Bob"));
    const body = { title: "T", description: "", creator_team_name: "Amber", visibility: "members" };
    const a = (await parley.post("/sessions", body, undefined, headers())).body as Team;
    const { invite } = (await lead(a, "invites")).body;
    await bob.post("/invites/accept", { invite });
    await bob.post(`/sessions/${a.ref}/messages`, { content: "Hello" });
    const olga = as(parley, await signIn(parley, "Olga", "owner"));
    expect((await olga.post(`/sessions/${a.ref}/remove`, { handle: "bob" })).status).toBe(200);
    expect(codeOf(await bob.get(`/sessions/${a.ref}`))).toEqual([404, "session_not_found"]);
    expect(codeOf(await bob.post(`/sessions/${a.ref}/messages`, { content: "Still?" }))).toEqual([
      404,
      "session_not_found",
    ]);
  });
});

describe("who sees a session", () => {
  test("is changed by its convener, by whoever opened that team, and by owners", async () => {
    const [a, b] = await pair();
    const change = { visibility: "members" };
    expect(codeOf(await parley.post(`/sessions/${a.ref}/access`, change, b))).toEqual([403, "convener_only"]);
    expect(codeOf(await as(parley, ada).post(`/sessions/${a.ref}/access`, change))).toEqual([403, "convener_only"]);
    const olga = as(parley, await signIn(parley, "Olga", "owner"));
    expect((await olga.post(`/sessions/${a.ref}/access`, { mode: "read_only" })).status).toBe(200);
    // An owner does not lock herself out.
    expect((await olga.post(`/sessions/${a.ref}/access`, { mode: "intervention" })).status).toBe(200);
    expect((await lead(a, "access", change)).body).toMatchObject({ visibility: "members", mode: "intervention" });
    expect(codeOf(await as(parley, ada).get(`/sessions/${a.ref}`))).toEqual([404, "session_not_found"]);
    expect((await parley.get(`/sessions/${a.ref}`, b)).body.visibility).toBe("members");
    const own = { title: "Mine", description: "", creator_team_name: "Hers" };
    const opened = (await as(parley, ada).post("/sessions", own)).body as Team;
    expect((await as(parley, ada).post(`/sessions/${opened.ref}/access`, change)).body.visibility).toBe("members");
    expect((await feedOf(a)).at(-1)).toMatchObject({
      ...{ event: "session_access_updated", by: "Amber", changes: { visibility: { from: "everyone", to: "members" } } },
    });
  });

  test.each([
    ["visibility", {}],
    ["visibility", { visibility: "nobody" }],
    ["mode", { mode: "shut" }],
  ])("with a wrong %s is refused", async (field, body) => {
    const [a] = await pair();
    const refused = await lead(a, "access", body);
    expect([codeOf(refused), refused.body.error.details.field]).toEqual([[400, "invalid_argument"], field]);
    const create = { title: "T", description: "", creator_team_name: "A", visibility: "nobody" };
    expect(codeOf(await parley.post("/sessions", create, undefined, headers()))).toEqual([400, "invalid_argument"]);
  });

  test("goes over to the session that continues it, with its members", async () => {
    const body = { title: "T", description: "", creator_team_name: "Hers", visibility: "members" };
    const a = (await as(parley, ada).post("/sessions", body)).body as Team;
    await lead(a, "conclude", { summary_section: "Done." });
    const next = (await as(parley, ada).post(`/sessions/${a.ref}/resume`, { team_name: "Again" })).body as Team;
    expect((await as(parley, ada).get(`/sessions/${next.ref}`)).body.visibility).toBe("members");
    expect(codeOf(await parley.get(`/sessions?text=${next.ref}`, undefined, headers()))).toEqual([200]);
    expect((await parley.get(`/sessions?text=${next.ref}`, undefined, headers())).body.sessions).toEqual([]);
  });
});

describe("a key that expires", () => {
  test("ends the wait of its team with 401 when its time is over", async () => {
    const short = await makeKey(parley, ["read", "team"], null, "2 seconds");
    const body = { title: "T", description: "", creator_team_name: "Amber" };
    const a = (await parley.post("/sessions", body, undefined, { headers: bearer(short) })).body as Team;
    expect(codeOf(await parley.wait(a))).toEqual([401, "unauthorized"]);
  });
});
