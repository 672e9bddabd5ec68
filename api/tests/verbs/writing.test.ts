import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const post = (team: Team, body: object) =>
  parley.post(`/sessions/${team.ref}/messages`, { content: "hello", ...body }, team);
const message = async (team: Team, ref: number | string) =>
  (await parley.get(`/sessions/${team.ref}/messages/${ref}`, team)).body;
const lastCursor = async (team: Team) => (await parley.get(`/sessions/${team.ref}`, team)).body.last_cursor;
const conclude = (team: Team) => parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});
const SECRET = `pt_${"x".repeat(43)}`;

describe("a post with a client_message_id", () => {
  test("is posted once, however often it is sent, and always answered alike", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const body = { content: "one", kind: "question", to: [b.handle], metadata: { n: 1 }, client_message_id: "k" };
    const first = await post(a, body);
    expect(first).toMatchObject({ status: 200, body: { cursor: 2 } });
    const { unread: _, ...receipt } = first.body;
    await parley.say(b, "meanwhile");
    for (const again of [body, { ...body, content: { text: "one" } }, { ...body, expects_reply: true }])
      expect((await post(a, again)).body).toEqual({ ...receipt, unread: 2 });
    expect(await lastCursor(a)).toBe(3);
  });

  test.each([
    ["text", { content: "other" }],
    ["kind", { kind: "status" }],
    ["reply_to", { reply_to: 1 }],
    ["to", { to: ["team-blue"] }],
    ["expects_reply", { expects_reply: true }],
    ["metadata", { metadata: { n: 1 } }],
  ])("is refused when its %s is another, with the message it was used for", async (_what, change) => {
    const a = await parley.create();
    await parley.join(a);
    const { body } = await post(a, { client_message_id: "k" });
    expect(await post(a, { client_message_id: "k", ...change })).toMatchObject(
      refusal(409, "idempotency_conflict", {
        field: "client_message_id",
        client_message_id: "k",
        message_id: body.message_id,
        cursor: body.cursor,
      }),
    );
    expect(await lastCursor(a)).toBe(2);
  });

  test("is answered after the close too, but a new key is not", async () => {
    const a = await parley.create();
    const first = await post(a, { client_message_id: "k" });
    await conclude(a);
    expect((await post(a, { client_message_id: "k" })).body).toEqual(first.body);
    expect(await post(a, { client_message_id: "k", content: "other" })).toMatchObject(
      refusal(409, "idempotency_conflict"),
    );
    expect(await post(a, { client_message_id: "new" })).toMatchObject(refusal(403, "session_closed"));
    expect(await lastCursor(a)).toBe(2);
  });

  test("is known again although others have spoken since the expected_cursor", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const body = { client_message_id: "k", expected_cursor: 1 };
    const first = await post(a, body);
    await parley.say(b, "meanwhile");
    expect((await post(a, body)).body.cursor).toBe(first.body.cursor);
  });

  test("is a key of its team and session only", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const elsewhere = await parley.create();
    const cursors = [];
    for (const team of [a, b, elsewhere]) cursors.push((await post(team, { client_message_id: "k" })).body.cursor);
    expect(cursors).toEqual([2, 3, 1]);
  });

  test.each([[""], ["  "], ["k".repeat(201)], [7], [SECRET]])("refuses the key %j", async (client_message_id) => {
    const a = await parley.create();
    expect(await post(a, { client_message_id })).toMatchObject(
      refusal(400, "invalid_argument", { field: "client_message_id" }),
    );
    expect((await post(a, { client_message_id: "k".repeat(200) })).status).toBe(200);
  });

  test("is private: nobody reads the key", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    await post(a, { client_message_id: "between-us" });
    expect(JSON.stringify((await parley.wait(b, { since_cursor: 0 })).body)).not.toContain("between-us");
  });
});

describe("a reply", () => {
  test("names its message by id or by cursor, and is told with both", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const { message_id, cursor } = (await post(a, { kind: "question" })).body;
    const replies = [];
    for (const reply_to of [message_id, message_id.toUpperCase(), cursor, `${cursor}`])
      replies.push((await post(b, { reply_to, kind: "answer" })).body.cursor);
    for (const reply of replies)
      expect(await message(a, reply)).toMatchObject({ kind: "answer", reply_to: message_id, reply_to_cursor: cursor });
    expect(await message(a, cursor)).toMatchObject({ replies });
  });

  test("may be to an event, and to one's own message", async () => {
    const a = await parley.create();
    await parley.join(a);
    expect((await post(a, { reply_to: 1 })).body.cursor).toBe(2);
    expect((await post(a, { reply_to: 2 })).body.cursor).toBe(3);
  });

  test("to what is not in this session is 404, whatever it is elsewhere", async () => {
    const a = await parley.create();
    const other = await parley.create();
    const { message_id } = (await post(other, {})).body;
    for (const reply_to of [message_id, 1, 0, 999, "999999999", crypto.randomUUID()])
      expect(await post(a, { reply_to })).toMatchObject(refusal(404, "message_not_found", { field: "reply_to" }));
    expect(await lastCursor(a)).toBe(0);
  });

  test.each([["x"], [-1], [1.5], [true], [{}], ["99999999999999999999"]])("refuses %j", async (reply_to) => {
    const a = await parley.create();
    expect(await post(a, { reply_to })).toMatchObject(refusal(400, "invalid_argument", { field: "reply_to" }));
    // Arguments go before the session.
    expect((await post({ ...a, ref: "no-such-1" }, { reply_to })).status).toBe(400);
  });
});

describe("the kind of a message", () => {
  test("is message by default, and may be any short word", async () => {
    const a = await parley.create();
    for (const kind of [undefined, "question", "answer", "decision", "status", "a", "x-2_y", "w".repeat(32)]) {
      const { cursor } = (await post(a, { kind })).body;
      expect((await message(a, cursor)).kind).toBe(kind ?? "message");
    }
  });

  test.each([[""], ["Question"], ["two words"], ["1st"], ["-x"], ["w".repeat(33)], ["frage?"], ["ü"], [7]])(
    "refuses %j",
    async (kind) => {
      const a = await parley.create();
      expect(await post(a, { kind })).toMatchObject(refusal(400, "invalid_argument", { field: "kind" }));
    },
  );

  test.each(["system", "team_joined", "team_left", "session_metadata_updated", "session_concluded"])(
    "%s is for the server",
    async (kind) => {
      const a = await parley.create();
      expect(await post(a, { kind })).toMatchObject(refusal(400, "system_type_forbidden", { field: "kind" }));
    },
  );

  test("events have none", async () => {
    const a = await parley.create();
    await parley.join(a);
    expect(await message(a, 1)).not.toHaveProperty("kind");
  });
});

describe("a message to somebody", () => {
  test("names handles, each once, with or without @; everyone sees it", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const c = await parley.join(a, "Team Red");
    const { cursor } = (await post(a, { to: ["team-red", "@team-blue", "team-red"] })).body;
    for (const reader of [a, b, c]) expect((await message(reader, cursor)).to).toEqual(["team-blue", "team-red"]);
    const everyone = (await post(a, { to: [] })).body.cursor;
    expect(await message(b, everyone)).not.toHaveProperty("to");
  });

  test("that is not here is refused, and the hint has the handles", async () => {
    const a = await parley.create();
    await parley.join(a);
    const answer = await post(a, { to: ["team-blue", "Team Blue"] });
    expect(answer).toMatchObject(refusal(400, "invalid_argument", { field: "to" }));
    expect(answer.body.error.details.hint).toContain("alexs-team, team-blue");
    expect(await lastCursor(a)).toBe(1);
  });

  test.each([["team-blue"], [{}], [[7]], [[null]]])("refuses %j", async (to) => {
    const a = await parley.create();
    await parley.join(a);
    expect(await post(a, { to })).toMatchObject(refusal(400, "invalid_argument", { field: "to" }));
  });

  test("who has left is told as not listening", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const c = await parley.join(a, "Team Red");
    expect((await post(a, { to: [b.handle, c.handle] })).body).not.toHaveProperty("not_listening");
    await parley.post(`/sessions/${a.ref}/leave`, {}, b);
    expect((await post(a, { to: [b.handle, c.handle] })).body.not_listening).toEqual([b.handle]);
    expect((await post(a, { kind: "question" })).body).not.toHaveProperty("not_listening");
    expect((await post(a, {})).body).not.toHaveProperty("not_listening");
  });
});

test("a question expects a reply unless it says otherwise; nothing else does unless it says so", async () => {
  const a = await parley.create();
  const cases = [
    [{ kind: "question" }, true],
    [{ kind: "question", expects_reply: false }, undefined],
    [{}, undefined],
    [{ kind: "status" }, undefined],
    [{ expects_reply: true }, true],
    [{ expects_reply: "true" }, true],
  ] as const;
  for (const [body, expected] of cases)
    expect((await message(a, (await post(a, body)).body.cursor)).expects_reply).toBe(expected);
  expect(await post(a, { expects_reply: "yes" })).toMatchObject(
    refusal(400, "invalid_argument", { field: "expects_reply" }),
  );
});

describe("metadata", () => {
  test("is an object that comes back as it was", async () => {
    const a = await parley.create();
    const metadata = { ticket: 42, path: ["src", "ü🦦"], deep: { nothing: null, "": 1.5 } };
    expect((await message(a, (await post(a, { metadata })).body.cursor)).metadata).toEqual(metadata);
    expect((await message(a, (await post(a, { metadata: {} })).body.cursor)).metadata).toEqual({});
    expect(await message(a, (await post(a, {})).body.cursor)).not.toHaveProperty("metadata");
  });

  test.each([[[1]], ["text"], [7], [false], [{ a: "x".repeat(8_200) }], [{ a: "\u0000" }], [{ a: "\ud800" }]])(
    "refuses %j",
    async (metadata) => {
      const a = await parley.create();
      const answer = await post(a, { metadata });
      expect(answer).toMatchObject(refusal(400, "invalid_argument"));
      expect(answer.body.error.details.field).toMatch(/^metadata/);
      expect(await lastCursor(a)).toBe(0);
    },
  );
});

describe("expected_cursor", () => {
  test("refuses a post that others have spoken before, with what they said", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    await parley.say(b, "wait");
    await parley.say(b, "x".repeat(5_000));
    const answer = await post(a, { expected_cursor: 1 });
    expect(answer).toMatchObject(
      refusal(409, "stale_post", {
        expected_cursor: 1,
        current_cursor: 3,
        hint: expect.stringContaining("expected_cursor 3"),
        messages: [
          { cursor: 2, handle: "team-blue", content: { text: "wait" } },
          { cursor: 3, truncated: true, text_length: 5_000 },
        ],
      }),
    );
    expect(answer.body.error.details.has_more).toBe(false);
    expect(await lastCursor(a)).toBe(3);
    expect((await post(a, { expected_cursor: 3 })).body.cursor).toBe(4);
  });

  test("shows so many of them at a time, and where to go on", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    await parley.post(`/sessions/${b.ref}/sync`, { outbox: Array(20).fill("wait") }, b);
    await parley.say(b, "one more");
    const { details } = (await post(a, { expected_cursor: 1 })).body.error;
    expect(details).toMatchObject({ current_cursor: 22, has_more: true, hint: expect.stringContaining("cursor 21") });
    expect(details.messages).toHaveLength(20);
    const rest = (await post(a, { expected_cursor: 21 })).body.error.details;
    expect(rest).toMatchObject({ has_more: false, messages: [{ cursor: 22 }] });
  });

  test("own messages and events do not make a post stale, those of others do", async () => {
    const a = await parley.create();
    await post(a, {});
    await parley.post(`/sessions/${a.ref}/metadata`, { title: "New", reason: "scope" }, a);
    expect((await post(a, { expected_cursor: 0 })).body.cursor).toBe(3);
    await parley.join(a);
    const stale = await post(a, { expected_cursor: 0 });
    expect(stale).toMatchObject(refusal(409, "stale_post"));
    expect(stale.body.error.details.messages.map((m: { cursor: number }) => m.cursor)).toEqual([4]);
  });

  test("ahead of the feed is an error of its own", async () => {
    const a = await parley.create();
    expect(await post(a, { expected_cursor: 1 })).toMatchObject(
      refusal(400, "cursor_ahead", { field: "expected_cursor", current_cursor: 0 }),
    );
    expect(await post(a, { expected_cursor: -1 })).toMatchObject(
      refusal(400, "invalid_argument", { field: "expected_cursor" }),
    );
  });

  test("what others said far behind many own messages is still shown", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const outbox = Array.from({ length: 20 }, (_, i) => `${i}`);
    for (let i = 0; i < 6; i++) await parley.post(`/sessions/${a.ref}/sync`, { outbox }, a);
    const { cursor } = await parley.say(b, "wait");
    const answer = await post(a, { expected_cursor: 1 });
    expect(answer).toMatchObject(refusal(409, "stale_post"));
    expect(answer.body.error.details.messages).toMatchObject([{ cursor, content: { text: "wait" } }]);
  });
});

test.each([
  ["messages", { content: "x", kind: `k${SECRET}` }],
  ["messages", { content: "x", reply_to: SECRET }],
  ["messages", { content: "x", to: [SECRET] }],
  ["messages", { content: "x", metadata: { token: SECRET } }],
  ["messages", { content: "x", metadata: { [SECRET]: 1 } }],
  ["messages", { content: "x", client_message_id: SECRET }],
  ["doc/append", { text: "x", section: SECRET }],
  ["doc/append", { text: "x", idempotency_key: SECRET }],
  ["sync", { outbox: [`my id is ${SECRET}`] }],
  ["sync", { outbox: [{ content: "x", metadata: { token: SECRET } }] }],
  ["sync", { outbox: [{ content: "x", client_message_id: SECRET }] }],
  ["sync", { outbox: [{ content: "x", [SECRET]: 1 }] }],
])("%s takes no team_id in %j, and does not repeat it", async (path, body) => {
  const a = await parley.create();
  const answer = await parley.post(`/sessions/${a.ref}/${path}`, body, a);
  expect(answer).toMatchObject(refusal(400, "invalid_argument"));
  expect(JSON.stringify(answer.body)).not.toContain(SECRET);
  expect((await parley.get(`/sessions/${a.ref}`, a)).body).toMatchObject({ last_cursor: 0, session_doc_version: 0 });
});
