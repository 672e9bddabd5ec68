import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hashSecret } from "../../api/http/caller.ts";
import { asRole } from "../../api/postgres/database.ts";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { until } from "../../testing/server.ts";
import { type Calls, connectCallers, type Team } from "./calls.ts";
import { THE_LONG_WAY } from "./guarded-races.ts";
import { assemble } from "./races.ts";
import { type Rules, rulesOf, speakersOf } from "./rules.ts";
import { readSource } from "./sources.ts";

let database: TestDatabase;
let calls: Calls;
let rules: Rules;
let speakers: ReturnType<typeof speakersOf>;

beforeAll(async () => {
  database = await createTestDatabase();
  calls = connectCallers(database.url("parley_caller"), 2);
  rules = rulesOf(database);
  speakers = speakersOf(calls);
});
afterEach(() => rules.off());
afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

const say = (team: Team, args?: object) => speakers.say(team, args);
const said = (team: Team, args?: object) => speakers.said(team, args);
const two = () => assemble(calls, 2) as Promise<[Team, Team]>;

/** One hears what came, then posts: as agents do in turn. */
async function answer(team: Team, args?: object) {
  await speakers.hear(team);
  return say(team, args);
}

describe("posts_per_minute", () => {
  test("a team posts so many within any minute, and is told how long to wait", async () => {
    await rules.set("posts_per_minute", 3);
    const team = await calls.create();
    const other = await calls.join(team);
    await said(team);
    await rules.age(team, 40);
    await said(team);
    await said(team);
    const refused = await say(team);
    expect([refused.status, refused.code]).toEqual([429, "rate_limited"]);
    expect(refused.body.details).toMatchObject({ setting: "posts_per_minute", limit: 3 });
    // The first of the three is 40 seconds old.
    expect(refused.body.details.retry_after_seconds).toBeGreaterThan(10);
    expect(refused.body.details.retry_after_seconds).toBeLessThanOrEqual(20);
    expect(refused.body.details.hint).toContain(`${refused.body.details.retry_after_seconds} seconds`);
    expect(await said(other)).toBe(5);

    await rules.age(team, 21);
    await said(team);
    expect((await say(team)).code).toBe("rate_limited");
    await rules.age(team, 61);
    for (let i = 0; i < 3; i++) await said(team);
    expect((await say(team)).code).toBe("rate_limited");
    await rules.set("posts_per_minute", 4);
    await said(team);
    expect((await say(team)).code).toBe("rate_limited");
    await rules.set("posts_per_minute", 0);
    await said(team);
  });

  test("every message of an outbox counts, and none is posted of one that is too long", async () => {
    await rules.set("posts_per_minute", 3);
    const team = await calls.create();
    const sync = (...outbox: unknown[]) => calls.call("sync", { session_id: team.ref, outbox }, team);
    expect((await sync("1", "2", "3", "4")).code).toBe("rate_limited");
    expect(await rules.sql("select from parley.messages where session_id = $1", [team.session_id])).toEqual([]);
    const once = { content: "1", client_message_id: "once" };
    expect((await sync(once, "2", "3")).status).toBe(200);
    expect((await sync("4")).code).toBe("rate_limited");
    // What was acknowledged is acknowledged again.
    expect((await sync(once)).body.sent).toMatchObject([{ cursor: 1 }]);
  });

  test("people are bound by it as well", async () => {
    await rules.set("posts_per_minute", 1);
    const person = await calls.create("Ada");
    await rules.makeHuman(person);
    await said(person);
    expect((await say(person)).code).toBe("rate_limited");
  });
});

describe("hops", () => {
  const refusedAt = (hops: number, limit: number) => ({
    status: 429,
    code: "loop_guard",
    body: {
      details: { setting: "hops", hops, limit, retry_after_seconds: 60, hint: expect.stringContaining("decision") },
    },
  });

  test("two who answer each other get so far, and are told how to go on", async () => {
    await rules.set("hops", 3);
    const [a, b] = await two();
    for (const team of [a, b, a, b]) expect((await answer(team)).status).toBe(200);
    expect(await rules.hops(a)).toEqual([0, 1, 2, 3]);
    expect(await answer(a)).toMatchObject(refusedAt(4, 3));
    // Neither to leave out what it replies to nor to try again helps.
    expect(await say(a, { reply_to: 5 })).toMatchObject(refusedAt(4, 3));
    expect((await say(b)).status).toBe(200);
    expect(await rules.hops(a)).toEqual([0, 1, 2, 3, 3]);
  });

  test("a ring of three ends as one of two does", async () => {
    await rules.set("hops", 4);
    const [a, b, c] = (await assemble(calls, 3)) as [Team, Team, Team];
    for (const team of [a, b, c, a, b]) expect((await answer(team)).status).toBe(200);
    expect(await answer(c)).toMatchObject(refusedAt(5, 4));
    // Also for those who wait for nobody, and reply to what one of them was told.
    expect(await say(a, { reply_to: 7 })).toMatchObject(refusedAt(5, 4));
  });

  test("replies count by what they reply to, also for those who never wait", async () => {
    await rules.set("hops", 2);
    const [a, b] = await two();
    const first = await said(a);
    const second = await said(b, { reply_to: first });
    const third = await said(a, { reply_to: second });
    expect(await say(b, { reply_to: third })).toMatchObject(refusedAt(3, 2));
    await said(b, { reply_to: first });
    // To go on from what one has said oneself is no hop.
    await said(a, { reply_to: third });
    expect(await rules.hops(a)).toEqual([0, 1, 2, 1, 2]);
  });

  test("several messages in a row are led to by the same one", async () => {
    await rules.set("hops", 20);
    const [a, b] = await two();
    await said(a);
    await speakers.hear(b);
    for (let i = 0; i < 3; i++) await said(b);
    await calls.must("sync", { session_id: a.ref, outbox: ["1", "2"] }, a);
    await answer(a);
    expect(await rules.hops(a)).toEqual([0, 1, 1, 1, 0, 0, 2]);
  });

  test("two who talk at the same time, past each other, get no farther", async () => {
    await rules.set("hops", 4);
    const [a, b] = await two();
    let refused = false;
    for (let turn = 0; turn < 10 && !refused; turn++) {
      // Both have heard all that came before, and neither what the other says now.
      await speakers.hear(a);
      await speakers.hear(b);
      const answers = [await say(a), await say(b)];
      refused = answers.every(({ code }) => code === "loop_guard");
    }
    expect(refused).toBe(true);
    expect(Math.max(...((await rules.hops(a)) as number[]))).toBe(4);
  });

  test("who writes to the document starts anew, and so do those who answer", async () => {
    await rules.set("hops", 1);
    const [a, b] = await two();
    await said(a);
    await answer(b);
    expect((await answer(a)).code).toBe("loop_guard");
    await speakers.note(b);
    expect((await say(a)).code).toBe("loop_guard");
    await speakers.note(a);
    await said(a);
    expect((await answer(b)).status).toBe(200);
    expect(await rules.hops(a)).toEqual([0, 1, 0, 1]);
    // What is said after the work is no longer covered by it.
    expect((await answer(a)).code).toBe("loop_guard");
  });

  test("a decision is always taken, and starts anew", async () => {
    await rules.set("hops", 1);
    const [a, b] = await two();
    await said(a);
    await answer(b);
    expect((await answer(a, { kind: "decision", reply_to: 4 })).status).toBe(404);
    expect((await say(a, { kind: "decision", reply_to: 3 })).status).toBe(200);
    expect((await answer(b)).status).toBe(200);
    expect(await rules.hops(a)).toEqual([0, 1, 0, 1]);
  });

  test("whoever hears or answers a person starts anew, and a person never loops", async () => {
    await rules.set("hops", 1);
    const [a, b, person] = (await assemble(calls, 3)) as [Team, Team, Team];
    await rules.makeHuman(person);
    await said(a);
    await answer(b);
    expect((await answer(a)).code).toBe("loop_guard");
    for (let i = 0; i < 3; i++) expect((await answer(person)).status).toBe(200);
    const question = await said(person);
    expect((await say(a, { reply_to: question })).status).toBe(200);
    await speakers.hear(b);
    expect((await say(b)).status).toBe(200);
    expect((await rules.hops(a)).slice(2)).toEqual([null, null, null, null, 0, 1]);
  });

  test("who comes later is not led by what was said before", async () => {
    await rules.set("hops", 1);
    const [a, b] = await two();
    await said(a);
    await answer(b);
    await said(await calls.join(a));
    const reader = await calls.must("join_session", { session_id: a.ref, team_name: "Reader", replay_from: 0 });
    expect((await answer(reader)).status).toBe(200);
    expect((await rules.hops(a)).slice(2)).toEqual([0, 0]);
  });

  test("off, nothing is counted; switched on, it counts from there", async () => {
    const [a, b] = await two();
    for (const team of [a, b, a, b]) await answer(team);
    await rules.set("hops", 1);
    expect((await answer(a)).status).toBe(200);
    expect((await answer(b)).status).toBe(200);
    expect((await answer(a)).code).toBe("loop_guard");
    expect(await rules.hops(a)).toEqual([null, null, null, null, 0, 1]);
  });
});

describe("loop_guard", () => {
  /** A session whose agents have talked as long as they may. */
  async function talked(limit = 4): Promise<[Team, Team]> {
    await rules.set("loop_guard", limit);
    const [a, b] = await two();
    for (let n = 0; n < limit; n++) await said(n % 2 ? a : b);
    return [a, b];
  }
  const isStuck = async (team: Team) => (await say(team)).code === "loop_guard";

  test("so many messages in a row while nothing moves, then a refusal that says how to go on", async () => {
    const [a, b] = await talked();
    for (const team of [a, b]) {
      const { status, code, body } = await say(team);
      expect([status, code]).toEqual([429, "loop_guard"]);
      expect(body.details).toMatchObject({ setting: "loop_guard", limit: 4, messages: 4, retry_after_seconds: 60 });
      for (const way of ["append_to_session_doc", "decision", "open question", "task", "conclude"])
        expect(body.details.hint).toContain(way);
    }
    expect(await rules.sql("select from parley.messages where session_id = $1", [a.session_id])).toHaveLength(5);
    await rules.set("loop_guard", 0);
    expect(await isStuck(a)).toBe(false);
  });

  const moves: [string, (a: Team, b: Team) => Promise<unknown>][] = [
    ["a line in the document", (a) => speakers.note(a)],
    [
      "a new document",
      (a) => calls.must("update_session_doc", { session_id: a.ref, content: "x", expected_version: 0 }, a),
    ],
    ["a decision", (a) => said(a, { kind: "decision" })],
    ["a team that joins", (a) => calls.join(a)],
    ["another title", (a) => calls.must("update_session_metadata", { session_id: a.ref, title: "x", reason: "y" }, a)],
  ];
  test.each(moves)("%s moves it", async (_what, move) => {
    const [a, b] = await talked();
    expect(await isStuck(a)).toBe(true);
    await move(a, b);
    for (let n = 0; n < 4; n++) await said(b);
    expect(await isStuck(b)).toBe(true);
  });

  test("a person moves it, and is never stopped", async () => {
    const [a, b] = await talked();
    await rules.makeHuman(a);
    await said(a);
    for (let n = 0; n < 4; n++) await said(b);
    expect(await isStuck(b)).toBe(true);
    await said(a);
  });

  test("an answer to an open question moves it, once for each who was asked; other replies do not", async () => {
    await rules.set("loop_guard", 3);
    const [a, b, c] = (await assemble(calls, 3)) as [Team, Team, Team];
    const question = await said(a, { kind: "question", to: [b.handle, c.handle] });
    await said(b, { kind: "status", reply_to: question });
    const remark = await said(a);
    expect(await isStuck(b)).toBe(true);
    expect((await say(b, { kind: "answer", reply_to: remark })).code).toBe("loop_guard");
    expect((await say(a, { kind: "answer", reply_to: question })).code).toBe("loop_guard");
    await said(b, { kind: "answer", reply_to: question });
    for (let n = 0; n < 3; n++) await said(b, { kind: "answer", reply_to: question });
    expect((await say(b, { kind: "answer", reply_to: question })).code).toBe("loop_guard");
    await said(c, { reply_to: question });
    for (let n = 0; n < 3; n++) await said(a);
    expect((await say(c, { reply_to: question })).code).toBe("loop_guard");
  });

  test("neither who leaves nor a question that is withdrawn moves it", async () => {
    await rules.set("loop_guard", 3);
    const [a, b, c] = (await assemble(calls, 3)) as [Team, Team, Team];
    const question = await said(a, { kind: "question" });
    await said(b);
    await said(a);
    await calls.must("withdraw_question", { session_id: a.ref, message: String(question) }, a);
    await calls.must("leave_session", { session_id: c.ref }, c);
    expect(await isStuck(b)).toBe(true);
  });

  test("every message of an outbox counts", async () => {
    await rules.set("loop_guard", 3);
    const [a] = await two();
    const sync = (...outbox: unknown[]) => calls.call("sync", { session_id: a.ref, outbox }, a);
    expect((await sync("1", "2", "3", "4")).code).toBe("loop_guard");
    expect((await sync("1", "2", "3")).status).toBe(200);
    expect((await sync({ content: "So be it.", kind: "decision" }, "1", "2", "3")).status).toBe(200);
    expect(await isStuck(a)).toBe(true);
  });
});

test("what posts are held to is what the settings say, whoever changes them at the same time", async () => {
  const names = ["posts_per_minute", "hops", "loop_guard", "message_max"];
  for (let round = 1; round <= 50; round++) {
    await Promise.all(names.map((name, n) => rules.set(name, round * 10 + n)));
    const [row] = await rules.sql(`select ${names} from parley_private.post_bounds`);
    expect(row).toEqual(Object.fromEntries(names.map((name, n) => [name, round * 10 + n])));
  }
});

describe("a plain post", () => {
  const source = readSource(THE_LONG_WAY.file);
  const theLongWay = source.replace(THE_LONG_WAY.line, THE_LONG_WAY.instead);
  const apply = (sql: string) => connected(database.url("parley_owner"), (client) => client.query(sql));

  /** Says, hears and writes down, many times over and past every bound; what came of it, without what is never the same. */
  async function converse() {
    const teams = await assemble(calls, 3);
    const answers: unknown[] = [];
    for (let n = 0; n < 150; n++) {
      const team = teams[(n * n + (n >> 2)) % 3] as Team;
      const { ref: session_id } = team;
      if (n % 3 === 1) await speakers.hear(team);
      if (n % 17 === 16) await speakers.note(team);
      if (n % 11 === 7) await calls.must("add_tasks", { session_id, tasks: [`Task ${n}`] }, team);
      if (n % 50 === 49) await rules.age(team, 61);
      const kind = n % 23 === 22 ? "decision" : undefined;
      const { status, code, body } = await say(team, { content: n % 2 ? `No. ${n}` : { text: `Größe ${n}` }, kind });
      answers.push([status, code, body.cursor, body.unread, body.details?.setting]);
      // Then it has heard itself last.
      if (n % 5 === 4 && status === 200)
        await calls.must("wait_for_messages", { session_id, timeout: 0, since_cursor: body.cursor }, team);
    }
    const messages = await rules.sql(
      `select to_jsonb(m) - '{id,session_id,posted_at}'::text[] as message, m.id = parley_private.message_id(m.session_id, m.sequence) as named
       from parley.messages m where m.session_id = $1 order by m.sequence`,
      [teams[0].session_id],
    );
    const [session] = await rules.sql("select last_sequence, talk from parley.sessions where id = $1", [
      teams[0].session_id,
    ]);
    return { answers, messages, session };
  }

  test("is what the long way makes of it, far from the bounds, at them and past them", async () => {
    expect(theLongWay).not.toBe(source);
    await rules.set("posts_per_minute", 8);
    await rules.set("hops", 2);
    await rules.set("loop_guard", 9);
    const plain = await converse();
    await apply(theLongWay);
    const careful = await converse().finally(() => apply(source));
    expect(plain).toEqual(careful);
    const met = new Set((careful.answers as string[][]).map((answer) => answer.at(-1)));
    expect([...met].sort()).toEqual(["hops", "loop_guard", "posts_per_minute", undefined]);
  });

  test("of a team that was silent for long goes on where that left off", async () => {
    const speak = async (team: Team, others: Team) => {
      const first = await said(team);
      for (let n = 0; n < 60; n++) await said(others);
      const { body } = await say(team);
      const [row] = await rules.sql(
        "select nth_of_author from parley.messages where session_id = $1 and sequence = $2",
        [team.session_id, body.cursor],
      );
      return { since: body.cursor - first, unread: body.unread, ...row };
    };
    const expected = { since: 61, unread: 61, nth_of_author: 2 };
    expect(await speak(...(await two()))).toEqual(expected);
    await apply(theLongWay);
    expect(await speak(...(await two())).finally(() => apply(source))).toEqual(expected);
  });

  const WAYS: [string, (team: Team) => string][] = [
    ["alone", ({ ref }) => `parley.post_message('${ref}', '"said"')`],
    [
      "with others",
      ({ ref, team_id }) =>
        `parley_private.post_plainly('${JSON.stringify([{ team_hash: hashSecret(team_id), session_id: ref, content: "said" }])}')`,
    ],
  ];

  test.each(WAYS)("%s is later than what its session was changed by while it waited", async (_, posted) => {
    const team = await calls.create();
    const post = async (client: pg.ClientBase) => {
      await client.query("begin");
      await client.query("select parley_private.begin_call($1)", [hashSecret(team.team_id)]);
      await client.query(`select ${posted(team)}`);
      await client.query("commit");
    };
    const freed = await connected(database.url("parley_owner"), async (holder) => {
      await holder.query("begin");
      await holder.query("update parley.sessions set talk = 1 where id = $1", [team.session_id]);
      const waiting = connected(asRole(database.url("parley_server"), "parley_caller"), post);
      await until(
        async () =>
          (await rules.sql("select from pg_locks where locktype = 'transactionid' and not granted")).length > 0,
        "the post to wait",
      );
      const { rows } = await holder.query("select clock_timestamp()::text as at");
      await holder.query("commit");
      await waiting;
      return rows[0].at as string;
    });
    expect(
      await rules.sql("select posted_at > $2 as later from parley.messages where session_id = $1", [
        team.session_id,
        freed,
      ]),
    ).toEqual([{ later: true }]);
  });
});
