import { randomUUID } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashSecret } from "../../api/http/caller.ts";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { type Calls, connectCallers, type Team } from "./calls.ts";

let database: TestDatabase;
let calls: Calls;
let alex: Team;
let blue: Team;
let red: Team;

beforeAll(async () => {
  database = await createTestDatabase();
  calls = connectCallers(database.url("parley_caller"), 3);
});
beforeEach(async () => {
  alex = await calls.create();
  blue = await calls.join(alex, "Blue");
  red = await calls.join(alex, "Red");
});
afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

/** Does the work while somebody holds the row of a team, or of the session; whoever waits for it fails. */
function whileLocked<T>(work: () => Promise<T>, row: "team" | "session" = "team"): Promise<T> {
  return connected(database.url("parley_owner"), async (client) => {
    await client.query("begin");
    if (row === "team")
      await client.query("select from parley.participants where session_id = $1 and handle = $2 for update", [
        alex.session_id,
        blue.handle,
      ]);
    else await client.query("select from parley.sessions where id = $1 for update", [alex.session_id]);
    try {
      return await work();
    } finally {
      await client.query("rollback");
    }
  });
}

const sql = (text: string, values: unknown[] = []) =>
  connected(database.url("parley_owner"), async (client) => (await client.query(text, values)).rows);

/** Calls a verb that may wait: whether it was held, and what it said. */
async function start(team: Team, verb: string, args: Record<string, unknown>) {
  const id = randomUUID();
  const list = Object.keys(args).map((name, i) => `"${name}" => $${i + 4}`);
  const { rows } = await calls.pool.query(
    `select answer, held from parley_private.end_call(case when parley_private.begin_call($1, '', $2)
       then to_json(parley.${verb}(${["$3", ...list].join(", ")})) end)`,
    [hashSecret(team.team_id), id, team.ref, ...Object.values(args)],
  );
  return { id, held: rows[0].held !== null, answer: rows[0].answer };
}
async function hold(team: Team, verb: string, args: Record<string, unknown>): Promise<string> {
  const { id, held } = await start(team, verb, args);
  expect(held).toBe(true);
  return id;
}

type Row = { wait_ids: string[]; answer: { messages: { cursor: number }[] } | null };
const answer = async (ids: string[], giveUp = false): Promise<Row[]> =>
  (await calls.pool.query<Row>("select * from parley_private.answer_waits($1, $2)", [ids, giveUp])).rows;
const cursorsOf = (rows: Row[]) => rows.map(({ answer }) => answer?.messages.map(({ cursor }) => cursor));
const leases = async () => (await sql("select id from parley_private.waits order by id")).map(({ id }) => id);

describe("a team whose row somebody else holds", () => {
  const kinds: [string, string, Record<string, unknown>][] = [
    ["a plain wait", "wait_for_messages", { since_cursor: 2 }],
    ["a wait for whole texts", "wait_for_messages", { since_cursor: 2, full: true }],
    ["a sync", "sync", { since_cursor: 2, timeout: 30 }],
    ["a wait for a reply", "wait_for_reply", { message_id: "1" }],
  ];
  test.each(kinds)("%s is left for later, and those of others are answered", async (_kind, verb, args) => {
    const [locked, free] = [await hold(blue, verb, args), await hold(red, verb, args)];
    await calls.must("post_message", { session_id: alex.ref, content: "hello", reply_to: "1" }, alex);
    await whileLocked(async () => {
      for (const giveUp of [false, true]) {
        const rows = await answer(giveUp ? [locked] : [locked, free], giveUp);
        expect(rows.map(({ wait_ids }) => wait_ids)).toEqual(giveUp ? [] : [[free]]);
      }
      expect(await leases()).toEqual([locked]);
    });
    const rows = await answer([locked]);
    expect([rows[0]?.wait_ids, cursorsOf(rows)]).toEqual([[locked], [[3]]]);
    expect(await leases()).toEqual([]);
  });

  test("a wait whose lease is held is left for later, too", async () => {
    const id = await hold(blue, "wait_for_messages", { since_cursor: 2 });
    await connected(database.url("parley_owner"), async (client: pg.Client) => {
      await client.query("begin");
      await client.query("select from parley_private.waits where id = $1 for update", [id]);
      expect(await answer([id], true)).toEqual([]);
      await calls.pool.query("select parley_private.abandon_waits($1)", [[id]]);
      await client.query("rollback");
    });
    expect(await answer([id], true)).toMatchObject([{ wait_ids: [id], answer: { messages: [] } }]);
  });

  test("the waits of a client that has gone end all the same", async () => {
    const ids = [
      await hold(blue, "wait_for_messages", { since_cursor: 2 }),
      await hold(red, "wait_for_messages", { since_cursor: 2 }),
    ];
    await whileLocked(() => calls.pool.query("select parley_private.abandon_waits($1)", [ids]));
    expect(await leases()).toEqual([]);
  });

  test.each(kinds)("%s begins without waiting for the lock", async (_kind, verb, args) => {
    const id = await whileLocked(() => hold(blue, verb, args));
    await calls.must("post_message", { session_id: alex.ref, content: "hello", reply_to: "1" }, alex);
    expect(cursorsOf(await answer([id]))).toEqual([[3]]);
    // The cursor that it came with was stored when the wait ended.
    if (verb !== "wait_for_reply")
      expect(await calls.must("whoami", {}, blue)).toMatchObject({ cursor: 2, unread: 0, unconfirmed: 1 });
  });

  test("what is there is handed over at once, and comes again as long as that could not be written", async () => {
    await calls.must("post_message", { session_id: alex.ref, content: "hello" }, alex);
    for (const verb of ["wait_for_messages", "sync"]) {
      const args = { since_cursor: 2, timeout: 30 };
      const heard = await whileLocked(() => start(blue, verb, args));
      expect([heard.held, heard.answer.messages[0].cursor, heard.answer.unread]).toEqual([false, 3, 0]);
      expect(await calls.must("whoami", {}, blue)).toMatchObject({ cursor: 1, unread: 2 });
    }
    expect((await calls.must("wait_for_messages", { session_id: blue.ref }, blue)).messages).toHaveLength(2);
  });
});

test("a silent team that comes back waits for nobody who holds the session, nor does the sweep", async () => {
  await sql("update parley.participants set known_status = 'disconnected', last_seen_at = now() - interval '1 hour'");
  await whileLocked(async () => {
    await calls.must("whoami", {}, blue);
    expect((await start(blue, "wait_for_messages", { since_cursor: 2 })).held).toBe(true);
    await connected(database.url("parley_worker"), (client) =>
      client.query("select parley_private.sweep_presence(clock_timestamp() + interval '1 hour')"),
    );
  }, "session");
  await calls.must("whoami", {}, blue);
  const [row] = await sql("select known_status from parley.participants where session_id = $1 and handle = $2", [
    blue.session_id,
    blue.handle,
  ]);
  expect(row.known_status).toBe("active");
});

test("two servers that answer the same waits at once answer each of them once", async () => {
  const second = connectCallers(database.url("parley_caller"), 2);
  try {
    for (let round = 1; round <= 40; round++) {
      const since_cursor = 1 + round;
      const ids = await Promise.all(
        [blue, red].flatMap((team) => [0, 1].map(() => hold(team, "wait_for_messages", { since_cursor }))),
      );
      await calls.must("post_message", { session_id: alex.ref, content: `${round}` }, alex);
      const text = "select wait_ids from parley_private.answer_waits($1) where answer is not null";
      const rounds = await Promise.all([calls, second].map(({ pool }) => pool.query(text, [ids])));
      const answered = rounds.flatMap(({ rows }) => rows.flatMap(({ wait_ids }) => wait_ids));
      const left = ids.filter((id) => !answered.includes(id));
      if (left.length > 0) answered.push(...(await answer(left)).flatMap(({ wait_ids }) => wait_ids));
      expect(answered.toSorted()).toEqual(ids.toSorted());
    }
  } finally {
    await second.end();
  }
});
