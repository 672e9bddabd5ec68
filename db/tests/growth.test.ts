import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { counted } from "../../testing/plans.ts";
import { connected, createTestDatabase, rolledBack, type TestDatabase } from "../../testing/postgres.ts";
import { until } from "../../testing/server.ts";
import { type Calls, connectCallers, type Team } from "./calls.ts";
import { answerOf, reading as readingIn } from "./reading.ts";

let database: TestDatabase;
let calls: Calls;

beforeAll(async () => {
  database = await createTestDatabase();
  calls = connectCallers(database.url("parley_caller"), 2);
});

afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

const sql = (text: string, values: unknown[] = []) =>
  connected(database.url(), async (client) => (await client.query(text, values)).rows);

const reading = (team: Team, call: string) => readingIn(database, team, call);

/** Sessions of one team each, the newest a second ago, one per ten seconds. */
const fillSessions = (count: number) =>
  sql(
    `with made as (
      insert into parley.sessions (ref, title, description, created_at, updated_at, last_message_at, status, closed_at)
      select 'old-' || n, 'Old ' || n, '', t, t, t + interval '1 second', s, case s when 'closed' then t end
      from generate_series(1, $1::integer) n,
        lateral (select now() - (n * 10 + 1) * interval '1 second' as t, case n % 2 when 0 then 'closed' else 'active' end as s) as x
      returning id
    )
    insert into parley.participants (session_id, id, handle, team_name, known_status, left_at)
    select id, 1, 'one', 'One', 'disconnected', now() from made`,
    [count],
  );

/** What is not known to be seen by all is looked up to be counted; a vacuum knows it of what is on disk and nobody else looks at. */
async function settle() {
  await sql("checkpoint");
  await until(async () => {
    await sql("vacuum parley.sessions");
    const [table] = await sql(
      "select relallvisible = relpages as settled from pg_class where oid = 'parley.sessions'::regclass",
    );
    return table.settled;
  }, "all sessions to be seen by all");
}

describe("the list of sessions", () => {
  let team: Team;
  beforeAll(async () => {
    team = await calls.create();
    await fillSessions(2_000);
    await sql("analyze parley.sessions, parley.participants");
  });

  test.each(["parley.list_sessions()", "parley.list_sessions(status => 'closed')"])(
    "%s reads little more than it shows",
    async (call) => {
      const { answer, rows } = await reading(team, call);
      expect(answer.sessions).toHaveLength(20);
      expect(rows("sessions")).toBeLessThan(100);
    },
  );

  test.each([
    ["parley.list_session_rows()", 2_001],
    ["parley.list_session_rows(status => 'active')", 1_001],
    ["parley.list_session_rows(status => 'closed')", 1_000],
  ])("of the page, %s, counts them all and reads little more than it shows", async (call, total) => {
    await settle();
    const { answer, rows } = await reading(team, call);
    expect(answer.rows).toHaveLength(50);
    expect(answer).toMatchObject({ total, has_more: true });
    expect(rows("sessions")).toBeLessThan(400);
  });

  test("of the page reads little more where most are live, and looks at each once for a text", async () => {
    await sql("update parley.participants set known_status = 'idle', left_at = null where handle = 'one'");
    await settle();
    const list = await reading(team, "parley.list_session_rows()");
    expect(list.answer.total).toBe(2_001);
    expect(list.rows("sessions")).toBeLessThan(400);
    const closed = await reading(team, "parley.list_session_rows(status => 'closed')");
    expect(closed.answer.total).toBe(1_000);
    expect(closed.rows("sessions")).toBeLessThan(400);
    const found = await reading(team, "parley.list_session_rows(search => 'OLD-77')");
    expect(found.answer).toMatchObject({ total: 11, has_more: false });
    expect(found.rows("sessions")).toBeLessThan(2_200);
    await sql("update parley.participants set known_status = 'disconnected', left_at = now() where handle = 'one'");
  });

  test("of the page asks of a thousand teams none whether it listens, where nobody does", async () => {
    const crowd = await calls.create();
    await sql(
      "insert into parley.participants (session_id, id, handle, team_name) select $1, n, 'team-' || n, 'Team ' || n from generate_series(2, 1000) n",
      [crowd.session_id],
    );
    const { answer, looks } = await reading(team, "parley.list_session_rows()");
    const [row] = answer.rows.filter(({ id }: { id: string }) => id === crowd.session_id);
    expect(row.teams).toHaveLength(6);
    expect(looks("waits")).toBeLessThan(300);
  });

  test("is in the order of the newest activity, to the microsecond", async () => {
    const listed = await calls.must("list_sessions", { limit: 100 });
    const { refs } = (
      await sql(
        `select array(select ref from parley.sessions order by greatest(updated_at, last_message_at) desc, id limit 100) as refs`,
      )
    )[0];
    expect(listed.sessions.map(({ ref }: { ref: string }) => ref)).toEqual(refs);
  });

  test("a post moves a session in its index once a minute, not each time", async () => {
    const { updates, hot } = await rolledBack(database.url(), async (client) => {
      for (let n = 0; n < 10; n++)
        await client.query(
          `update parley.sessions s set last_message_at = post.at, active_minute = parley_private.minute_of(post.at)
           from (select '2030-01-01T00:00:00Z'::timestamptz + $2 * interval '1 second' as at) post where s.id = $1`,
          [team.session_id, n],
        );
      const { rows } = await client.query(
        "select n_tup_upd as updates, n_tup_hot_upd as hot from pg_stat_xact_user_tables where relname = 'sessions'",
      );
      return { updates: Number(rows[0].updates), hot: Number(rows[0].hot) };
    });
    expect(updates).toBe(10);
    expect(hot).toBeGreaterThanOrEqual(9);
  });
});

describe("questions", () => {
  /** So many questions, every second one to b by name; answered by b if they should be. */
  const ask = async (a: Team, count: number, answered: boolean, to: string | null) => {
    await sql(
      `insert into parley.messages (session_id, sequence, posted_by, type, content, kind, expects_reply, addressed_to, reply_to)
      select $1, last + n, 1 + (n + 1) % 2, 'chat', '{"text": "?"}', case n % 2 when 1 then 'question' else 'answer' end, n % 2 = 1,
        case when n % 4 = 1 or $4::text is not null then array[coalesce($4, 'b')] end, case when n % 2 = 0 then last + n - 1 end
      from generate_series(1, $2::integer) n,
        (select coalesce(max(sequence), 0) as last from parley.messages where session_id = $1) as feed
      where $3 or n % 2 = 1`,
      [a.session_id, 2 * count, answered, to],
    );
    await sql(
      "update parley.sessions s set last_sequence = (select max(m.sequence) from parley.messages m where m.session_id = s.id) where id = $1",
      [a.session_id],
    );
  };

  test("whoami reads what is open, not what was ever asked", async () => {
    const a = await calls.create("A");
    const b = await calls.join(a, "b");
    await ask(a, 500, true, null);
    await calls.must("post_message", { session_id: a.ref, content: "Well?", kind: "question" }, a);
    const { answer, rows } = await reading(b, "parley.whoami()");
    expect(answer.open_questions.map(({ text }: { text: string }) => text)).toEqual(["Well?"]);
    expect(rows("messages")).toBeLessThan(30);
    expect(rows("open_questions")).toBe(1);
  });

  test("whoami reads as many open ones as it shows, and none that are put to others", async () => {
    const a = await calls.create("A");
    const b = await calls.join(a, "b");
    await calls.join(a, "c");
    await ask(a, 300, false, "c");
    await calls.must("post_message", { session_id: a.ref, content: "And you?", to: ["b"], kind: "question" }, a);
    const { answer, rows } = await reading(b, "parley.whoami()");
    expect(answer.open_questions.map(({ text }: { text: string }) => text)).toEqual(["And you?"]);
    expect(rows("messages")).toBeLessThan(30);
  });

  test("what is kept as open is what is open, after answers, questions back and goodbyes", async () => {
    const a = await calls.create("A");
    const [b, c] = [await calls.join(a, "b"), await calls.join(a, "c")];
    const post = async (team: Team, args: object) =>
      (await calls.must("post_message", { session_id: a.ref, content: "x", ...args }, team)).cursor;
    const open = [
      await post(a, { kind: "question" }),
      await post(a, { kind: "question", to: ["b", "c"] }),
      await post(a, { kind: "question", to: ["c"] }),
      await post(b, { expects_reply: true, to: ["c"] }),
    ];
    await post(b, { reply_to: open[0], kind: "question" });
    await post(b, { reply_to: open[1] });
    const kept = async () =>
      (await sql("select sequence from parley.open_questions where session_id = $1 order by 1", [a.session_id])).map(
        ({ sequence }) => sequence,
      );
    const truly = async () =>
      (
        await sql(
          "select m.sequence from parley.messages m where m.session_id = $1 and m.expects_reply and parley_private.is_open(m) order by 1",
          [a.session_id],
        )
      ).map(({ sequence }) => sequence);
    expect(await kept()).toEqual(await truly());
    expect(await kept()).toEqual(expect.arrayContaining(open));
    await calls.must("leave_session", { session_id: a.ref }, c);
    expect(await kept()).toEqual(await truly());
    expect(await kept()).not.toEqual(expect.arrayContaining([open[1]]));
    await calls.must("withdraw_question", { session_id: a.ref, message: String(open[0]) }, a);
    expect(await kept()).toEqual(await truly());
  });
});

describe("a session of many teams", () => {
  test("a name that many have is found a handle for by a few looks", async () => {
    const a = await calls.create("Crowd");
    await sql(
      `insert into parley.participants (session_id, id, handle, team_name)
      select $1, n, 'crowd-' || n, 'Crowd' from generate_series(2, 300) n`,
      [a.session_id],
    );
    await sql("analyze parley.participants");
    const { answer, rows } = await rolledBack(database.url("parley_owner"), async (client) => {
      const { rows } = await client.query("select * from parley_private.admit_team($1, 'Crowd')", [a.session_id]);
      const counts = await client.query(
        "select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables where relid = 'parley.participants'::regclass",
      );
      return { answer: rows[0], rows: Number(counts.rows[0].rows) };
    });
    expect(answer.handle).toBe("crowd-301");
    expect(rows).toBeLessThan(50);
  });

  test.each([1, 300])(
    "a call finds its team by the key, though the table was last analysed with %i of them",
    async (known) => {
      const own = await createTestDatabase();
      const caller = connectCallers(own.url("parley_caller"), 1);
      const fill = (from: number, to: number) =>
        connected(own.url(), async (client) => {
          await client.query(
            `insert into parley.participants (session_id, id, handle, team_name)
          select $1, n, 'team-' || n, 'Team' from generate_series($2::integer, $3::integer) n`,
            [a.session_id, from, to],
          );
          if (from === 2) await client.query("analyze");
        });
      const a = await caller.create("Many");
      try {
        await fill(2, known);
        await fill(Math.max(known, 1) + 1, 1_000);
        for (const call of [
          "parley.get_session($)",
          "parley.whoami()",
          "parley.post_message($, '\"Hello\"')",
          "parley_private.note_call(current_setting('parley.team_hash'))",
        ]) {
          const { rows } = await readingIn(own, a, call.replace("$", `'${a.ref}'`));
          expect(rows("participants"), call).toBeLessThan(20);
        }
      } finally {
        await caller.end();
        await own.drop();
      }
    },
  );

  test("the roster looks up settings and waits once, not for each team", async () => {
    const a = await calls.create("Many");
    await sql(
      `insert into parley.participants (session_id, id, handle, team_name)
      select $1, n, 'team-' || n, 'Team' from generate_series(2, 200) n`,
      [a.session_id],
    );
    const functions = await rolledBack(database.url(), async (client) => {
      await client.query("set local track_functions = 'all'");
      await client.query("select parley_private.roster($1, 1)", [a.session_id]);
      return (await client.query("select sum(calls)::integer as calls from pg_stat_xact_user_functions")).rows[0].calls;
    });
    expect(functions).toBeLessThan(10);
  });

  test("of many who listen and work none is compared with all others", async () => {
    const a = await calls.create("Busy");
    const many = 200;
    await sql(
      `insert into parley.participants (session_id, id, handle, team_name)
      select $1, n, 'team-' || n, 'Team' from generate_series(2, $2::integer) n`,
      [a.session_id, many],
    );
    await sql(
      `insert into parley_private.waits (id, session_id, participant_id, since_cursor, expires_at)
      select gen_random_uuid(), $1, n, 0, now() + interval '1 minute' from generate_series(2, $2::integer) n`,
      [a.session_id, many],
    );
    await sql(
      `insert into parley.tasks (session_id, task, title, status, claimed_by, created_by)
      select $1, n, 'T', 'claimed', n, 1 from generate_series(1, $2::integer) n`,
      [a.session_id, many],
    );
    const { answer, rows } = await counted(database.url(), (client) =>
      client.query("select to_json(parley_private.roster($1, 1)) as roster", [a.session_id]),
    );
    const roster = answer[0].roster;
    expect(roster.map(({ tasks }: { tasks: number[] }) => tasks)).toEqual(
      roster.map((_: unknown, i: number) => [i + 1]),
    );
    expect(roster.filter(({ listening }: { listening: boolean }) => listening)).toHaveLength(many - 1);
    expect(rows).toBeLessThan(20 * many);
  });

  test("whoever joins reads it a few times, not once more for each of its liveliest", async () => {
    const own = await createTestDatabase();
    const caller = connectCallers(own.url("parley_caller"), 1);
    const many = 500;
    try {
      const a = await caller.create("Lively");
      await connected(own.url(), async (client) => {
        // Most sessions are small: to the planner this one is, too.
        await client.query(
          `with made as (
            insert into parley.sessions (ref, title, description) select 'small-' || n, 'Small', '' from generate_series(1, 1000) n returning id
          )
          insert into parley.participants (session_id, id, handle, team_name)
          select made.id, n, 'team-' || n, 'Team' from made, generate_series(1, 2) n`,
        );
        await client.query(
          `insert into parley.participants (session_id, id, handle, team_name, last_seen_at)
          select $1, n, 'team-' || n, 'Team', now() + n * interval '1 millisecond' from generate_series(2, $2::integer) n`,
          [a.session_id, many],
        );
        await client.query("analyze");
      });
      const { rows } = await readingIn(own, a, `parley.join_session('${a.ref}', 'Newcomer')`);
      expect(rows("participants")).toBeLessThan(6 * many);
    } finally {
      await caller.end();
      await own.drop();
    }
  });

  test("unread is told by a few rows after many joins", async () => {
    const a = await calls.create("Joined");
    await sql(
      `insert into parley.messages (session_id, sequence, type, content, caused_by)
      select $1, n, 'system', '{"event": "team_joined"}', 1 + n from generate_series(1, 500) n`,
      [a.session_id],
    );
    await sql("update parley.sessions set last_sequence = 500 where id = $1", [a.session_id]);
    const { answer, rows } = await reading(
      a,
      `(select parley_private.unread(p) from parley.participants p where p.session_id = '${a.session_id}' and p.id = 1)`,
    );
    expect(answer).toBe(500);
    expect(rows("messages")).toBeLessThan(10);
  });

  test("who joins has read the roster before it waits for the session, and knows who came and went meanwhile", async () => {
    const a = await calls.create("A");
    const b = await calls.join(a, "b");
    await connected(database.url(), async (other) => {
      await other.query("begin");
      await other.query("select from parley.sessions where id = $1 for no key update", [a.session_id]);
      const joining = calls.must("join_session", { session_id: a.ref, team_name: "d" });
      await until(
        async () =>
          (await sql("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
            .length > 0,
        "the join to wait",
      );
      await answerOf(other as pg.Client, b, "parley.leave_session($1)", [a.ref]);
      await answerOf(other as pg.Client, a, "parley.join_session($1, 'c')", [a.ref]);
      // No event tells of this: a roster that was read under the lock would have it.
      await other.query("update parley.participants set team_name = 'Renamed' where session_id = $1 and id = 1", [
        a.session_id,
      ]);
      await other.query("commit");
      const { participants } = await joining;
      expect(
        participants.map(({ handle, team_name, activity, you }: Record<string, unknown>) => [
          handle,
          team_name,
          activity,
          you,
        ]),
      ).toEqual([
        ["a", "A", "working", false],
        ["b", "b", "left", false],
        ["c", "c", "working", false],
        ["d", "d", "working", true],
      ]);
    });
  });

  test("a hand-off is made when the session is resumed, and read when others join", async () => {
    const a = await calls.create("A");
    for (let n = 0; n < 30; n++)
      await calls.must("append_to_session_doc", { session_id: a.ref, text: "Much to read" }, a);
    await calls.must("conclude_session", { session_id: a.ref, summary_section: "Done." }, a);
    const resumed = await calls.must("resume_session", { session_id: a.ref, team_name: "B" });
    const { answer, rows } = await reading(resumed, `parley.join_session('${resumed.ref}', 'C')`);
    expect(answer.handoff).toEqual(resumed.handoff);
    expect(answer.handoff).toMatchObject({ continues: a.ref, conclusion: "Done." });
    // Its own document is read, for its outline; that of the session before is not.
    expect(rows("doc_patches")).toBeLessThan(5);
  });
});

describe("where some sessions are for members", () => {
  test("nothing is asked about each row that is read", async () => {
    const a = await calls.create("A");
    await sql("update parley.sessions set visibility = 'members' where id = $1", [(await calls.create()).session_id]);
    await sql(
      "insert into parley.tasks (session_id, task, title, created_by) select $1, n, 'T', 1 from generate_series(1, 300) n",
      [a.session_id],
    );
    const { tasks, functions } = await rolledBack(database.url(), async (client) => {
      await client.query("set local track_functions = 'all'");
      await client.query("set local role parley_caller");
      const { tasks } = await answerOf(client, a, "parley.list_tasks($1)", [a.ref]);
      const { rows } = await client.query("select sum(calls)::integer as calls from pg_stat_xact_user_functions");
      return { tasks, functions: rows[0].calls };
    });
    expect(tasks).toHaveLength(300);
    expect(functions).toBeLessThan(100);
  });
});

describe("catching up", () => {
  test("reads what it tells, not what was ever said", async () => {
    const a = await calls.create("A");
    const b = await calls.join(a, "b");
    await sql(
      `insert into parley.messages (session_id, sequence, posted_by, type, content, nth_of_author)
      select $1, 1 + n, 1 + n % 2, 'chat', '{"text": "Said"}', (n + 1) / 2 from generate_series(1, 500) n`,
      [a.session_id],
    );
    await sql("update parley.sessions set last_sequence = 501 where id = $1", [a.session_id]);
    await sql("analyze parley.messages");
    const { answer, rows } = await reading(b, `parley.catch_up('${a.ref}')`);
    expect(answer.teams.map(({ doing }: { doing: string }) => doing)).toEqual(["Said", "Said"]);
    expect(rows("messages")).toBeLessThan(100);
  });
});

test("paths are compared with what is held near them, not with all that is held", async () => {
  const team = await calls.create();
  const other = await calls.join(team);
  await sql(
    `insert into parley.held_paths (session_id, participant_id, path, base)
     select $1, p.id, path, parley_private.path_base(path)
     from generate_series(1, 2000) n
     cross join lateral (select 'packages/p' || n % 50 || '/d' || n || case n % 10 when 0 then '/*.sql' else '/f.ts' end as path) f
     join parley.participants p on p.session_id = $1 and p.handle = $2`,
    [team.session_id, other.handle],
  );
  await sql("analyze parley.held_paths");
  const wanted = Array.from({ length: 20 }, (_, i) => `packages/p${i}/d${i}/g${i % 4 ? "" : "*"}.ts`);
  const { answer, rows } = await reading(team, `parley.claim_paths('${team.ref}', '{${wanted}}')`);
  expect(answer.claimed).toHaveLength(20);
  // All of them twice: whose time is over, and how many are patterns.
  expect(rows("held_paths")).toBeLessThan(2.1 * 2_000);
});

describe("the sweep", () => {
  test("is one statement for all sessions, a thousand teams at a time", async () => {
    await sql(
      `with made as (
        insert into parley.sessions (ref, title, description) select 'swept-' || n, 'S', '' from generate_series(1, 600) n returning id
      )
      insert into parley.participants (session_id, id, handle, team_name, last_seen_at)
      select id, n, 'team-' || n, 'T', now() - interval '1 hour' from made, generate_series(1, 2) n`,
    );
    const { first, calls: functions } = await rolledBack(database.url(), async (client) => {
      await client.query("set local track_functions = 'all'");
      const { rows } = await client.query("select parley_private.sweep_presence() as changed");
      const counted = await client.query(
        "select coalesce(sum(calls), 0)::integer as calls from pg_stat_xact_user_functions where funcname in ('presence', 'is_listening', 'setting')",
      );
      return { first: rows[0].changed, calls: counted.rows[0].calls };
    });
    expect(first).toBe(1_000);
    expect(functions).toBeLessThan(5);
    let changed = 0;
    for (let last = 1_000; last === 1_000; changed += last)
      last = (await sql("select parley_private.sweep_presence() as changed"))[0].changed;
    expect(changed).toBeGreaterThanOrEqual(1_200);
    expect(
      await sql(
        "select from parley.participants where handle like 'team-%' and team_name = 'T' and known_status <> 'disconnected'",
      ),
    ).toEqual([]);
  });
});

describe("a document", () => {
  test("no version of it takes more than 64 KiB to put together, or a hundred pieces", async () => {
    const a = await calls.create();
    const write = (text: string) => calls.must("append_to_session_doc", { session_id: a.ref, text }, a);
    for (let n = 0; n < 40; n++) await write(`${n} ${"x".repeat(5_000)}`);
    await write("y".repeat(90_000));
    for (let n = 0; n < 110; n++) await write(`${n}`);
    const [{ most, pieces, wrong }] = await sql(
      `with runs as (
        select *, (select max(k.version) from parley_private.doc_patches k
          where k.session_id = d.session_id and k.version <= d.version and k.key_frame) as key
        from parley_private.doc_patches d where d.session_id = $1
      ), sums as (
        select version - key as pieces, bytes_to_apply,
          sum(case when key_frame then 0 else length(inserted) end) over (partition by key order by version) as bytes
        from runs
      )
      select max(bytes)::integer as most, max(pieces)::integer as pieces, count(*) filter (where bytes <> bytes_to_apply)::integer as wrong from sums`,
      [a.session_id],
    );
    expect(most).toBeLessThanOrEqual(65_536);
    expect(most).toBeGreaterThan(55_000);
    expect(pieces).toBe(99);
    expect(wrong).toBe(0);
    const { content } = await calls.must("read_session_doc", { session_id: a.ref }, a);
    expect(content.startsWith("0 xxx")).toBe(true);
    expect(content.endsWith("109")).toBe(true);
  });
});

describe("a transcript", () => {
  test("of ten thousand events reads no more for its newest page than one of a hundred", async () => {
    const a = await calls.create();
    await sql(
      `insert into parley.runs (session_id, run, participant_id, agent, status, alive_until, last_event)
       values ($1, 1, 1, 'claude', 'working', 'infinity', 10000)`,
      [a.session_id],
    );
    await sql(
      `insert into parley.run_events (session_id, run, event, kind, title, text)
       select $1, 1, n, 'tool', 'Read ' || n, repeat('x', 500) from generate_series(1, 10000) n`,
      [a.session_id],
    );
    const { answer, rows } = await reading(a, `parley.get_transcript('${a.ref}', '${a.handle}')`);
    expect(answer.events).toHaveLength(50);
    expect(answer.events.at(-1)).toMatchObject({ event: 10_000, title: "Read 10000" });
    expect(rows("run_events")).toBe(50);
    expect(rows("runs")).toBeLessThanOrEqual(2);
  });
});
