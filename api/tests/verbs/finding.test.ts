import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const say = async (team: Team, body: object) =>
  (await parley.post(`/sessions/${team.ref}/messages`, { content: "hello", ...body }, team)).body;
const write = (team: Team, content: string, expected_version = 0) =>
  parley.post(`/sessions/${team.ref}/doc`, { content, expected_version }, team);
const conclude = (team: Team) => parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});
const cursors = (entries: { cursor: number }[]) => entries.map(({ cursor }) => cursor);

describe("list_sessions", () => {
  // A word that no other test uses and that is in no ref, since the list is of the whole server.
  const list = async (query: string) =>
    (await parley.get(`/sessions?${query}`)).body as { sessions: { ref: string }[]; has_more: boolean };
  const refs = async (query: string) => (await list(query)).sessions.map(({ ref }) => ref);

  test("needs no credential, and tells what to know before joining", async () => {
    const a = await parley.create("Alex's Team", "Zeppelin maintenance");
    const b = await parley.join(a);
    await parley.join(a, "Team Red");
    await parley.post(`/sessions/${a.ref}/leave`, {}, b);
    await write(a, "x");
    const { sessions, has_more } = await list("text=zeppelin");
    expect(has_more).toBe(false);
    expect(sessions).toEqual([
      {
        session_id: a.session_id,
        ref: a.ref,
        title: "Zeppelin maintenance",
        description: "What it is for",
        status: "active",
        teams: 2,
        last_cursor: 3,
        doc_version: 1,
        last_activity_at: expect.any(String),
      },
    ]);
  });

  test("finds by text in ref, title or description, by status, newest activity first", async () => {
    const a = await parley.create("A", "Quokka one");
    const b = await parley.create("B", "quokka two");
    const c = await parley.create("C", "Third");
    await parley.post(`/sessions/${c.ref}/metadata`, { description: "about a QUOKKA", reason: "scope" }, c);
    expect(await refs("text=quokka")).toEqual([c.ref, b.ref, a.ref]);
    await parley.say(a, "news");
    expect(await refs("text=quokka")).toEqual([a.ref, c.ref, b.ref]);
    expect(await refs(`text=${b.ref.toUpperCase()}`)).toEqual([b.ref]);
    await conclude(b);
    expect(await refs("text=quokka&status=closed")).toEqual([b.ref]);
    expect(await refs("text=quokka&status=active")).toEqual([a.ref, c.ref]);
    expect(await refs("text=no such animal")).toEqual([]);
    expect(await refs("text=%25")).toEqual([]);
  });

  test("hands over so many as asked for, and says that there is more", async () => {
    for (let i = 0; i < 22; i++) await parley.create("A", `Numbat ${i}`);
    expect(await list("text=numbat&limit=3")).toMatchObject({ sessions: [{}, {}, {}], has_more: true });
    expect((await list("text=numbat&limit=22")).has_more).toBe(false);
    expect((await list("text=numbat")).sessions).toHaveLength(20);
    expect((await list("text=numbat&limit=99999")).sessions).toHaveLength(22);
  });

  test("cuts a long description, and names the session that is continued", async () => {
    const old = await parley.create("A", "Axolotl");
    await parley.post(`/sessions/${old.ref}/metadata`, { description: "d".repeat(400), reason: "scope" }, old);
    await conclude(old);
    const next = (await parley.post(`/sessions/${old.ref}/resume`, { team_name: "B" })).body;
    const { sessions } = await list("text=axolotl");
    expect(sessions).toMatchObject([
      { ref: next.ref, continues: old.ref, description: `${"d".repeat(279)}…` },
      { ref: old.ref },
    ]);
    expect(sessions[1]).not.toHaveProperty("continues");
  });

  test.each(["status=open", "limit=0", "limit=-1", "limit=x", "status="])("refuses %s", async (query) => {
    expect(await parley.get(`/sessions?${query}`)).toMatchObject(
      refusal(400, "invalid_argument", { field: query.split("=")[0] as string }),
    );
  });

  test("names no team_id", async () => {
    await parley.create();
    expect(JSON.stringify(await list("limit=100"))).not.toMatch(/pt_|team_id|hash/);
  });
});

describe("get_digest", () => {
  const digest = async (team: Team, since?: number) =>
    (await parley.get(`/sessions/${team.ref}/digest${since === undefined ? "" : `?since_cursor=${since}`}`, team)).body;

  test("of an empty session is empty", async () => {
    const a = await parley.create();
    expect(await digest(a)).toEqual({
      since_cursor: 0,
      through_cursor: 0,
      messages: 0,
      teams: [
        {
          handle: "alexs-team",
          team_name: "Alex's Team",
          status: "active",
          messages: 0,
          questions: 0,
          answers: 0,
          decisions: 0,
          doc_changes: 0,
          last_cursor: null,
          activity: "working",
          you: true,
        },
      ],
      open_questions: [],
      decisions: [],
      doc_changes: [],
      events: [],
      unread: 0,
    });
  });

  test("tells who did what, the open questions, decisions, changes and events, each with its cursor", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    await say(a, { kind: "question", content: "where?" });
    await say(b, { kind: "answer", reply_to: 2 });
    await say(b, { kind: "question", content: "when?", to: [a.handle] });
    await say(a, { kind: "decision", content: "in cents" });
    await write(a, "12345");
    await say(a, {});
    await write(b, "123", 1);
    await parley.post(`/sessions/${a.ref}/leave`, {}, b);
    const told = await digest(a);
    expect(told).toMatchObject({
      since_cursor: 0,
      through_cursor: 7,
      messages: 5,
      teams: [
        { handle: a.handle, messages: 3, questions: 1, answers: 0, decisions: 1, doc_changes: 1, last_cursor: 6 },
        {
          handle: b.handle,
          messages: 2,
          questions: 1,
          answers: 1,
          doc_changes: 1,
          last_cursor: 4,
          status: "disconnected",
        },
      ],
      open_questions: [{ cursor: 4, handle: b.handle, to: [a.handle], text: "when?" }],
      decisions: [{ cursor: 5, handle: a.handle, text: "in cents" }],
      doc_changes: [
        { cursor: 5, version: 1, handle: a.handle, bytes: 5 },
        { cursor: 6, version: 2, handle: b.handle, bytes: -2 },
      ],
      events: [
        { cursor: 1, event: "team_joined", handle: b.handle },
        { cursor: 7, event: "team_left", handle: b.handle },
      ],
      unread: 4,
    });
    expect(told).not.toHaveProperty("omitted");
    const later = await digest(a, 4);
    expect(later).toMatchObject({
      since_cursor: 4,
      messages: 2,
      open_questions: [],
      decisions: [{ cursor: 5 }],
      events: [{ cursor: 7 }],
    });
    expect(later.teams[1]).toMatchObject({ messages: 0, last_cursor: null });
    expect((await digest(a, 7)).messages).toBe(0);
  });

  test("a change of the document after the newest message is in the digest from there", async () => {
    const a = await parley.create();
    await parley.say(a, "one");
    await write(a, "x");
    expect((await digest(a, 1)).doc_changes).toMatchObject([{ version: 1 }]);
    await parley.say(a, "two");
    expect((await digest(a, 2)).doc_changes).toEqual([]);
  });

  test("keeps the newest of long lists, and counts what it leaves out", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const outbox = Array.from({ length: 20 }, (_, i) => ({ content: `q${i}`, kind: "question" }));
    for (let i = 0; i < 3; i++) await parley.post(`/sessions/${a.ref}/sync`, { outbox }, b);
    const told = await digest(a);
    expect(told.omitted).toBe(10);
    expect(cursors(told.open_questions)).toEqual(Array.from({ length: 50 }, (_, i) => 12 + i));
  });

  test("refuses a cursor ahead or below", async () => {
    const a = await parley.create();
    for (const [since, code] of [
      [1, "cursor_ahead"],
      [-1, "invalid_argument"],
    ] as const)
      expect(await parley.get(`/sessions/${a.ref}/digest?since_cursor=${since}`, a)).toMatchObject(
        refusal(400, code, { field: "since_cursor" }),
      );
  });

  test("moves nothing, and works after the close", async () => {
    const a = await parley.create();
    await parley.join(a);
    await conclude(a);
    const { events, unread } = await digest(a);
    expect(events.at(-1)).toMatchObject({ event: "session_concluded", handle: a.handle });
    expect(unread).toBe(1);
    expect((await parley.get("/whoami", a)).body.cursor).toBe(0);
  });
});

describe("search", () => {
  const search = (team: Team, query: string, more = "") =>
    parley.get(`/sessions/${team.ref}/search?query=${encodeURIComponent(query)}${more}`, team);
  const found = async (team: Team, query: string) =>
    (await search(team, query)).body.hits.map(
      (hit: { cursor?: number; section?: string }) => hit.cursor ?? hit.section,
    );

  test("finds words in any form, phrases, and without", async () => {
    const a = await parley.create();
    for (const text of [
      "We are migrating invoices",
      "The invoice of a customer",
      "refunds, too",
      "a customer of the invoice",
    ])
      await parley.say(a, text);
    expect((await found(a, "invoice")).sort()).toEqual([1, 2, 4]);
    expect(await found(a, "MIGRATE")).toEqual([1]);
    expect(await found(a, '"invoice of a customer"')).toEqual([2]);
    expect((await found(a, "migrate or refund")).sort()).toEqual([1, 3]);
    expect((await found(a, "invoice -customer")).sort()).toEqual([1]);
    expect(await found(a, "unheard")).toEqual([]);
  });

  test("tells where it is, with a piece of the text around", async () => {
    const a = await parley.create();
    const b = await parley.join(a);
    const { message_id, at } = await parley.say(b, `${"before ".repeat(200)}needle${" after".repeat(200)}`);
    const { body } = await search(a, "needle");
    expect(body).toMatchObject({ has_more: false, unread: 2 });
    expect(body.hits).toEqual([
      {
        ...{ place: "message", cursor: 2, message_id, handle: b.handle, sender: "agent", at },
        snippet: expect.stringContaining("needle"),
      },
    ]);
    expect(body.hits[0].snippet.length).toBeLessThan(500);
  });

  test("shows the place of a word far down in a long text", async () => {
    const a = await parley.create();
    await parley.say(a, `${"before ".repeat(9_000)}needle`);
    expect((await search(a, "needle")).body.hits[0].snippet).toContain("needle");
  });

  test("finds sections of the document as it is now, with their headings", async () => {
    const a = await parley.create();
    await write(a, "the otter before\n\n# Zoo\n\nan otter\n\n## Fish\n\ntrout\n\n### Deep\n\notters below\n");
    expect((await found(a, "otter")).sort()).toEqual(["Deep", "Zoo", undefined].sort());
    expect(await found(a, "trout")).toEqual(["Fish"]);
    expect(await found(a, "fish")).toEqual(["Fish"]);
    expect((await search(a, "trout")).body.hits).toEqual([
      { place: "doc", section: "Fish", snippet: expect.stringContaining("trout"), at: expect.any(String) },
    ]);
    await write(a, "nothing left", 1);
    expect(await found(a, "otter")).toEqual([]);
  });

  test("finds a word at the end of a long section, and around letters that take several bytes", async () => {
    const a = await parley.create();
    await write(a, `# Ünten 🦦\n\n${"wörter 漢字 ".repeat(20_000)}needle\n\n## Später\n\nhaystack\n`);
    expect(await found(a, "needle")).toEqual(["Ünten 🦦"]);
    expect((await search(a, "needle")).body.hits[0].snippet).toContain("needle");
    expect(await found(a, "haystack")).toEqual(["Später"]);
  });

  test("finds nothing of another session", async () => {
    const a = await parley.create();
    const other = await parley.create();
    await parley.say(other, "plutonium");
    await write(other, "# plutonium\n");
    expect(await found(a, "plutonium")).toEqual([]);
    expect(await found(a, `plutonium or "session:${other.session_id}"`)).toEqual([]);
    expect(await found(other, "plutonium")).toHaveLength(2);
  });

  test("does not find what the server itself says", async () => {
    const a = await parley.create();
    await parley.join(a, "Xylophone");
    expect(await found(a, "xylophone")).toEqual([]);
    expect(await found(a, "session")).toEqual([]);
    expect(await found(a, a.session_id)).toEqual([]);
  });

  test("hands over the best first, so many as asked for", async () => {
    const a = await parley.create();
    for (let i = 0; i < 5; i++) await parley.say(a, "badger and other animals");
    await parley.say(a, "badger badger badger");
    const { hits, has_more } = (await search(a, "badger", "&limit=2")).body;
    expect([cursors(hits), has_more]).toEqual([[6, 5], true]);
    expect((await search(a, "badger", "&limit=6")).body.has_more).toBe(false);
    expect((await search(a, "badger", "&limit=99999")).body.hits).toHaveLength(6);
  });

  test("works after the close, and finds the conclusion", async () => {
    const a = await parley.create();
    await conclude(a);
    expect(await found(a, "conclusion")).toEqual(["Conclusion"]);
  });

  test.each(["", " ", "the of and", "-", '""', "!!!", "q".repeat(201)])("refuses %j", async (query) => {
    const a = await parley.create();
    expect(await search(a, query)).toMatchObject(refusal(400, "invalid_argument", { field: "query" }));
  });

  test("refuses a limit below 1", async () => {
    const a = await parley.create();
    expect(await search(a, "x", "&limit=0")).toMatchObject(refusal(400, "invalid_argument", { field: "limit" }));
  });
});
