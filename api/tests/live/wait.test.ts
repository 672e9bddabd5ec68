import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { connected } from "../../../testing/postgres.ts";
import { type Answer, startTestServer, type Team, type TestServer, until } from "../../../testing/server.ts";

let parley: TestServer;

beforeAll(async () => {
  parley = await startTestServer();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await sql("update parley.settings set value = default_value where value <> default_value and category <> 'rules'");
});
afterAll(() => parley.stop());

const sql = (text: string, values: unknown[] = []) =>
  connected(parley.database.url("parley_owner"), async (client) => (await client.query(text, values)).rows);
const set = (name: string, value: number) =>
  sql("update parley.settings set value = $2 where name = $1", [name, value]);
const waiting = (count: number) =>
  until(async () => (await metric(parley.url, "parley_waiting_calls")) === count, `${count} waiting calls`);
const rosterEntry = async (asker: Team, handle = asker.handle) => {
  const { body } = await parley.get(`/sessions/${asker.ref}/participants`, asker);
  return body.participants.find((participant: { handle: string }) => participant.handle === handle);
};
const texts = ({ body }: Answer) =>
  body.messages.map((message: { content: { text?: string } }) => message.content.text);

/** Two teams; the second has joined at cursor 1. */
async function pair(): Promise<[Team, Team]> {
  const alex = await parley.create();
  return [alex, await parley.join(alex)];
}

describe("a wait", () => {
  test("a waiting team is woken by the next message, its author only if it asks for its own", async () => {
    const [alex, blue] = await pair();
    const answers = [parley.wait(blue), parley.wait(alex, { since_cursor: 1, include_self: "true" })];
    await waiting(2);
    await parley.say(alex, "hello");
    const [heard, own] = await Promise.all(answers);
    expect(heard?.body).toMatchObject({
      next_cursor: 2,
      session_closed: false,
      has_more: false,
      doc_version: 0,
      empty_polls: 0,
    });
    expect(heard?.body.messages).toMatchObject([{ cursor: 2, type: "chat", mine: false, content: { text: "hello" } }]);
    expect(own?.body.messages).toMatchObject([{ cursor: 2, mine: true }]);
  });

  test("a message of another session wakes nobody", async () => {
    const here = await parley.create();
    const there = await parley.create();
    const answer = parley.wait(here, { timeout: 1 });
    await waiting(1);
    await parley.say(there, "not for you");
    expect((await answer).body).toMatchObject({ messages: [], next_cursor: 0 });
  });

  test("a timeout of 0 answers at once, holding nothing", async () => {
    const alex = await parley.create();
    const { status, body } = await parley.wait(alex, { timeout: 0 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ messages: [], next_cursor: 0, session_closed: false });
    expect(await sql("select from parley_private.waits")).toEqual([]);
  });

  test("a larger timeout is clamped to the setting", async () => {
    await set("wait_max_seconds", 1);
    const alex = await parley.create();
    for (const query of ["?timeout=1000000", ""]) {
      const answer = await parley.get(`/sessions/${alex.ref}/messages/wait${query}`, alex, {
        signal: AbortSignal.timeout(10_000),
      });
      expect(answer.body).toMatchObject({ messages: [], next_cursor: 0 });
    }
  });

  test("a fraction of a second is waited for", async () => {
    const alex = await parley.create();
    expect((await parley.wait(alex, { timeout: 0.2 })).body).toMatchObject({ messages: [], empty_polls: 1 });
  });

  test("what is wrong with a call is said before it waits, as a status, even to a caller that streams", async () => {
    const alex = await parley.create();
    const streams = { headers: { accept: "text/event-stream" } };
    const cases: [Promise<Answer>, number, string][] = [
      [parley.wait(alex, { timeout: -1 }, streams), 400, "invalid_argument"],
      [parley.wait(alex, { timeout: "soon" }, streams), 400, "invalid_argument"],
      [parley.wait(alex, { since_cursor: -1 }, streams), 400, "invalid_argument"],
      [parley.wait(alex, { since_cursor: 9 }, streams), 400, "cursor_ahead"],
      [parley.wait(alex, { since: 0 }, streams), 400, "invalid_argument"],
      [parley.wait({ ...alex, ref: "no-such-1" }, {}, streams), 404, "session_not_found"],
      [parley.wait({ ...alex, team_id: `pt_${"x".repeat(43)}` }, {}, streams), 401, "unauthorized"],
      [parley.get(`/sessions/${alex.ref}/messages/wait`, undefined, streams), 401, "unauthorized"],
    ];
    for (const [answer, status, code] of cases)
      expect(await answer).toMatchObject({ status, body: { error: { code } } });
    const { headers, body } = (await cases[3]?.[0]) ?? {};
    expect(headers?.get("content-type")).toContain("application/json");
    expect(body.error.details).toMatchObject({ current_cursor: 0 });
    expect(await sql("select from parley_private.waits")).toEqual([]);
  });
});

describe("a streaming caller", () => {
  test("a streaming caller gets a comment at once, then the result, then the end", async () => {
    const [alex, blue] = await pair();
    const response = await fetch(`${parley.url}/api/sessions/${blue.ref}/messages/wait`, {
      headers: { "x-team-id": blue.team_id, accept: "text/event-stream" },
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toMatch(/^:.*\n\n$/);

    await parley.say(alex, "two\nlines");
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value;
    const [, data = ""] = /^event: result\ndata: (.*)\n\n$/.exec(rest) ?? [];
    expect(JSON.parse(data)).toMatchObject({ messages: [{ content: { text: "two\nlines" } }], next_cursor: 2 });
  });

  test("a streaming caller that need not wait gets the same form", async () => {
    const [alex, blue] = await pair();
    await parley.say(alex, "already here");
    const { body } = await parley.wait(blue, { since_cursor: 1 }, { headers: { accept: "text/event-stream" } });
    expect(body).toMatch(/^: .*\n\nevent: result\ndata: \{.*already here.*\}\n\n$/);
  });
});

describe("what a wait brings", () => {
  test("the same messages come again until a higher cursor is presented", async () => {
    const [alex, blue] = await pair();
    await parley.say(alex, "one");
    await parley.say(alex, "two");
    expect(texts(await parley.wait(blue))).toEqual(["one", "two"]);
    expect(texts(await parley.wait(blue))).toEqual(["one", "two"]);
    expect(texts(await parley.wait(blue, { since_cursor: 2 }))).toEqual(["two"]);
    expect(texts(await parley.wait(blue))).toEqual(["two"]);
  });

  test("an older cursor reads older messages, but what the team has confirmed stays", async () => {
    const [alex, blue] = await pair();
    await parley.say(alex, "one");
    await parley.say(alex, "two");
    await parley.wait(blue, { since_cursor: 3, timeout: 0 });
    expect(texts(await parley.wait(blue, { since_cursor: "0" }))).toEqual(["one", "two"]);
    expect(await rosterEntry(blue)).toMatchObject({ cursor: 3 });
    expect((await parley.wait(blue, { timeout: 0 })).body).toMatchObject({ messages: [], next_cursor: 3 });
  });

  test("a long feed comes in pages, oldest first", async () => {
    await set("wait_page", 2);
    const [alex, blue] = await pair();
    for (const text of ["one", "two", "three"]) await parley.say(alex, text);
    const first = await parley.wait(blue);
    expect([texts(first), first.body.next_cursor, first.body.has_more]).toEqual([["one", "two"], 3, true]);
    const second = await parley.wait(blue, { since_cursor: 3 });
    expect([texts(second), second.body.next_cursor, second.body.has_more]).toEqual([["three"], 4, false]);
  });

  test("that a session is closed is told with its conclusion, not on the pages before it", async () => {
    await set("wait_page", 2);
    const [alex, blue] = await pair();
    for (const text of ["one", "two", "three"]) await parley.say(alex, text);
    for (const summary_section of ["Done.", "Done again."])
      await parley.post(`/sessions/${alex.ref}/conclude`, { summary_section }, alex);
    const page = async (since_cursor: number) => {
      const { next_cursor, has_more, session_closed } = (await parley.wait(blue, { since_cursor, timeout: 0 })).body;
      return { next_cursor, has_more, session_closed };
    };
    expect(await page(1)).toEqual({ next_cursor: 3, has_more: true, session_closed: false });
    expect(await page(3)).toEqual({ next_cursor: 5, has_more: true, session_closed: true });
    expect(await page(5)).toEqual({ next_cursor: 6, has_more: false, session_closed: true });
    expect(await page(6)).toEqual({ next_cursor: 6, has_more: false, session_closed: true });
  });
});

describe("a wait ends", () => {
  test("empty waits are counted, and from the limit on the session is called idle, until someone speaks", async () => {
    await set("idle_polls", 2);
    const [alex, blue] = await pair();
    const poll = async (query = {}) => {
      const { empty_polls, session_idle } = (await parley.wait(blue, { timeout: 0.05, ...query })).body;
      return [empty_polls, session_idle];
    };
    expect(await poll()).toEqual([1, false]);
    expect(await poll({ timeout: 0 })).toEqual([2, true]);
    expect(await poll()).toEqual([3, true]);
    const answer = poll({ timeout: 30 });
    await waiting(1);
    await parley.say(alex, "still here");
    expect(await answer).toEqual([0, false]);
    expect(await poll({ since_cursor: 2 })).toEqual([1, false]);
  });

  test("a conclusion reaches everyone who waits, and a wait on a closed session answers at once", async () => {
    const alex = await parley.create();
    const blue = await parley.join(alex);
    const answer = parley.wait(blue);
    await waiting(1);
    await parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "Done." }, alex);
    expect((await answer).body).toMatchObject({
      messages: [{ type: "system", event: "session_concluded", doc_version: 1 }],
      next_cursor: 2,
      session_closed: true,
      doc_version: 1,
    });
    expect((await parley.wait(blue, { since_cursor: 2 })).body).toMatchObject({
      messages: [],
      next_cursor: 2,
      session_closed: true,
    });
    expect((await parley.wait(alex, { since_cursor: 0 })).body).toMatchObject({ next_cursor: 2, session_closed: true });
    expect(await metric(parley.url, "parley_waiting_calls")).toBe(0);
  });

  test("a team that leaves while it waits is answered, and does not come back to life", async () => {
    const alex = await parley.create();
    const blue = await parley.join(alex);
    const answer = parley.wait(blue);
    await waiting(1);
    await parley.post(`/sessions/${blue.ref}/leave`, {}, blue);
    expect((await answer).status).toBe(200);
    expect(await rosterEntry(alex, blue.handle)).toMatchObject({ status: "disconnected", listening: false });
    expect(await parley.wait(blue)).toMatchObject({ status: 401, body: { error: { code: "unauthorized" } } });
  });

  test("of two waits of one team, the end of one keeps the team listening", async () => {
    const [alex, blue] = await pair();
    const long = parley.wait(blue);
    await waiting(1);
    const short = parley.wait(blue, { timeout: 0.3 });
    await waiting(2);
    expect((await short).body.messages).toEqual([]);
    expect(await rosterEntry(blue)).toMatchObject({ listening: true, status: "active" });
    await parley.say(alex, "that is all");
    await long;
    expect(await rosterEntry(blue)).toMatchObject({ listening: false, status: "active" });
  });

  test("a client that goes away takes its wait with it", async () => {
    const alex = await parley.create();
    for (const headers of [{}, { accept: "text/event-stream" }]) {
      const leaving = new AbortController();
      const answer = parley.wait(alex, {}, { headers, signal: leaving.signal }).catch((error: Error) => error.name);
      await waiting(1);
      expect(await rosterEntry(alex)).toMatchObject({ listening: true });
      leaving.abort();
      expect(await answer).toBe("AbortError");
      await waiting(0);
      await until(async () => (await rosterEntry(alex)).listening === false, "the lease to end");
      expect(await sql("select from parley_private.waits")).toEqual([]);
    }
  });

  test("clients that go away before their wait is held leave nothing behind", async () => {
    const alex = await parley.create();
    const calls = Array.from({ length: 40 }, async (_, i) => {
      await parley.wait(alex, {}, { signal: AbortSignal.timeout(1 + i) }).catch(() => undefined);
    });
    await Promise.all(calls);
    await until(async () => (await sql("select from parley_private.waits")).length === 0, "the leases to end");
    await waiting(0);
  });
});

describe("waits together", () => {
  test("a hundred waiters of one session are answered by one post, with a handful of statements", async () => {
    const alex = await parley.create();
    const teams = [alex];
    while (teams.length < 10) teams.push(await parley.join(alex, `Team ${teams.length}`));
    const cursor = teams.length - 1;
    const poster = await parley.join(alex, "Poster");
    const answers = Array.from({ length: 100 }, (_, i) =>
      parley.wait(teams[i % 10] as Team, { since_cursor: cursor + 1 }),
    );
    await waiting(100);

    const statements = vi.spyOn(pg.Client.prototype, "query");
    await parley.say(poster, "all of you");
    for (const answer of await Promise.all(answers)) expect(texts(answer)).toEqual(["all of you"]);
    const rounds = statements.mock.calls.filter(
      ([query]) => (query as unknown as pg.QueryConfig).name === "answer_waits",
    );
    expect(rounds.length).toBeGreaterThanOrEqual(1);
    expect(rounds.length).toBeLessThanOrEqual(4);
    // Nobody reads on his own: what else there is are the post and looks at the catalogue.
    expect(statements.mock.calls.length).toBeLessThanOrEqual(12);
  });

  test("waits of every kind in one session are answered together, each in its own way", async () => {
    const alex = await parley.create();
    const blue = await parley.join(alex);
    const { cursor } = await parley.say(alex, "a question");
    const path = `/sessions/${blue.ref}`;
    const of = (kind: number) =>
      [
        () => parley.wait(blue, { since_cursor: cursor }),
        () => parley.wait(blue, { since_cursor: cursor, full: "true" }),
        () => parley.post(`${path}/sync`, { since_cursor: cursor, timeout: 30 }, blue),
        () => parley.post(`${path}/sync`, { since_cursor: cursor, timeout: 30, include_self: true }, blue),
        () => parley.get(`${path}/messages/${cursor}/replies`, blue),
      ][kind] as () => Promise<Answer>;
    const answers = Array.from({ length: 40 }, (_, i) => of(i % 5)());
    await waiting(40);
    const text = "y".repeat(4_500);
    await parley.post(`/sessions/${alex.ref}/messages`, { content: text, reply_to: cursor }, alex);
    await waiting(0);
    for (const [i, answer] of (await Promise.all(answers)).entries()) {
      const [message] = answer.body.messages;
      expect([i % 5, answer.status, answer.body.messages.length]).toEqual([i % 5, 200, 1]);
      expect([i % 5, message.content.text.length]).toEqual([i % 5, i % 5 === 1 ? 4_500 : 4_000]);
      expect(Object.hasOwn(answer.body, "sent")).toBe(i % 5 === 2 || i % 5 === 3);
    }
    expect(await rosterEntry(alex, blue.handle)).toMatchObject({ listening: false, cursor });
  });
});

describe("a lease that is lost", () => {
  test("a held sync whose lease is lost answers with what it posted, and does not post it again", async () => {
    const alex = await parley.create();
    const answer = parley.post(`/sessions/${alex.ref}/sync`, { outbox: ["once"], timeout: 30 }, alex);
    await waiting(1);
    await sql("delete from parley_private.waits");
    expect((await answer).body).toMatchObject({ sent: [{ cursor: 1 }], messages: [] });
    expect((await parley.get(`/sessions/${alex.ref}`, alex)).body.last_cursor).toBe(1);
  });

  test("a wait for a reply whose lease is lost is asked again", async () => {
    const alex = await parley.create();
    const blue = await parley.join(alex);
    const { cursor } = await parley.say(alex, "who?");
    const answer = parley.get(`/sessions/${alex.ref}/messages/${cursor}/replies`, alex);
    await waiting(1);
    // Before anybody has looked: the lease goes together with the news.
    await connected(parley.database.url("parley_owner"), async (client) => {
      await client.query("begin");
      await client.query("delete from parley_private.waits");
      await parley.post(`/sessions/${blue.ref}/messages`, { content: "me", reply_to: cursor }, blue);
      await client.query("commit");
    });
    expect(texts(await answer)).toEqual(["me"]);
  });
});

test("waiting calls hold no connection: with 200 of them in flight others are served as ever", async () => {
  const sessions = await Promise.all(Array.from({ length: 20 }, () => parley.create()));
  const guests = await Promise.all(sessions.map((session) => parley.join(session)));
  const answers = Array.from({ length: 200 }, (_, i) => parley.wait(guests[i % 20] as Team));
  await waiting(200);
  const [{ connections }] = await sql(
    "select count(*)::integer as connections from pg_stat_activity where datname = current_database()",
  );
  expect(connections).toBeLessThanOrEqual(20);
  const others = await Promise.all(sessions.map((team) => parley.get(`/sessions/${team.ref}`, team)));
  expect(others.every(({ status }) => status === 200)).toBe(true);
  await waiting(200);
  await Promise.all(sessions.map((team) => parley.say(team, "go on")));
  for (const answer of await Promise.all(answers)) expect(texts(answer)).toEqual(["go on"]);
});
