import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const get = async (team: Team, path: string) => (await parley.get(`/sessions/${team.ref}${path}`, team)).body;
const say = async (team: Team, body: object) =>
  (await parley.post(`/sessions/${team.ref}/messages`, { content: "hello", ...body }, team)).body;
const ack = (team: Team, through_cursor: unknown) => parley.post(`/sessions/${team.ref}/ack`, { through_cursor }, team);
const conclude = (team: Team) => parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
const waiting = (count: number) =>
  until(async () => (await metric(parley.url, "parley_waiting_calls")) === count, `${count} waiting calls`);
const refusal = (status: number, code: string, details: object = {}) => ({
  status,
  body: { error: { code, details } },
});
const cursors = (entries: { cursor: number }[]) => entries.map(({ cursor }) => cursor);

async function pair(): Promise<[Team, Team]> {
  const a = await parley.create();
  return [a, await parley.join(a)];
}

describe("a long text", () => {
  const long = `${"🦦".repeat(4_000)}the end`;

  test("is cut in lists, with its length, and whole by get_message and with full", async () => {
    const [a, b] = await pair();
    const { cursor, message_id } = await parley.say(a, long);
    const lists: [string, (full: string) => Promise<{ messages: { content: { text: string } }[] }>][] = [
      ["wait", (full) => get(b, `/messages/wait?since_cursor=1${full}`)],
      ["history", (full) => get(b, `/messages?before_cursor=3${full}`)],
    ];
    for (const [name, read] of lists) {
      const cut = (await read("")).messages.at(-1);
      expect(cut, name).toMatchObject({ truncated: true, text_length: 4_007, content: { text: "🦦".repeat(4_000) } });
      const whole = (await read("&full=true")).messages.at(-1);
      expect(whole?.content, name).toEqual({ text: long });
      expect(whole).not.toHaveProperty("truncated");
      expect(whole).not.toHaveProperty("text_length");
    }
    for (const ref of [cursor, message_id]) {
      const message = await get(b, `/messages/${ref}`);
      expect(message.content).toEqual({ text: long });
      expect(message).not.toHaveProperty("truncated");
    }
  });

  test("of exactly the limit is not cut", async () => {
    const [a, b] = await pair();
    await parley.say(a, "🦦".repeat(4_000));
    expect((await get(b, "/messages/wait")).messages[0]).not.toHaveProperty("truncated");
  });

  test("is cut or whole for teams that waited for it, each as it asked", async () => {
    const [a, b] = await pair();
    const c = await parley.join(a, "Team Red");
    const answers = [parley.wait(b, { since_cursor: 2 }), parley.wait(c, { since_cursor: 2, full: "true" })];
    await waiting(2);
    await parley.say(a, long);
    const [cut, whole] = (await Promise.all(answers)).map(({ body }) => body.messages[0]);
    expect(cut).toMatchObject({ truncated: true, text_length: 4_007 });
    expect(whole.content.text).toBe(long);
  });

  test("is cut where the setting says", async () => {
    const [a, b] = await pair();
    await parley.say(a, "x".repeat(150));
    const set = (value: string) =>
      connected(parley.database.url("parley_owner"), (client) =>
        client.query(`update parley.settings set value = ${value} where name = 'list_text_max'`),
      );
    await set("'100'");
    expect((await get(b, "/messages/wait")).messages[0]).toMatchObject({ truncated: true, text_length: 150 });
    await set("default_value");
    expect((await get(b, "/messages/wait")).messages[0]).not.toHaveProperty("truncated");
  });
});

describe("unread", () => {
  test("is what was not handed over yet; what was comes again until it is confirmed", async () => {
    const [a, b] = await pair();
    await say(a, { content: "one" });
    expect((await get(b, "")).unread).toBe(1);
    const heard = await parley.wait(b, { timeout: 0 });
    expect(heard.body).toMatchObject({ messages: [{ content: { text: "one" } }], unread: 0 });
    expect((await get(b, "")).unread).toBe(0);
    // Whoever has lost its context has lost that answer too.
    expect((await parley.get("/whoami", b)).body).toMatchObject({ cursor: 1, unread: 0, unconfirmed: 1 });
    expect((await parley.wait(b, { timeout: 0 })).body.messages).toEqual(heard.body.messages);
    await say(a, { content: "two" });
    expect((await say(b, { content: "three" })).unread).toBe(1);
  });

  test("is on the answer of every verb of a team, and means the same on each", async () => {
    const { paths, components } = (await parley.get("/openapi.json")).body;
    const operations = Object.entries<Record<string, OpenApi>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    const ofTeams = operations.filter(({ security }) => security.length > 0);
    expect(ofTeams.length).toBeGreaterThanOrEqual(19);
    const args: Record<string, object> = {
      update_session_doc: { content: "new", expected_version: 0 },
      append_to_session_doc: { text: "more" },
      update_session_metadata: { title: "New", reason: "scope" },
      conclude_session: { summary_section: "Done." },
      post_message: { content: "mine" },
      ack_messages: { through_cursor: 0 },
      sync: { max_items: 1 },
      search: { query: "hello" },
      wait_for_messages: { timeout: 0 },
      wait_for_reply: { timeout: 0 },
      replace_section: { section: "Goals", text: "more" },
      tick: { text: "box" },
      spawn_session: { title: "T", description: "" },
      fork_session: { team_name: "T" },
      place_session: { board: "board" },
      interrupt_team: { handle: "team-blue", reason: "why" },
      update_team: { doing: "this" },
      add_tasks: { tasks: ["One"] },
      update_task: { title: "Uno" },
      verify_task: { passed: true },
      claim_paths: { paths: ["src/"] },
      report_changes: { paths: ["src/a.ts"] },
      update_session_access: { mode: "read_only" },
      ask_people: { question: "Which?" },
      remove_team: { handle: "team-blue" },
      ring_team: { handle: "team-blue", wait: 0 },
      report_run: { agent: "claude" },
    };
    await parley.post("/boards", { name: "Board" });
    // Two of these have just handed something over; what is verified another team has done.
    const expected: Record<string, number> = { wait_for_messages: 0, sync: 2, verify_task: 4 };
    for (const { path, method, operationId, responses } of ofTeams) {
      const type = responses[200].content["application/json"].schema.allOf[0].$ref.split("/").at(-1) as string;
      expect(components.schemas[type].properties.unread.description, operationId).toMatch(
        /^Messages of others that no answer has handed to you yet/,
      );

      // Those need an agent that runs: agents.test.ts.
      if (/\/agents\/|\/run\/permission/.test(path) || operationId === "spawn_agent") continue;
      const [a, b] = await pair();
      for (const text of ["hello", "and again"]) await parley.say(b, text);
      if (operationId === "tick") await parley.post(`/sessions/${a.ref}/doc/append`, { text: "- [ ] box" }, a);
      const verb = operationId.replace(/_\d+$/, "");
      const asked = verb === "withdraw_question" ? (await say(a, { content: "?", kind: "question" })).cursor : 2;
      if (path.includes("{task}")) await parley.post(`/sessions/${a.ref}/tasks`, { tasks: ["One"] }, a);
      if (verb === "verify_task")
        await parley.post(`/sessions/${a.ref}/tasks/1`, { status: "done", result: "Done." }, b);
      const at = path
        .replace("/api", "")
        .replace("{task}", "1")
        .replace("{session_id}", a.ref)
        .replace(/\{message(_id)?\}/, asked);
      const query = new URLSearchParams(args[verb] as Record<string, string>);
      const answer =
        method === "get" ? await parley.get(`${at}?${query}`, a) : await parley.post(at, args[verb] ?? {}, a);
      expect(answer.status, operationId).toBe(200);
      expect([operationId, answer.body.unread]).toEqual([operationId, expected[verb] ?? 3]);
    }
  });

  test("leaves out one's own messages, and events one has caused", async () => {
    const [a, b] = await pair();
    await parley.say(a, "mine");
    await parley.post(`/sessions/${a.ref}/metadata`, { title: "New", reason: "scope" }, a);
    expect((await get(a, "")).unread).toBe(1);
    expect((await get(b, "")).unread).toBe(2);
    await parley.wait(b, { since_cursor: 3, timeout: 0 });
    expect((await get(b, "")).unread).toBe(0);
  });

  test("is told when joining with a replay", async () => {
    const [a] = await pair();
    await parley.say(a, "one");
    const answer = await parley.post(`/sessions/${a.ref}/join`, { team_name: "Late", replay_from: 0 });
    expect(answer.body.unread).toBe(2);
    expect((await parley.post(`/sessions/${a.ref}/join`, { team_name: "Later" })).body.unread).toBe(0);
  });
});

interface OpenApi {
  operationId: string;
  security: object[];
  responses: { 200: { content: { "application/json": { schema: { allOf: [{ $ref: string }] } } } } };
}

describe("whoami", () => {
  test("tells by the credential alone what an agent needs that has lost its context", async () => {
    const [a, b] = await pair();
    await parley.say(b, "one");
    await parley.post(`/sessions/${a.ref}/doc/append`, { text: "x" }, a);
    await ack(a, 1);
    const answer = await parley.get("/whoami", a);
    expect(answer.body).toEqual({
      session_id: a.session_id,
      ref: a.ref,
      title: "A session",
      description: "What it is for",
      status: "active",
      handle: "alexs-team",
      team_name: "Alex's Team",
      convener: true,
      cursor: 1,
      acked_cursor: 1,
      last_cursor: 2,
      doc_version: 1,
      open_questions: [],
      url: `${parley.url}/s/${a.ref}`,
      unread: 1,
      unconfirmed: 0,
    });
    expect((await parley.get(`/sessions/${a.ref}/whoami`, a)).body).toEqual(answer.body);
    expect((await parley.get(`/whoami?session_id=${a.session_id}`, a)).body).toEqual(answer.body);
    expect((await parley.get("/whoami", b)).body).toMatchObject({ handle: "team-blue", convener: false });
  });

  test("is the same 401 for a stranger, for a team that has left, and at the wrong session", async () => {
    const [a, b] = await pair();
    const other = await parley.create();
    await parley.post(`/sessions/${a.ref}/leave`, {}, b);
    const answers = [
      await parley.get("/whoami"),
      await parley.get("/whoami", `pt_${"x".repeat(43)}`),
      await parley.get("/whoami", b),
      await parley.get(`/sessions/${a.ref}/whoami`, other),
      await parley.get(`/sessions/${a.ref}/whoami`),
    ];
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([401, answers[0]?.body]);
    expect((await parley.get("/sessions/no-such-1/whoami", a)).status).toBe(404);
  });

  test("works after the close", async () => {
    const [a] = await pair();
    await conclude(a);
    expect((await parley.get("/whoami", a)).body).toMatchObject({ status: "closed" });
  });

  test("lists the questions that wait for this team, newest first, until somebody answers", async () => {
    const [a, b] = await pair();
    const c = await parley.join(a, "Team Red");
    const open = async (team: Team) => cursors((await parley.get("/whoami", team)).body.open_questions);
    const toAll = (await say(a, { kind: "question", content: "q".repeat(500) })).cursor;
    const toBlue = (await say(a, { kind: "question", to: [b.handle] })).cursor;
    const wish = (await say(c, { kind: "request", expects_reply: true, to: [b.handle] })).cursor;
    await say(a, { kind: "question", expects_reply: false });
    await say(a, { kind: "status" });
    expect(await open(b)).toEqual([wish, toBlue, toAll]);
    expect(await open(c)).toEqual([toAll]);
    expect(await open(a)).toEqual([]);

    const [note] = (await parley.get("/whoami", c)).body.open_questions;
    expect(note).toMatchObject({ handle: a.handle, text: `${"q".repeat(279)}…` });
    expect(note).not.toHaveProperty("to");
    expect((await parley.get("/whoami", b)).body.open_questions[1]).toMatchObject({ to: [b.handle] });

    // More of the same team is no answer, unless it says so.
    await say(a, { reply_to: toAll, content: "anyone?" });
    expect(await open(c)).toEqual([toAll]);
    await say(a, { reply_to: toAll, kind: "answer", content: "found it" });
    expect(await open(c)).toEqual([]);
    // Nor is a word of who was not asked, or asking back, or telling how far one is.
    await say(c, { reply_to: toBlue, content: "ask blue" });
    await say(b, { reply_to: toBlue, kind: "question" });
    await say(b, { reply_to: wish, kind: "status" });
    expect(await open(b)).toEqual([wish, toBlue]);
    await say(c, { reply_to: toBlue, kind: "answer" });
    expect(await open(b)).toEqual([wish, toBlue]);
    await say(b, { reply_to: toBlue, kind: "answer" });
    expect(await open(b)).toEqual([wish]);
    await say(b, { reply_to: wish });
    expect(await open(b)).toEqual([]);
  });
});

describe("ack_messages", () => {
  test("moves forwards only, and takes the cursor along", async () => {
    const [a, b] = await pair();
    await parley.say(a, "one");
    await parley.say(a, "two");
    expect((await ack(b, 2)).body).toEqual({ acked_cursor: 2, cursor: 2, unread: 1 });
    expect((await ack(b, 1)).body).toEqual({ acked_cursor: 2, cursor: 2, unread: 1 });
    expect((await ack(b, "3")).body).toEqual({ acked_cursor: 3, cursor: 3, unread: 0 });
    expect((await ack(b, 0)).body).toEqual({ acked_cursor: 3, cursor: 3, unread: 0 });
    expect((await parley.wait(b, { timeout: 0 })).body.messages).toEqual([]);
    const roster = (await get(a, "/participants")).participants;
    expect(roster.map((p: { acked_cursor: number }) => p.acked_cursor)).toEqual([0, 3]);
  });

  test("does not move the cursor back to it", async () => {
    const [a, b] = await pair();
    await parley.say(a, "one");
    await parley.wait(b, { since_cursor: 2, timeout: 0 });
    expect((await ack(b, 1)).body).toMatchObject({ acked_cursor: 1, cursor: 2 });
  });

  test("wakes nobody and says nothing in the feed", async () => {
    const [a, b] = await pair();
    const answer = parley.wait(a, { since_cursor: 1, timeout: 1 });
    await waiting(1);
    await ack(b, 1);
    expect((await answer).body).toMatchObject({ messages: [], next_cursor: 1 });
  });

  test("refuses what is ahead, negative or missing", async () => {
    const [, b] = await pair();
    expect(await ack(b, 2)).toMatchObject(refusal(400, "cursor_ahead", { field: "through_cursor", current_cursor: 1 }));
    for (const wrong of [-1, "x", undefined, null])
      expect(await ack(b, wrong)).toMatchObject(refusal(400, "invalid_argument", { field: "through_cursor" }));
  });

  test("shows on one's own messages in the history and on any message by get_message, also of who has left", async () => {
    const [a, b] = await pair();
    const c = await parley.join(a, "Team Red");
    const { cursor } = await parley.say(a, "read me");
    await ack(c, cursor);
    await ack(b, cursor);
    const mine = async () => (await get(a, "/messages")).messages.at(-1);
    expect((await mine()).read_by).toEqual([b.handle, c.handle]);
    expect((await get(b, "/messages")).messages.at(-1)).not.toHaveProperty("read_by");
    expect((await get(b, `/messages/${cursor}`)).read_by).toEqual([b.handle, c.handle]);
    await parley.post(`/sessions/${a.ref}/leave`, {}, b);
    expect((await get(a, "/messages")).messages[2].read_by).toEqual([b.handle, c.handle]);
    const roster = (await get(a, "/participants")).participants;
    expect(roster[1]).toMatchObject({ handle: b.handle, acked_cursor: cursor, left_at: expect.any(String) });
  });

  test("one's own ack is no receipt of one's own message", async () => {
    const [a] = await pair();
    const { cursor } = await parley.say(a, "mine");
    await ack(a, cursor);
    expect((await get(a, `/messages/${cursor}`)).read_by).toEqual([]);
    expect((await get(a, "/messages/1")).read_by).toEqual([a.handle]);
  });

  test("works after the close", async () => {
    const [a, b] = await pair();
    await conclude(a);
    expect((await ack(b, 2)).body).toMatchObject({ acked_cursor: 2 });
  });

  test("is told by GraphQL", async () => {
    const [a, b] = await pair();
    const { cursor } = await parley.say(a, "read me");
    await ack(b, cursor);
    const response = await fetch(`${parley.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-team-id": a.team_id },
      body: JSON.stringify({
        query: `{ sessionByRef(ref: "${a.ref}") { messages(orderBy: SEQUENCE_DESC, first: 1) { nodes { readBy } } } }`,
      }),
    });
    expect(await response.json()).toMatchObject({
      data: { sessionByRef: { messages: { nodes: [{ readBy: [b.handle] }] } } },
    });
  });
});

describe("get_message", () => {
  test("tells all of one message, by id or cursor", async () => {
    const [a, b] = await pair();
    const question = await say(a, { kind: "question", to: [b.handle], metadata: { n: 1 }, content: "who?" });
    const reply = await say(b, { reply_to: question.cursor });
    const expected = {
      message_id: question.message_id,
      cursor: 2,
      type: "chat",
      team: "Alex's Team",
      handle: "alexs-team",
      sender: "agent",
      mine: false,
      content: { text: "who?" },
      at: question.at,
      kind: "question",
      to: [b.handle],
      expects_reply: true,
      metadata: { n: 1 },
      read_by: [],
      replies: [reply.cursor],
      unread: 1,
      delivery: [expect.objectContaining({ handle: b.handle, state: "stored" })],
    };
    for (const ref of [2, question.message_id]) expect(await get(b, `/messages/${ref}`)).toEqual(expected);
    expect((await get(a, "/messages/2")).mine).toBe(true);
  });

  test("tells events too", async () => {
    const [a] = await pair();
    expect(await get(a, "/messages/1")).toMatchObject({ type: "system", event: "team_joined", replies: [] });
  });

  test("finds nothing of another session, and refuses what is no reference", async () => {
    const [a] = await pair();
    const other = await parley.create();
    const { message_id } = await parley.say(other, "secret");
    for (const ref of [message_id, 0, 2, "999999999"])
      expect(await parley.get(`/sessions/${a.ref}/messages/${ref}`, a)).toMatchObject(
        refusal(404, "message_not_found"),
      );
    for (const ref of ["x", "-1", "1.5", "9".repeat(20), "%20"])
      expect(await parley.get(`/sessions/${a.ref}/messages/${ref}`, a)).toMatchObject(
        refusal(400, "invalid_argument", { field: "message_id" }),
      );
  });
});

describe("wait_for_reply", () => {
  const replies = (team: Team, ref: number | string, query = "") =>
    parley.get(`/sessions/${team.ref}/messages/${ref}/replies?${query}`, team);

  test("answers at once with the replies of others that are there", async () => {
    const [a, b] = await pair();
    const { cursor, message_id } = await say(a, { kind: "question" });
    await say(a, { reply_to: cursor, content: "anyone?" });
    await say(b, { reply_to: cursor, content: "x".repeat(5_000), kind: "answer" });
    await say(b, { reply_to: cursor, content: "and this" });
    for (const ref of [cursor, message_id]) {
      const { body } = await replies(a, ref);
      expect(body).toMatchObject({ session_closed: false, unread: 3 });
      expect(body.messages).toMatchObject([
        { cursor: 4, kind: "answer", truncated: true, reply_to: message_id },
        { cursor: 5, content: { text: "and this" } },
      ]);
    }
  });

  test("is woken by the reply and by nothing else, and leaves the cursor where it is", async () => {
    const [a, b] = await pair();
    const { cursor } = await say(a, { kind: "question" });
    const answer = replies(a, cursor);
    await waiting(1);
    await parley.say(b, "something else");
    await say(a, { reply_to: cursor, content: "my own" });
    await say(b, { reply_to: 1, content: "a reply to another" });
    await waiting(1);
    await say(b, { reply_to: cursor, content: "this one", kind: "answer" });
    expect((await answer).body.messages).toMatchObject([{ content: { text: "this one" } }]);
    expect((await parley.get("/whoami", a)).body.cursor).toBe(0);
  });

  test("comes back empty when the time is over or the session concluded", async () => {
    const [a, b] = await pair();
    const { cursor } = await say(a, { kind: "question" });
    for (const timeout of [0, 0.1])
      expect((await replies(a, cursor, `timeout=${timeout}`)).body).toMatchObject({
        messages: [],
        session_closed: false,
      });
    const held = replies(a, cursor);
    await waiting(1);
    await conclude(b);
    expect((await held).body).toMatchObject({ messages: [], session_closed: true });
    expect((await replies(a, cursor)).body).toMatchObject({ messages: [], session_closed: true });
  });

  test("shows the team as listening while it waits", async () => {
    const [a, b] = await pair();
    const { cursor } = await say(a, { kind: "question" });
    const held = replies(a, cursor);
    await waiting(1);
    expect((await get(b, "/participants")).participants[0]).toMatchObject({ listening: true, status: "active" });
    await say(b, { reply_to: cursor });
    await held;
    expect((await get(b, "/participants")).participants[0]).toMatchObject({ listening: false });
  });

  test("refuses what is wrong before it waits", async () => {
    const [a] = await pair();
    expect(await replies(a, 9)).toMatchObject(refusal(404, "message_not_found"));
    expect(await replies(a, "x")).toMatchObject(refusal(400, "invalid_argument", { field: "message_id" }));
    expect(await replies(a, 1, "timeout=-1")).toMatchObject(refusal(400, "invalid_argument", { field: "timeout" }));
  });
});
