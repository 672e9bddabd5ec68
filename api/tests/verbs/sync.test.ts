import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { type Answer, startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const sync = (team: Team, body: object = {}, init: RequestInit = {}) =>
  parley.post(`/sessions/${team.ref}/sync`, body, team, init);
const conclude = (team: Team) => parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
const feed = async (team: Team) => (await parley.get(`/sessions/${team.ref}/messages?limit=500`, team)).body.messages;
const whoami = async (team: Team) => (await parley.get("/whoami", team)).body;
const waiting = (count: number) =>
  until(async () => (await metric(parley.url, "parley_waiting_calls")) === count, `${count} waiting calls`);
const cursors = (answer: Answer) => answer.body.messages.map((m: { cursor: number }) => m.cursor);
const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});

/** Two teams, the second joined at cursor 1. */
async function pair(): Promise<[Team, Team]> {
  const a = await parley.create();
  return [a, await parley.join(a)];
}

describe("the outbox", () => {
  test("takes strings and whole messages, posts them in order and tells where they are", async () => {
    const [a, b] = await pair();
    const question = await parley.say(b, "who takes it?");
    const answer = await sync(a, {
      outbox: [
        "plain",
        {
          content: { text: "I do" },
          kind: "answer",
          reply_to: question.cursor,
          to: [b.handle],
          client_message_id: "k",
        },
        { content: "ok?", kind: "question", metadata: { n: 1 }, reply_to: question.message_id },
        { content: "nothing given", kind: null, reply_to: null, to: null, expects_reply: null, metadata: null },
      ],
    });
    expect(answer.body.sent).toEqual([
      { message_id: expect.any(String), cursor: 3, at: expect.any(String) },
      { message_id: expect.any(String), cursor: 4, at: expect.any(String), client_message_id: "k" },
      { message_id: expect.any(String), cursor: 5, at: expect.any(String) },
      { message_id: expect.any(String), cursor: 6, at: expect.any(String) },
    ]);
    const said = (await feed(a)).slice(2);
    expect(said).toMatchObject([
      { content: { text: "plain" }, kind: "message" },
      { content: { text: "I do" }, kind: "answer", reply_to_cursor: 2, to: [b.handle] },
      { content: { text: "ok?" }, kind: "question", expects_reply: true, metadata: { n: 1 }, reply_to_cursor: 2 },
      { content: { text: "nothing given" }, kind: "message" },
    ]);
    expect(said.map((m: { message_id: string }) => m.message_id)).toEqual(
      answer.body.sent.map((m: { message_id: string }) => m.message_id),
    );
  });

  test.each([
    [["fine", ""], "outbox[1].content"],
    [["fine", { content: "x", kind: "Loud!" }], "outbox[1].kind"],
    [["fine", { content: "x", kind: 7 }], "outbox[1].kind"],
    [["fine", { content: "x", to: ["nobody"] }], "outbox[1].to"],
    [["fine", { content: "x", to: "team-blue" }], "outbox[1].to"],
    [["fine", { content: "x", reply_to: "x" }], "outbox[1].reply_to"],
    [["fine", { content: "x", reply_to: true }], "outbox[1].reply_to"],
    [["fine", { content: "x", expects_reply: "yes" }], "outbox[1].expects_reply"],
    [["fine", { content: "x", metadata: [] }], "outbox[1].metadata"],
    [["fine", { content: "x", client_message_id: " " }], "outbox[1].client_message_id"],
    [["fine", { content: "x", expected_cursor: 0 }], "outbox[1].expected_cursor"],
    [["fine", { text: "x" }], "outbox[1].text"],
    [["fine", {}], "outbox[1].content"],
    [["fine", 7], "outbox[1].content"],
    [["fine", null], "outbox[1].content"],
    [["fine", ["x"]], "outbox[1].content"],
    ["fine", "outbox"],
    [{ content: "fine" }, "outbox"],
    [Array(21).fill("fine"), "outbox"],
  ])("is posted whole or not at all: %j", async (outbox, field) => {
    const [a] = await pair();
    expect(await sync(a, { outbox })).toMatchObject(refusal(400, "invalid_argument", { field }));
    expect(await feed(a)).toHaveLength(1);
  });

  test.each([
    [{ outbox: ["fine", { content: "x", reply_to: 99 }] }, 404, "message_not_found", "outbox[1].reply_to"],
    [{ outbox: ["fine", { content: "x", kind: "system" }] }, 400, "system_type_forbidden", "outbox[1].kind"],
    [
      { outbox: ["fine", { content: { text: "x", event: "team_left" } }] },
      400,
      "system_type_forbidden",
      "outbox[1].content",
    ],
    [{ outbox: ["fine"], since_cursor: 3 }, 400, "cursor_ahead", "since_cursor"],
    [{ outbox: ["fine"], ack_through: 3 }, 400, "cursor_ahead", "ack_through"],
    [{ outbox: ["fine"], since_cursor: -1 }, 400, "invalid_argument", "since_cursor"],
    [{ outbox: ["fine"], ack_through: -1 }, 400, "invalid_argument", "ack_through"],
    [{ outbox: ["fine"], timeout: -1 }, 400, "invalid_argument", "timeout"],
    [{ outbox: ["fine"], max_items: 0 }, 400, "invalid_argument", "max_items"],
    [{ outbox: ["fine"], max_items: "many" }, 400, "invalid_argument", "max_items"],
    [{ outbox: ["fine"], include_self: "maybe" }, 400, "invalid_argument", "include_self"],
  ])("nothing of %j is posted", async (body, status, code, field) => {
    const [a] = await pair();
    expect(await sync(a, body)).toMatchObject(refusal(status, code, { field }));
    expect(await feed(a)).toHaveLength(1);
  });

  test("may reply to a message before it in the same outbox, by its cursor", async () => {
    const [a] = await pair();
    const { body } = await sync(a, { outbox: ["first", { content: "second", reply_to: 2 }] });
    expect(body.sent.map((m: { cursor: number }) => m.cursor)).toEqual([2, 3]);
    expect((await feed(a))[2]).toMatchObject({ reply_to_cursor: 2 });
  });

  test("that is sent again with its keys is posted once, and other content under a key undoes the rest", async () => {
    const [a] = await pair();
    const outbox = [
      { content: "one", client_message_id: "1" },
      { content: "two", client_message_id: "2" },
    ];
    const first = await sync(a, { outbox });
    expect((await sync(a, { outbox })).body.sent).toEqual(first.body.sent);
    expect(await sync(a, { outbox: ["new", { content: "three", client_message_id: "2" }] })).toMatchObject(
      refusal(409, "idempotency_conflict", { field: "outbox[1].client_message_id", cursor: 3 }),
    );
    expect(await feed(a)).toHaveLength(3);
  });
});

describe("what it brings", () => {
  test("is what others said since the stored cursor, which moves when the next one is presented", async () => {
    const [a, b] = await pair();
    await parley.say(a, "mine");
    await parley.say(b, "yours");
    const first = await sync(a);
    expect(first.body).toMatchObject({
      sent: [],
      messages: [
        { cursor: 1, event: "team_joined" },
        { cursor: 3, mine: false, content: { text: "yours" } },
      ],
      next_cursor: 3,
      session_closed: false,
      has_more: false,
      doc_version: 0,
      empty_polls: 0,
      session_idle: false,
      unread: 0,
    });
    expect(await whoami(a)).toMatchObject({ cursor: 0, unread: 0, unconfirmed: 2 });
    // As if that answer had never arrived.
    expect((await sync(a)).body).toEqual(first.body);
    expect((await sync(a, { since_cursor: 3 })).body).toMatchObject({ messages: [], next_cursor: 3, empty_polls: 0 });
    expect((await sync(a)).body.messages).toEqual([]);
    expect(cursors(await sync(a, { since_cursor: 1 }))).toEqual([3]);
    expect(await whoami(a)).toMatchObject({ cursor: 3, unconfirmed: 0 });
  });

  test("comes again to who presents a cursor, until a higher one is presented", async () => {
    const [a, b] = await pair();
    await parley.say(b, "one");
    for (let i = 0; i < 2; i++) expect(cursors(await sync(a, { since_cursor: 0 }))).toEqual([1, 2]);
    expect((await whoami(a)).cursor).toBe(0);
    expect(cursors(await sync(a, { since_cursor: 1 }))).toEqual([2]);
    expect((await whoami(a)).cursor).toBe(1);
    expect(cursors(await sync(a, { auto_advance: true }))).toEqual([2]);
    expect((await whoami(a)).cursor).toBe(1);
  });

  test("leaves out events that the team has caused itself", async () => {
    const [a, b] = await pair();
    await parley.post(`/sessions/${a.ref}/metadata`, { title: "New", reason: "scope" }, a);
    expect(cursors(await sync(a, { since_cursor: 0 }))).toEqual([1]);
    expect(cursors(await sync(b, { since_cursor: 0 }))).toEqual([2]);
    expect(cursors(await sync(b, { since_cursor: 0, include_self: true }))).toEqual([1, 2]);
  });

  test("includes one's own messages when asked for", async () => {
    const [a, b] = await pair();
    await parley.say(a, "mine");
    await parley.say(b, "yours");
    expect(cursors(await sync(a, { include_self: true, since_cursor: 0, outbox: ["now"] }))).toEqual([1, 2, 3, 4]);
    expect(cursors(await sync(a, { since_cursor: 0 }))).toEqual([1, 3]);
  });

  test("comes in pages of max_items that miss nothing and repeat nothing", async () => {
    const [a, b] = await pair();
    for (let i = 0; i < 5; i++) {
      await parley.say(a, "mine");
      await parley.say(b, "yours");
    }
    const pages = [];
    for (let more = true, since_cursor = 0; more; ) {
      const page = await sync(a, { max_items: 2, since_cursor });
      pages.push([cursors(page), page.body.next_cursor, page.body.unread]);
      more = page.body.has_more;
      since_cursor = page.body.next_cursor;
    }
    expect(pages).toEqual([
      [[1, 3], 3, 4],
      [[5, 7], 7, 2],
      [[9, 11], 11, 0],
    ]);
    const [all] = [await sync(a, { since_cursor: 0, max_items: 99_999 })];
    expect(cursors(all)).toEqual([1, 3, 5, 7, 9, 11]);
  });

  test("with auto_advance false a cursor is read from and not stored; an ack stores what it names", async () => {
    const [a, b] = await pair();
    await parley.say(b, "one");
    expect(cursors(await sync(a, { auto_advance: false, since_cursor: 1 }))).toEqual([2]);
    expect(await whoami(a)).toMatchObject({ cursor: 0, acked_cursor: 0, unread: 0, unconfirmed: 2 });
    const held = sync(a, { auto_advance: false, since_cursor: 2, timeout: 30 });
    await waiting(1);
    await parley.say(b, "two");
    expect(cursors(await held)).toEqual([3]);
    expect(await whoami(a)).toMatchObject({ cursor: 0, acked_cursor: 0, unread: 0, unconfirmed: 3 });
    expect(cursors(await sync(a, { ack_through: 3 }))).toEqual([]);
    expect(await whoami(a)).toMatchObject({ cursor: 3, acked_cursor: 3, unread: 0, unconfirmed: 0 });
  });

  test("an ack is a receipt the others see; reading alone is none", async () => {
    const [a, b] = await pair();
    const { cursor } = await parley.say(a, "read this");
    const readers = async () => (await parley.get(`/sessions/${a.ref}/messages/${cursor}`, a)).body.read_by;
    await sync(b);
    expect(await readers()).toEqual([]);
    await sync(b, { ack_through: cursor });
    expect(await readers()).toEqual([b.handle]);
    await sync(b, { ack_through: 0 });
    expect(await readers()).toEqual([b.handle]);
  });

  test("cuts long texts unless full is asked for", async () => {
    const [a, b] = await pair();
    const text = "🦦".repeat(5_000);
    await parley.say(a, text);
    expect((await sync(b)).body.messages[0]).toMatchObject({
      truncated: true,
      text_length: 5_000,
      content: { text: "🦦".repeat(4_000) },
    });
    const [whole] = (await sync(b, { full: true })).body.messages;
    expect(whole.content.text).toBe(text);
    expect(whole).not.toHaveProperty("truncated");
  });
});

describe("a sync that waits", () => {
  test("is held until somebody else speaks, not by its own posts", async () => {
    const [a, b] = await pair();
    const answer = sync(b, { outbox: ["hello?"], timeout: 30 });
    await waiting(1);
    await parley.say(b, "still me");
    await until(async () => (await feed(a)).length === 3, "the second post");
    await waiting(1);
    await parley.say(a, "hello!");
    expect((await answer).body).toMatchObject({
      sent: [{ cursor: 2 }],
      messages: [{ cursor: 4, content: { text: "hello!" } }],
      next_cursor: 4,
      empty_polls: 0,
      unread: 0,
    });
    expect(await whoami(b)).toMatchObject({ cursor: 1, unconfirmed: 1 });
    expect(await feed(a)).toHaveLength(4);
  });

  test("with include_self is not held when it has posted", async () => {
    const [, b] = await pair();
    expect(cursors(await sync(b, { outbox: ["hello?"], timeout: 30, include_self: true }))).toEqual([2]);
  });

  test("answers with what it posted when the time is over", async () => {
    const [, b] = await pair();
    expect((await sync(b, { outbox: ["anybody?"], timeout: 0.2 })).body).toMatchObject({
      sent: [{ cursor: 2 }],
      messages: [],
      next_cursor: 2,
      empty_polls: 1,
    });
    expect((await sync(b, { timeout: 0.2 })).body.empty_polls).toBe(2);
    expect((await sync(b)).body.empty_polls).toBe(2);
    expect((await sync(b, { outbox: ["hello?"] })).body.empty_polls).toBe(0);
    expect((await whoami(b)).cursor).toBe(1);
  });

  test("gives whole texts to who asked for them, streams, and ends with the session", async () => {
    const [a, b] = await pair();
    const whole = sync(b, { timeout: 30, full: true });
    await waiting(1);
    await parley.say(a, "x".repeat(5_000));
    expect((await whole).body.messages[0].content.text).toHaveLength(5_000);

    const streamed = sync(b, { timeout: 30, since_cursor: 2 }, { headers: { accept: "text/event-stream" } });
    await waiting(1);
    await conclude(a);
    const [, data = ""] = /event: result\ndata: (.*)\n\n$/.exec((await streamed).body) ?? [];
    expect(JSON.parse(data)).toMatchObject({ messages: [{ event: "session_concluded" }], session_closed: true });
  });
});

test("in a concluded session reading works, posting is refused, and a repeated key is answered", async () => {
  const [a, b] = await pair();
  const outbox = [{ content: "one", client_message_id: "1" }];
  const { sent } = (await sync(b, { outbox })).body;
  await conclude(a);
  expect((await sync(b, { outbox, timeout: 30 })).body).toMatchObject({
    sent,
    messages: [{ event: "session_concluded" }],
    session_closed: true,
  });
  expect((await sync(b, { timeout: 30, since_cursor: 3 })).body).toMatchObject({ messages: [], session_closed: true });
  expect(await sync(b, { outbox: ["two"] })).toMatchObject(refusal(403, "session_closed"));
  expect(await sync(b, { outbox: [...outbox, "two"] })).toMatchObject(refusal(403, "session_closed"));
  expect(await feed(a)).toHaveLength(3);
});
