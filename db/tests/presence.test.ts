import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashSecret } from "../../api/http/caller.ts";
import { connected, createTestDatabase, rolledBack, type TestDatabase } from "../../testing/postgres.ts";
import { until } from "../../testing/server.ts";
import { type Calls, connectCallers, type Team } from "./calls.ts";

let database: TestDatabase;
let calls: Calls;
let team: Team;

beforeAll(async () => {
  database = await createTestDatabase();
  calls = connectCallers(database.url("parley_caller"), 2);
});

beforeEach(async () => {
  team = await calls.create();
});

afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

/** The status of the team so many seconds after it was last seen. */
async function statusAfter(seconds: number, client: pg.Client | pg.Pool = calls.pool): Promise<string> {
  const { rows } = await client.query(
    `select parley_private.presence(p, p.last_seen_at + $2 * interval '1 second') as status
     from parley.participants p where p.session_id = $1`,
    [team.session_id, seconds],
  );
  return rows[0].status;
}

/** A wait that is in flight: its lease is there, its answer is not. */
async function hold(timeout: number): Promise<string> {
  const id = randomUUID();
  const { rows } = await calls.pool.query(
    `select held::json ->> 'topic' as topic from parley_private.end_call(case when parley_private.begin_call($1, '', $2)
       then to_json(parley.wait_for_messages($3, timeout => $4)) end)`,
    [hashSecret(team.team_id), id, team.ref, timeout],
  );
  expect(rows).toEqual([{ topic: `feed ${team.session_id}` }]);
  return id;
}

const giveUp = (id: string) => calls.pool.query("select parley_private.answer_waits(array[$1::uuid], true)", [id]);

async function entry(): Promise<{ status: string; listening: boolean }> {
  const { participants } = await calls.must("list_participants", { session_id: team.ref }, team);
  const { status, listening } = participants[0];
  return { status, listening };
}

describe("a status is a matter of time", () => {
  test.each([
    [0, "active"],
    [10, "active"],
    [10.001, "idle"],
    [60, "idle"],
    [60.001, "disconnected"],
    [86_400, "disconnected"],
  ])("%d seconds after it was last seen, a team is %s", async (seconds, status) => {
    expect(await statusAfter(seconds)).toBe(status);
  });

  test("a team that has just come counts from then, and a wait is seen again", async () => {
    const { rows } = await calls.pool.query(
      "select last_seen_at = joined_at as fresh from parley.participants where session_id = $1",
      [team.session_id],
    );
    expect(rows).toEqual([{ fresh: true }]);
    await seenBefore(300);
    expect(await entry()).toEqual({ status: "disconnected", listening: false });
    await calls.must("wait_for_messages", { session_id: team.ref, timeout: 0 }, team);
    expect(await entry()).toEqual({ status: "active", listening: false });
  });

  test("a team that has left is disconnected, however lately it was seen", async () => {
    await hold(30);
    await calls.must("leave_session", { session_id: team.ref }, team);
    expect(await statusAfter(0)).toBe("disconnected");
  });
});

describe("a wait in flight is a lease", () => {
  test("it counts as active until it expires by itself", async () => {
    await hold(30);
    expect(await entry()).toEqual({ status: "active", listening: true });
    expect(await statusAfter(30)).toBe("active");
    expect(await statusAfter(40)).toBe("idle");
    expect(await statusAfter(61)).toBe("disconnected");
  });

  test("it ends with its own wait, and only with that", async () => {
    const [first, second] = [await hold(30), await hold(30)];
    await giveUp(first);
    expect(await entry()).toEqual({ status: "active", listening: true });
    expect(await statusAfter(30)).toBe("active");
    await giveUp(second);
    expect(await entry()).toEqual({ status: "active", listening: false });
    expect(await statusAfter(30)).toBe("idle");
  });

  test("it ends when the client has gone, and the team was seen until then", async () => {
    const id = await hold(30);
    await seenBefore(300);
    await calls.pool.query("select parley_private.abandon_waits(array[$1::uuid])", [id]);
    expect(await entry()).toEqual({ status: "active", listening: false });
    expect(await statusAfter(30)).toBe("idle");
  });

  test("the time that counts after a wait begins with its end", async () => {
    const id = await hold(30);
    await seenBefore(300);
    await giveUp(id);
    expect(await entry()).toEqual({ status: "active", listening: false });
  });
});

describe("the sweep announces what time alone has changed", () => {
  let listener: pg.Client;
  let heardSoFar: string[];

  beforeEach(async () => {
    await sweep(1_000_000);
    heardSoFar = [];
    listener = new pg.Client({ connectionString: database.url("parley_caller") });
    listener.on("notification", ({ payload = "" }) => heardSoFar.push(payload));
    await listener.connect();
    await listener.query("listen parley");
  });

  afterEach(() => listener.end());

  /** What was announced since the last look: notifications come in commit order, so a mark ends them. */
  async function heard(): Promise<string[]> {
    const mark = `mark ${randomUUID()}`;
    await calls.pool.query("select pg_notify('parley', $1)", [mark]);
    await until(() => heardSoFar.includes(mark), "the mark");
    return [...heardSoFar.splice(0).filter((payload) => payload !== mark), ...calls.topics.splice(0)];
  }

  /** Runs the sweep as it will run so many seconds from now. */
  async function sweep(seconds: number): Promise<number> {
    return connected(database.url("parley_worker"), async (client) => {
      const { rows } = await client.query(
        "select parley_private.sweep_presence(clock_timestamp() + $1 * interval '1 second') as changed",
        [seconds],
      );
      return rows[0].changed;
    });
  }

  async function known(): Promise<string> {
    const { rows } = await calls.pool.query("select known_status from parley.participants where session_id = $1", [
      team.session_id,
    ]);
    return rows[0].known_status;
  }

  test("each change once, in the session that it concerns", async () => {
    team = await calls.create();
    const roster = `roster ${team.session_id}`;
    await heard();
    const steps: [number, number, string][] = [
      [5, 0, "active"],
      [20, 1, "idle"],
      [30, 0, "idle"],
      [70, 1, "disconnected"],
      [80, 0, "disconnected"],
    ];
    for (const [seconds, changed, status] of steps) {
      expect([seconds, await sweep(seconds), await known(), await heard()]).toEqual([
        seconds,
        changed,
        status,
        changed ? [roster] : [],
      ]);
    }
  });

  test("only the teams that have changed", async () => {
    team = await calls.create();
    await hold(30);
    const other = await calls.create();
    await heard();
    expect(await sweep(20)).toBe(1);
    expect(await heard()).toEqual([`roster ${other.session_id}`]);
    expect(await known()).toBe("active");
  });

  test("the return of a team is announced by its wait", async () => {
    team = await calls.create();
    await sweep(70);
    await heard();
    await calls.must("wait_for_messages", { session_id: team.ref, timeout: 0 }, team);
    expect(await heard()).toEqual([`roster ${team.session_id}`]);
    expect(await known()).toBe("active");
  });

  test("waits that change no status are not announced", async () => {
    team = await calls.create();
    await calls.must("post_message", { session_id: team.ref, content: "hello" }, team);
    await heard();
    for (const since_cursor of [0, 1, 1]) {
      await calls.must("wait_for_messages", { session_id: team.ref, since_cursor, timeout: 0 }, team);
      await calls.must("wait_for_messages", { session_id: team.ref, since_cursor, timeout: 30 }, team);
    }
    await giveUp(await hold(30));
    expect(await heard()).toEqual([]);
  });

  test("a team that leaves is announced at once, and not again by the sweep", async () => {
    team = await calls.create();
    await heard();
    await calls.must("leave_session", { session_id: team.ref }, team);
    expect(await heard()).toEqual(expect.arrayContaining([`roster ${team.session_id}`, `feed ${team.session_id}`]));
    expect(await sweep(70)).toBe(0);
    expect(await heard()).toEqual([]);
  });

  test("leases are forgotten a minute after they expired, not before", async () => {
    team = await calls.create();
    const id = await hold(30);
    const leases = () =>
      connected(database.url("parley_owner"), async (client) => {
        const { rowCount } = await client.query("select from parley_private.waits where id = $1", [id]);
        return rowCount;
      });
    await sweep(90);
    expect(await leases()).toBe(1);
    await sweep(100);
    expect(await leases()).toBe(0);
  });
});

describe("settings", () => {
  const set = (client: pg.Client, name: string, value: string) =>
    client.query("update parley.settings set value = $2 where name = $1", [name, value]);

  test("new thresholds apply at once", async () => {
    await rolledBack(database.url(), async (client) => {
      await set(client, "presence_idle_seconds", "300");
      expect(await statusAfter(61, client)).toBe("idle");
      await set(client, "presence_active_seconds", "100");
      expect(await statusAfter(61, client)).toBe("active");
      await client.query(
        "update parley.settings set value = case name when 'presence_active_seconds' then '1' else '2' end::jsonb where name like 'presence%'",
      );
      expect(await statusAfter(1.5, client)).toBe("idle");
      expect(await statusAfter(2.5, client)).toBe("disconnected");
    });
    expect(await statusAfter(61)).toBe("disconnected");
  });

  test.each([
    ["presence_active_seconds", '"ten"'],
    ["presence_active_seconds", "1.5"],
    ["presence_active_seconds", "0"],
    ["presence_active_seconds", "-1"],
    ["presence_active_seconds", "3601"],
    ["presence_active_seconds", "1e400"],
    ["presence_active_seconds", "true"],
    ["presence_active_seconds", "null"],
    ["presence_active_seconds", "[10]"],
    ["presence_active_seconds", "60"],
    ["presence_idle_seconds", "10"],
    ["presence_idle_seconds", "9"],
    ["presence_idle_seconds", "86401"],
    ["title_max", "0"],
    ["title_max", "1001"],
    ["wait_max_seconds", "51"],
    ["doc_max_bytes", "1023"],
    ["mcp_url", '"ftp://parley.example.com"'],
    ["mcp_url", '"parley.example.com/mcp"'],
    ["mcp_url", '"https://"'],
    ["mcp_url", '"https://parley.example.com/m cp"'],
    ["mcp_url", '"https://parley.example.com/mcp?team=pt_1"'],
    ["mcp_url", "7"],
  ])("%s may not be %s, and the refusal names it", async (name, value) => {
    await rolledBack(database.url(), async (client) => {
      const refusal: pg.DatabaseError = await set(client, name, value).then(
        () => undefined,
        (error) => error,
      );
      expect(refusal).toMatchObject({ code: "PT400", message: expect.stringContaining(name) });
      expect(JSON.parse(refusal.detail ?? "{}")).toMatchObject({ code: "invalid_argument", details: { field: name } });
    });
  });

  test.each([
    ["presence_active_seconds", "59"],
    ["presence_idle_seconds", "11"],
    ["title_max", "100.0"],
    ["presence_idle_seconds", "1e2"],
    ["mcp_url", '""'],
    ["mcp_url", '"https://parley.example.com:8443/team/mcp"'],
  ])("%s may be %s, and the server goes on", async (name, value) => {
    await rolledBack(database.url(), async (client) => {
      await set(client, name, value);
      await client.query("set local role parley_caller");
      expect(await statusAfter(0, client)).toBe("active");
      const { rows } = await client.query("select (parley.create_session('T', '', 'N')).url");
      expect(rows[0].url).toMatch(
        value.includes("example") ? /^https:\/\/parley.example.com:8443\/team\/s\// : /^\/s\//,
      );
    });
  });
});

function seenBefore(seconds: number): Promise<unknown> {
  return connected(database.url("parley_owner"), (client) =>
    client.query(
      "update parley.participants set last_seen_at = last_seen_at - $2 * interval '1 second' where session_id = $1",
      [team.session_id, seconds],
    ),
  );
}
