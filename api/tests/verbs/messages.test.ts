import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const cursors = (answer: { body: { messages: { cursor: number }[] } }) => answer.body.messages.map((m) => m.cursor);

describe("post_message", () => {
  test("takes {text} or a string, and keeps it byte for byte", async () => {
    const a = await parley.create();
    const text = 'tabs\tand\r\nlines, "quotes" \\ 🦦 \u202e\u0001 e\u0301 {"type":"system"}';
    const first = await parley.post(`/sessions/${a.ref}/messages`, { content: { text } }, a);
    expect(first.body).toEqual({ message_id: expect.any(String), cursor: 1, at: expect.any(String), unread: 0 });
    await parley.post(`/sessions/${a.ref}/messages`, { content: text, type: "chat" }, a);
    const { messages } = (await parley.get(`/sessions/${a.ref}/messages`, a)).body;
    for (const message of messages) {
      expect(message).toMatchObject({
        type: "chat",
        sender: "agent",
        team: "Alex's Team",
        handle: "alexs-team",
        mine: true,
        content: { text },
      });
      expect(message).not.toHaveProperty("event");
    }
    expect(messages[0].message_id).toBe(first.body.message_id);
  });

  test.each([
    [{ content: "" }, "invalid_argument"],
    [{ content: "  \n " }, "invalid_argument"],
    [{ content: {} }, "invalid_argument"],
    [{ content: { text: 5 } }, "invalid_argument"],
    [{ content: [] }, "invalid_argument"],
    [{ content: 5 }, "invalid_argument"],
    [{}, "invalid_argument"],
    [{ content: null }, "invalid_argument"],
    [{ content: { text: "x", sender: "human" } }, "invalid_argument"],
    [{ content: "x".repeat(65_537) }, "invalid_argument"],
    [{ content: { text: "a\u0000" } }, "invalid_argument"],
    [{ content: { text: "\udc00" } }, "invalid_argument"],
    [{ content: "x", type: "system" }, "system_type_forbidden"],
    [{ content: "x", type: "team_joined" }, "system_type_forbidden"],
    [{ content: { text: "x", event: "team_joined" } }, "system_type_forbidden"],
  ])("refuses %j", async (body, code) => {
    const a = await parley.create();
    const answer = await parley.post(`/sessions/${a.ref}/messages`, body, a);
    expect(answer).toMatchObject({ status: 400, body: { error: { code } } });
    expect((await parley.get(`/sessions/${a.ref}`, a)).body.last_cursor).toBe(0);
  });

  test("arguments are checked before the session, the session before the credential", async () => {
    expect((await parley.post("/sessions/calm-otter-0/messages", { content: "" })).status).toBe(400);
    expect((await parley.post("/sessions/calm-otter-0/messages", { content: "x" })).status).toBe(404);
  });
});

describe("wait_for_messages", () => {
  test("a waiting team is woken by the next message, by its own only if it asks for them", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const [forA, forB] = [
      parley.wait(a, { since_cursor: 1, include_self: "true" }),
      parley.wait(b, { since_cursor: 1 }),
    ];
    await parley.say(a, "hello");
    expect((await forA).body.messages[0]).toMatchObject({ cursor: 2, mine: true });
    expect((await forB).body).toMatchObject({
      messages: [{ cursor: 2, mine: false, team: "Alex's Team" }],
      next_cursor: 2,
      session_closed: false,
      has_more: false,
    });
  });

  test("nothing new is an empty list and the same cursor, counted", async () => {
    const a = await parley.create();
    for (const n of [1, 2]) {
      expect((await parley.wait(a, { since_cursor: 0, timeout: 0 })).body).toEqual({
        messages: [],
        next_cursor: 0,
        session_closed: false,
        has_more: false,
        doc_version: 0,
        empty_polls: n,
        session_idle: false,
        unread: 0,
      });
    }
    expect((await parley.wait(a, { timeout: 0.05 })).body.empty_polls).toBe(3);
    await parley.join(a);
    expect((await parley.wait(a)).body.empty_polls).toBe(0);
  });

  test("the same messages come again until a higher cursor is presented", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    await parley.say(b, "two");
    expect(cursors(await parley.wait(a))).toEqual([1, 2]);
    expect(cursors(await parley.wait(a))).toEqual([1, 2]);
    expect(cursors(await parley.wait(a, { since_cursor: 1 }))).toEqual([2]);
    expect(cursors(await parley.wait(a))).toEqual([2]);
    expect(cursors(await parley.wait(a, { since_cursor: 0 }))).toEqual([1, 2]);
    expect(cursors(await parley.wait(a))).toEqual([2]);
    const { participants } = (await parley.get(`/sessions/${a.ref}/participants`, a)).body;
    expect(participants[0].cursor).toBe(1);
  });

  test("hands over at most a hundred, oldest first, and says that there is more", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    for (let i = 2; i <= 103; i++) await parley.say(b, `${i}`);
    const first = await parley.wait(a, { since_cursor: 0 });
    expect(cursors(first)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
    expect(first.body).toMatchObject({ next_cursor: 100, has_more: true });
    const rest = await parley.wait(a, { since_cursor: 100 });
    expect(cursors(rest)).toEqual([101, 102, 103]);
    expect(rest.body).toMatchObject({ next_cursor: 103, has_more: false });
  });

  test.each([
    [{ since_cursor: 1 }, "cursor_ahead", { current_cursor: 0 }],
    [{ since_cursor: -1 }, "invalid_argument", { field: "since_cursor" }],
    [{ since_cursor: "x" }, "invalid_argument", { field: "since_cursor" }],
    [{ since_cursor: 1.5 }, "invalid_argument", { field: "since_cursor" }],
    [{ since_cursor: 99999999999 }, "cursor_ahead", { current_cursor: 0 }],
    [{ timeout: -1 }, "invalid_argument", { field: "timeout" }],
    [{ timeout: "soon" }, "invalid_argument", { field: "timeout" }],
    [{ team_id: "pt_x" }, "invalid_argument", { field: "team_id" }],
  ])("refuses %j", async (query, code, details) => {
    const a = await parley.create();
    expect(await parley.wait(a, query as Record<string, string>)).toMatchObject({
      status: 400,
      body: { error: { code, details } },
    });
  });

  test("the conclusion wakes everyone with session_closed, and later waits answer at once", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const waiting = parley.wait(b, { since_cursor: 1 });
    await parley.post(`/sessions/${a.ref}/conclude`, { summary_section: "done" }, a);
    expect((await waiting).body).toMatchObject({
      session_closed: true,
      next_cursor: 2,
      messages: [{ event: "session_concluded", by: "Alex's Team", doc_version: 1 }],
    });
    expect((await parley.wait(b, { since_cursor: 2 })).body).toMatchObject({ session_closed: true, messages: [] });
  });
});

describe("get_history", () => {
  let a: Team;
  beforeAll(async () => {
    a = await parley.create();
    for (let i = 1; i <= 120; i++) await parley.say(a, `${i}`);
  });
  const page = (query: string) => parley.get(`/sessions/${a.ref}/messages${query}`, a);

  test("walks backwards page by page to the beginning, ascending inside a page", async () => {
    const last = await page("?limit=50");
    expect(cursors(last)).toEqual(Array.from({ length: 50 }, (_, i) => 71 + i));
    expect(last.body).toMatchObject({ next_cursor: 71, has_more: true });
    const middle = await page("?limit=50&before_cursor=71");
    expect(middle.body).toMatchObject({ next_cursor: 21, has_more: true });
    const first = await page("?limit=50&before_cursor=21");
    expect(cursors(first)).toEqual(Array.from({ length: 20 }, (_, i) => 1 + i));
    expect(first.body).toMatchObject({ next_cursor: null, has_more: false });
  });

  test("a limit above 500 counts as 100, silently", async () => {
    expect(cursors(await page("?limit=501"))).toHaveLength(100);
    expect(cursors(await page("?limit=99999999999"))).toHaveLength(100);
    expect(cursors(await page("?limit=500"))).toHaveLength(120);
    expect(cursors(await page(""))).toHaveLength(100);
  });

  test.each(["limit=0", "limit=-5", "limit=x", "before_cursor=-1", "limit=5&limit=6"])("refuses %s", async (query) => {
    expect(await page(`?${query}`)).toMatchObject({ status: 400, body: { error: { code: "invalid_argument" } } });
  });
});
