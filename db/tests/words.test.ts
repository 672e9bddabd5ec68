import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { type Calls, connectCallers, type Team } from "./calls.ts";

let database: TestDatabase;
let calls: Calls;

beforeAll(async () => {
  database = await createTestDatabase();
  calls = connectCallers(database.url("parley_caller"), 4);
});

afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

const sql = async (text: string, values: unknown[] = []) =>
  (await connected(database.url(), (client) => client.query(text, values))).rows;
const index = (atMost?: number) =>
  connected(database.url("parley_worker"), (client) =>
    client.query("select parley_private.index_words(coalesce($1, 5000))", [atMost]),
  );
const indexed = async ({ session_id }: Team) =>
  await sql(
    "select sequence, words is null as unsearched from parley_private.message_words where session_id = $1 order by 1",
    [session_id],
  );
const indexedThrough = async (team: Team) =>
  (await sql("select parley_private.indexed_through($1) as n", [team.session_id]))[0].n;
const post = (team: Team, content: string) => calls.must("post_message", { session_id: team.ref, content }, team);
const found = async (team: Team, query: string) =>
  (await calls.must("search", { session_id: team.ref, query, limit: 100 }, team)).hits;

const WORDS =
  "refund invoice src/refunds/index.ts schema migration decides deciding the of Größe 東京 naïve user_id v1.2 session".split(
    " ",
  );
const QUERIES = [
  "refund",
  "refunds -invoice",
  '"schema migration"',
  "invoice or user",
  "decide",
  "größe",
  "東京",
  "index",
  "zeppelin",
];
const randomText = () =>
  Array.from(
    { length: 1 + Math.floor(Math.random() * 12) },
    () => WORDS[Math.floor(Math.random() * WORDS.length)],
  ).join(" ");

describe("words", () => {
  test("are found at once and the same way before, while and after they are indexed", async () => {
    const [team, other] = [await calls.create(), await calls.create()];
    await calls.join(team);
    await post(team, "größe 東京: refunds, invoice of a user; decide on the index after the schema migration");
    for (let i = 0; i < 119; i++) await post(team, randomText());
    for (let i = 0; i < 20; i++) await post(other, randomText());
    const search = () => Promise.all(QUERIES.map((query) => found(team, query)));
    const before = await search();
    expect(before.map((hits) => hits.length > 0)).toEqual(QUERIES.map((query) => query !== "zeppelin"));
    expect(await indexedThrough(team)).toBe(0);

    for (const [limit, through] of [
      [40, 40],
      [5_000, 121],
    ] as const) {
      await sql("select parley_private.index_words_of($1, $2)", [team.session_id, limit]);
      expect(await indexedThrough(team)).toBe(through);
      expect(await search()).toEqual(before);
    }
  });

  test("are indexed in time where nobody is there any more", async () => {
    const teams = await Promise.all(Array.from({ length: 5 }, () => calls.create()));
    for (const team of teams) await post(team, "what was said before everybody left");
    await sql("update parley.participants set known_status = 'disconnected', last_seen_at = now() - interval '1 day'");
    await index();
    expect(await Promise.all(teams.map(indexedThrough))).toEqual(teams.map(() => 1));
  });

  test("are indexed by the worker without a gap, and only what teams have said is searched", async () => {
    const team = await calls.create();
    await post(team, "one");
    await calls.join(team);
    await post(team, "three");
    await index();
    expect(await indexed(team)).toEqual([
      { sequence: 1, unsearched: false },
      { sequence: 2, unsearched: true },
      { sequence: 3, unsearched: false },
    ]);
    expect(await found(team, "joined")).toEqual([]);
  });

  test("of many sessions are indexed in turns of a limited size", async () => {
    const teams = [await calls.create(), await calls.create()];
    for (const team of teams) for (let i = 0; i < 6; i++) await post(team, "hello");
    const throughs = async () => Promise.all(teams.map(indexedThrough));
    await index(8);
    expect((await throughs()).toSorted()).toEqual([2, 6]);
    await index(8);
    expect(await throughs()).toEqual([6, 6]);
  });

  test("two workers and the posts meanwhile leave none out", async () => {
    const team = await calls.create();
    let posting = true;
    const workers = [0, 1].map(async () => {
      while (posting) await index(7);
    });
    await Promise.all(
      [0, 1, 2].map(async () => {
        for (let i = 0; i < 50; i++) await post(team, "hello");
      }),
    );
    posting = false;
    await Promise.all(workers);
    while ((await indexedThrough(team)) < 150) await index();
    expect((await indexed(team)).map(({ sequence }) => sequence)).toEqual(Array.from({ length: 150 }, (_, i) => i + 1));
  });

  test("are indexed by one at a time, and nobody waits for it", async () => {
    const team = await calls.create();
    for (let i = 0; i < 3; i++) await post(team, "hello");
    await connected(database.url(), async (client) => {
      await client.query("begin");
      const index = "select parley_private.index_words_of($1, 2) as count";
      expect((await client.query(index, [team.session_id])).rows).toEqual([{ count: 2 }]);
      expect(await sql(index, [team.session_id])).toEqual([{ count: 0 }]);
      await client.query("commit");
      expect(await sql(index, [team.session_id])).toEqual([{ count: 1 }]);
    });
  });

  test("are indexed by the posts themselves where no worker is: what search has to read stays short", async () => {
    const team = await calls.create();
    const outbox = Array.from({ length: 20 }, (_, i) => `message ${i}`);
    for (let i = 0; i < 225; i++) await calls.must("sync", { session_id: team.ref, outbox }, team);
    expect(4_500 - (await indexedThrough(team))).toBeLessThanOrEqual(4_050);
    expect(await found(team, "message")).toHaveLength(100);
  });
});

describe("a message", () => {
  test("is found by its message_id, which no other message of any session has", async () => {
    const [a, b] = [await calls.create(), await calls.create()];
    const [first, second] = [await post(a, "one"), await post(b, "two")];
    expect(first.message_id).not.toBe(second.message_id);
    const get = (message_id: string) => calls.call("get_message", { session_id: a.ref, message_id }, a);
    expect((await get(first.message_id)).body).toMatchObject({ cursor: 1, message_id: first.message_id });
    expect((await get(first.message_id.toUpperCase().replaceAll("-", ""))).body).toMatchObject({ cursor: 1 });
    const others = [
      second.message_id,
      `00000000-0000-4000-8000-${first.message_id.slice(24)}`,
      `${first.message_id.slice(0, 24)}ffffffffffff`,
    ];
    for (const id of others) expect(await get(id)).toMatchObject({ status: 404, code: "message_not_found" });
  });

  test("that a DBA inserts is found too, and wakes who waits", async () => {
    const team = await calls.create();
    await connected(database.url(), async (client) => {
      const heard = new Promise<string | undefined>((resolve) =>
        client.on("notification", ({ payload }) => resolve(payload)),
      );
      await client.query("listen parley");
      await client.query(
        `with counted as (update parley.sessions set last_sequence = 1 where id = $1)
         insert into parley.messages (session_id, sequence, posted_by, caused_by, type, content, nth_of_author)
         values ($1, 1, 1, 1, 'chat', '{"text": "by hand"}', 1)`,
        [team.session_id],
      );
      expect(await heard).toBe(`feed ${team.session_id}`);
    });
    const [{ message_id }] = await found(team, "hand");
    expect(await calls.must("get_message", { session_id: team.ref, message_id }, team)).toMatchObject({ cursor: 1 });
  });
});

/** What foreign keys would say, had the lock of the session not proven it already. */
const ORPHANS = `
  select m.session_id, m.sequence from parley.messages m
  where not exists (select from parley.sessions s where s.id = m.session_id and s.last_sequence >= m.sequence)
    or m.posted_by is not null and not exists (
      select from parley.participants p where p.session_id = m.session_id and p.id = m.posted_by)
    or m.reply_to is not null and not exists (
      select from parley.messages q where q.session_id = m.session_id and q.sequence = m.reply_to and q.sequence < m.sequence)
    or m.type <> case when m.posted_by is null then 'system' else 'chat' end
    or m.id <> parley_private.message_id(m.session_id, m.sequence)
  union all
  select s.id, s.last_sequence from parley.sessions s
  where s.active_minute <> parley_private.minute_of(greatest(s.updated_at, s.last_message_at))
  union all
  select w.session_id, w.sequence from parley_private.message_words w
  where not exists (select from parley.messages m where m.session_id = w.session_id and m.sequence = w.sequence)`;

test("no message is an orphan, and all that no constraint keeps is kept, after everything that can be said at once", async () => {
  const team = await calls.create();
  const teams = await Promise.all([1, 2, 3].map(() => calls.join(team)));
  await Promise.all(
    teams.map(async (author, n) => {
      for (let i = 0; i < 20; i++) {
        await calls.call(
          "post_message",
          { session_id: author.ref ?? team.ref, content: "a", reply_to: `${1 + i * (n + 1)}` },
          author,
        );
        await calls.call("post_message", { session_id: team.ref, content: "b", kind: "question" }, author);
      }
      await calls.call("leave_session", { session_id: team.ref }, author);
      await calls.call("post_message", { session_id: team.ref, content: "c" }, author);
    }),
  );
  await index();
  expect(await sql(ORPHANS)).toEqual([]);
  await connected(database.url(), async (client) => {
    await client.query("begin");
    await client.query(
      "insert into parley.messages (session_id, sequence, posted_by, type, content) values ($1, 9999, 1, 'chat', '{}')",
      [team.session_id],
    );
    expect((await client.query(ORPHANS)).rows).toHaveLength(1);
    await client.query("rollback");
  });
});

describe("calls that share a transaction", () => {
  const call = (verb: string) =>
    `select topics, held::json from parley_private.end_call(case when parley_private.begin_call($1, '', $2) then to_json(parley.${verb}) end)`;
  const hash = async (team: Team) =>
    (await sql("select encode(sha256(convert_to($1, 'UTF8')), 'hex') as hash", [team.team_id]))[0].hash;

  test("tell each its own topics and waits, and a refused one leaves nothing behind", async () => {
    const [a, b] = [await calls.create(), await calls.create()];
    const [hashA, hashB] = [await hash(a), await hash(b)];
    await connected(database.url("parley_caller"), async (client) => {
      await client.query("begin");
      const run = async (text: string, hashed: string, wait = "") => {
        await client.query("savepoint one");
        try {
          return (await client.query(call(text), [hashed, wait])).rows[0];
        } catch (error) {
          await client.query("rollback to one");
          return (error as { code: string }).code;
        } finally {
          await client.query("release one");
        }
      };
      const wait = `wait_for_messages('${b.ref}', since_cursor => 0)`;
      const id = "00000000-0000-4000-8000-00000000000a";
      expect(await run(wait, hashB, id)).toMatchObject({ topics: null, held: { topic: `feed ${b.session_id}` } });
      const posted = { topics: `feed ${a.session_id}`, held: null };
      expect(await run(`post_message('${a.ref}', '"one"')`, hashA)).toEqual(posted);
      expect(await run(`post_message('${a.ref}', '"two"')`, hashB)).toBe("PT401");
      expect(await run(`post_message('${a.ref}', '"two"', reply_to => '9')`, hashA)).toBe("PT404");
      expect(await run(`get_session('${a.ref}')`, hashA)).toEqual({ topics: null, held: null });
      expect(await run(`post_message('${a.ref}', '"two"')`, hashA)).toEqual(posted);
      await client.query("commit");
    });
    const { messages } = await calls.must("get_history", { session_id: a.ref }, a);
    expect(messages.map(({ cursor, content }: { cursor: number; content: object }) => [cursor, content])).toEqual([
      [1, { text: "one" }],
      [2, { text: "two" }],
    ]);
  });

  test.each([
    ["off", ["wait_for_messages('REF', timeout => 0)"]],
    ["on", ["wait_for_messages('REF', timeout => 0)", `post_message('REF', '"hello"')`]],
    ["on", [`post_message('REF', '"hello"')`, "wait_for_messages('REF', timeout => 0)"]],
  ])("are flushed to disk if one of them is worth it: %s", async (expected, verbs) => {
    const team = await calls.create();
    await sql("update parley.participants set last_seen_at = now() - interval '1 hour' where session_id = $1", [
      team.session_id,
    ]);
    await connected(database.url("parley_caller"), async (client) => {
      await client.query("set synchronous_commit = on; begin");
      for (const verb of verbs) await client.query(call(verb.replaceAll("REF", team.ref)), [await hash(team), ""]);
      expect((await client.query("show synchronous_commit")).rows[0].synchronous_commit).toBe(expected);
      await client.query("rollback");
    });
  });
});
