import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const key = () => `key-${Math.random().toString(36).slice(2)}`;
const create = (body: object = {}) =>
  parley.post("/sessions", { title: "T", description: "", creator_team_name: "Alex", ...body });
const join = (session: Team, body: object = {}) =>
  parley.post(`/sessions/${session.ref}/join`, { team_name: "Blue", ...body });
const resume = (session: Team, body: object = {}) =>
  parley.post(`/sessions/${session.ref}/resume`, { team_name: "Next", ...body });
const conclude = (team: Team) => parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
const feed = async (team: Team) => (await parley.get(`/sessions/${team.ref}/messages`, team)).body.messages;
const whoami = (team: Team) => parley.get("/whoami", team);
const conflict = {
  status: 409,
  body: { error: { code: "idempotency_conflict", details: { field: "idempotency_key" } } },
};

/** A session to try a verb on, and the verb with a key. */
const doors: [string, () => Promise<(body?: object) => ReturnType<typeof create>>][] = [
  ["create_session", async () => create],
  [
    "join_session",
    async () => {
      const session = await parley.create();
      return (body) => join(session, body);
    },
  ],
  [
    "resume_session",
    async () => {
      const session = await parley.create();
      await conclude(session);
      return (body) => resume(session, body);
    },
  ],
];

describe.each(doors)("%s with an idempotency_key", (verb, door) => {
  test("is the same team again, with a new team_id; the one before is dead", async () => {
    const open = await door();
    const idempotency_key = key();
    const first = (await open({ idempotency_key })).body;
    const before = await feed(first);
    const again = await open({ idempotency_key });
    expect(again.status).toBe(200);
    const { team_id, participants: _, earlier: __, ...same } = first;
    expect(again.body).toMatchObject(same);
    expect(again.body.team_id).toMatch(/^pt_[\w-]{43}$/);
    expect(again.body.team_id).not.toBe(team_id);
    expect((await whoami(first)).status).toBe(401);
    expect((await whoami(again.body)).body).toMatchObject({ ref: first.ref, handle: first.handle });
    expect((await feed(again.body)).length).toBe(before.length);
  });

  test("leads back to the cursor that the team has reached", async () => {
    const open = await door();
    const idempotency_key = key();
    const first = (await open({ idempotency_key })).body;
    const other = await parley.join(first, "Other");
    const { cursor } = await parley.say(other, "hello");
    await parley.wait(first, { since_cursor: cursor, timeout: 0 });
    expect((await open({ idempotency_key })).body.cursor).toBe(cursor);
  });

  test("leads back after the close", async () => {
    const open = await door();
    const idempotency_key = key();
    const first = (await open({ idempotency_key })).body;
    await conclude(first);
    const again = await open({ idempotency_key });
    expect(again).toMatchObject({ status: 200, body: { ref: first.ref, handle: first.handle } });
    expect((await whoami(again.body)).status).toBe(200);
  });

  test("is refused with other arguments, and says nothing of the key", async () => {
    const open = await door();
    const idempotency_key = key();
    const first = (await open({ idempotency_key })).body;
    const name = verb === "create_session" ? "creator_team_name" : "team_name";
    const refused = await open({ idempotency_key, [name]: "Else" });
    expect(refused).toMatchObject(conflict);
    expect(JSON.stringify(refused.body)).not.toContain(idempotency_key);
    expect((await whoami(first)).status).toBe(200);
  });

  test("another key, or none, is another team", async () => {
    const open = await door();
    const first = (await open({ idempotency_key: key() })).body;
    const second = await open({ idempotency_key: key() });
    if (verb === "resume_session") expect(second.status).toBe(409);
    else expect(second.body.session_id === first.session_id && second.body.handle === first.handle).toBe(false);
  });

  test.each(["", "  ", "k".repeat(201), 7])("refuses the key %j", async (idempotency_key) => {
    const open = await door();
    expect(await open({ idempotency_key })).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_argument", details: { field: "idempotency_key" } } },
    });
  });
});

test("a key belongs to its verb and session", async () => {
  const idempotency_key = key();
  const a = (await create({ idempotency_key })).body;
  const b = (await create()).body;
  const joined = [(await join(a, { idempotency_key })).body, (await join(b, { idempotency_key })).body];
  expect(joined.map(({ ref, handle }) => [ref, handle])).toEqual([
    [a.ref, "blue"],
    [b.ref, "blue"],
  ]);
  expect((await whoami(a)).status).toBe(200);
});

test("the key of a team that has left joins anew, as a new team", async () => {
  const session = await parley.create();
  const idempotency_key = key();
  const first = (await join(session, { idempotency_key })).body;
  await parley.post(`/sessions/${first.ref}/leave`, {}, first);
  const second = (await join(session, { idempotency_key })).body;
  expect(second.handle).toBe("blue-2");
  expect((await join(session, { idempotency_key })).body.handle).toBe("blue-2");
  expect((await feed(session)).map(({ event }: { event: string }) => event)).toEqual([
    "team_joined",
    "team_left",
    "team_joined",
  ]);
});

test("of a key only a hash is kept", async () => {
  const idempotency_key = key();
  await create({ idempotency_key });
  await connected(parley.database.url(), async (client) => {
    const { rows } = await client.query("select k::text as row from parley_private.team_keys k");
    expect(rows.length).toBeGreaterThan(0);
    const hex = Buffer.from(idempotency_key).toString("hex");
    for (const { row } of rows) expect(row.includes(idempotency_key) || row.includes(hex)).toBe(false);
  });
});

describe("who comes late", () => {
  test("is told how much came before, and about what its digest takes", async () => {
    const a = await parley.create();
    const [b, first] = [await parley.join(a), await parley.post(`/sessions/${a.ref}/join`, { team_name: "First" })];
    expect(first.body.earlier).toEqual({ messages: 1, digest_tokens: expect.any(Number) });
    for (let i = 0; i < 30; i++) {
      const kind = i % 3 === 0 ? "decision" : i % 3 === 1 ? "question" : "message";
      await parley
        .post(`/sessions/${a.ref}/messages`, { content: `word ${i} `.repeat(i), kind }, i % 2 ? a : b)
        .catch();
      await parley.post(`/sessions/${a.ref}/doc/append`, { text: `- ${i}` }, a);
    }
    const { earlier } = (await parley.post(`/sessions/${a.ref}/join`, { team_name: "Late" })).body;
    expect(earlier.messages).toBe((await parley.get(`/sessions/${a.ref}`, a)).body.last_cursor - 1);
    const digest = JSON.stringify((await parley.get(`/sessions/${a.ref}/digest`, a)).body);
    expect(earlier.digest_tokens).toBeGreaterThan(digest.length / 4 / 1.6);
    expect(earlier.digest_tokens).toBeLessThan((digest.length / 4) * 1.6);
  });

  test("is not, where nothing came before", async () => {
    const a = await parley.create();
    const { body } = await parley.post(`/sessions/${a.ref}/join`, { team_name: "B" });
    expect(body).not.toHaveProperty("earlier");
  });
});

test("a change of a long description is told in short in the feed, and in full to who made it", async () => {
  const a = await parley.create();
  const [from, to] = ["ü".repeat(10_000), "b".repeat(10_000)];
  const change = (body: object) => parley.post(`/sessions/${a.ref}/metadata`, { reason: "scope", ...body }, a);
  await change({ description: from });
  expect((await change({ description: to, title: "New" })).body).toMatchObject({
    description: to,
    changes: { description: { from, to }, title: { from: "A session", to: "New" } },
  });
  const event = (await feed(a)).at(-1);
  const told = {
    title: { from: "A session", to: "New" },
    description: { from: `${"ü".repeat(279)}…`, to: `${"b".repeat(279)}…` },
  };
  expect(event).toMatchObject({
    event: "session_metadata_updated",
    by: "Alex's Team",
    reason: "scope",
    changes: told,
    content: { by: "Alex's Team", reason: "scope", changes: told },
  });
  expect(JSON.stringify(event).length).toBeLessThan(2_500);
});
