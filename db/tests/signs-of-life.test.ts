import type pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashSecret } from "../../api/http/caller.ts";
import { connected, createTestDatabase, rolledBack, type TestDatabase } from "../../testing/postgres.ts";
import { type Calls, connectCallers, type Team } from "./calls.ts";

let database: TestDatabase;
let calls: Calls;
let team: Team;
let other: Team;

beforeAll(async () => {
  database = await createTestDatabase();
  calls = connectCallers(database.url("parley_caller"), 2);
});
beforeEach(async () => {
  team = await calls.create();
  other = await calls.join(team);
});
afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

const asOwner = <T>(work: (client: pg.Client) => Promise<T>) => connected(database.url("parley_owner"), work);
const silentFor = (seconds: number, status = "disconnected") =>
  asOwner((client) =>
    client.query(
      `update parley.participants set last_seen_at = clock_timestamp() - $3 * interval '1 second', known_status = $4
       where session_id = $1 and handle = $2`,
      [team.session_id, team.handle, seconds, status],
    ),
  );
/** What the other team sees of the first one. */
const seen = async () => {
  const { participants } = await calls.must("list_participants", { session_id: other.ref }, other);
  const { status, activity } = participants[0];
  return { status, activity };
};
const end = "select topics from parley_private.end_call(case when parley_private.begin_call($1, '') then";

describe("every call of a team is a sign of life", () => {
  const all: [string, object][] = [
    ["get_session", {}],
    ["list_participants", {}],
    ["get_history", {}],
    ["get_message", { message_id: "1" }],
    ["read_session_doc", {}],
    ["get_digest", {}],
    ["whoami", {}],
    ["search", { query: "hello" }],
    ["post_message", { content: "hello" }],
    ["append_to_session_doc", { text: "hello" }],
    ["ack_messages", { through_cursor: 1 }],
    ["sync", {}],
    ["wait_for_messages", { timeout: 0 }],
    ["wait_for_reply", { message_id: "1", timeout: 0 }],
  ];
  test.each(all)("%s", async (verb, args) => {
    await silentFor(700);
    expect(await seen()).toEqual({ status: "disconnected", activity: "silent" });
    calls.topics.splice(0);
    await calls.must(verb, { session_id: team.ref, ...args }, team);
    expect(calls.topics).toContain(`roster ${team.session_id}`);
    expect(await seen()).toEqual({ status: "active", activity: "working" });
  });

  test("a team that posts every seven seconds is never idle", async () => {
    for (let i = 0; i < 3; i++) {
      await silentFor(7, "active");
      await calls.must("post_message", { session_id: team.ref, content: "hello" }, team);
      await silentFor(9, "active");
      expect(await seen()).toEqual({ status: "active", activity: "working" });
    }
  });

  test("a burst of calls is written once, and tells nobody anything", async () => {
    await calls.must("get_session", { session_id: team.ref }, team);
    const row = async () =>
      (
        await asOwner((client) =>
          client.query("select ctid from parley.participants where session_id = $1", [team.session_id]),
        )
      ).rows;
    const before = await row();
    calls.topics.splice(0);
    for (let i = 0; i < 5; i++) await calls.must("get_session", { session_id: team.ref }, team);
    expect([await row(), calls.topics]).toEqual([before, []]);
  });

  test("not one of a team that has left, and not one with another's name", async () => {
    await calls.must("leave_session", { session_id: team.ref }, team);
    await calls.call("get_session", { session_id: team.ref }, team);
    expect(await seen()).toEqual({ status: "disconnected", activity: "left" });
    await calls.call("get_session", { session_id: team.ref }, `pt_${"x".repeat(43)}`);
    await calls.call("get_session", { session_id: team.ref });
  });
});

test("a call waits for nobody who holds the row of its team", async () => {
  await silentFor(700);
  await asOwner(async (client) => {
    await client.query("begin");
    await client.query("select from parley.participants where session_id = $1 for update", [team.session_id]);
    for (const verb of ["get_session", "list_participants", "whoami", "get_history"])
      await calls.must(verb, { session_id: team.ref }, team);
    await client.query("rollback");
  });
  expect(await seen()).toEqual({ status: "disconnected", activity: "silent" });
});

test("a call that only reads asks for no flush to disk, one that writes does", async () => {
  await silentFor(700);
  const flushAfter = (call: string) =>
    rolledBack(database.url("parley_caller"), async (client) => {
      await client.query("set local synchronous_commit = on");
      await client.query(`${end} to_json(${call}) end)`, [hashSecret(team.team_id)]);
      const { rows } = await client.query("show synchronous_commit");
      return rows[0].synchronous_commit;
    });
  expect(await flushAfter(`parley.get_session('${team.ref}')`)).toBe("off");
  expect(await flushAfter(`parley.post_message('${team.ref}', '"hello"')`)).toBe("on");
});

describe("activity", () => {
  test.each([
    [0, "working"],
    [599, "working"],
    [601, "silent"],
  ])("%d seconds after its last call a team is %s", async (seconds, activity) => {
    await silentFor(seconds);
    expect((await seen()).activity).toBe(activity);
  });

  test("is listening while a wait is in flight, however long", async () => {
    await asOwner((client) =>
      client.query(
        `insert into parley_private.waits (id, session_id, participant_id, since_cursor, expires_at)
         values (gen_random_uuid(), $1, 1, 0, clock_timestamp() + interval '30 seconds')`,
        [team.session_id],
      ),
    );
    await silentFor(700);
    expect(await seen()).toEqual({ status: "active", activity: "listening" });
  });

  test("has its threshold from the setting, and is in the digest", async () => {
    await silentFor(60);
    await rolledBack(database.url(), async (client) => {
      await client.query("update parley.settings set value = '30' where name = 'working_seconds'");
      const { rows } = await client.query(
        "select t.activity from parley.sessions s, unnest((parley_private.digest(s, 0, 0)).teams) t where s.id = $1",
        [team.session_id],
      );
      expect(rows).toEqual([{ activity: "silent" }, { activity: "working" }]);
    });
  });
});
