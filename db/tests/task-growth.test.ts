import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { type Calls, connectCallers, type Team } from "./calls.ts";
import { reading } from "./reading.ts";

const MANY = 12_000;

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
const at = (team: Team, args: object = {}) => ({ session_id: team.ref, ...args });

/** What is kept of the work is what would be counted, and each task knows whether it waits. */
async function isTrue(team: Team) {
  const kept = await sql(
    "select kind, number from parley.task_counts where session_id = $1 and number <> 0 order by kind",
    [team.session_id],
  );
  const counted = await sql(
    `select case status when 'open' then readiness else status end as kind, count(*)::integer as number
     from parley.tasks where session_id = $1 group by 1 order by 1`,
    [team.session_id],
  );
  expect(kept).toEqual(counted);
  const wrong = await sql(
    `select t.task, t.readiness from parley.tasks t
     where t.session_id = $1 and t.readiness <> (
       select case when count(*) filter (where n.status not in ('done', 'dropped')) > 0 then 'waiting'
         when count(*) filter (where n.status = 'done' and n.proof not in ('verified', 'stale')) > 0 then 'unverified'
         else 'ready' end
       from parley.tasks n where n.session_id = t.session_id and n.task = any (t.depends_on))`,
    [team.session_id],
  );
  expect(wrong).toEqual([]);
}

describe("beside a backlog of thousands", () => {
  let team: Team;

  // The first half waits for its last; of the other half most is done.
  beforeAll(async () => {
    team = await calls.create();
    await sql(
      `insert into parley.tasks (session_id, task, title, status, proof, result, done_by, depends_on, created_by)
       select $1, n, 'Task ' || n, case when done then 'done' else 'open' end, case when done then 'reported' end,
         case when done then 'Done.' end, case when done then 1 end, case when n <= $2 / 2 then array[$2] else '{}' end, 1
       from generate_series(1, $2::integer) n cross join lateral (select n between $2 / 2 + 1 and $2 - 50 as done) d`,
      [team.session_id, MANY],
    );
    await sql("analyze parley.tasks, parley.task_counts");
    await isTrue(team);
  });

  const work = { open: 50, blocked: MANY / 2, claimed: 0, done: MANY / 2 - 50, dropped: 0 };

  test.each([
    ["whoami()", ({ work }: { work: object }) => work],
    ["get_digest($)", ({ work }: { work: object }) => work],
    ["catch_up($)", ({ tasks }: { tasks: { work: object } }) => tasks.work],
  ])("%s tells the state of the work without reading it", async (verb, workOf) => {
    const { answer, rows } = await reading(database, team, `parley.${verb.replace("$", `'${team.ref}'`)}`);
    expect(workOf(answer)).toEqual(work);
    expect(rows("tasks")).toBeLessThan(60);
    expect(rows("task_counts")).toBeLessThan(30);
  });

  test("the next one is found behind all that wait", async () => {
    const { answer, rows } = await reading(database, team, `parley.claim_task('${team.ref}')`);
    expect(answer.task).toBe(MANY - 49);
    expect(rows("tasks")).toBeLessThan(30);
  });

  test("a list is read ten thousand at a time", async () => {
    const { answer, rows } = await reading(database, team, `parley.list_tasks('${team.ref}')`);
    expect(answer.tasks).toHaveLength(10_000);
    expect(answer).toMatchObject({ ...work, next_after: 10_000 });
    // Each of these waits for one that is looked up.
    expect(rows("tasks")).toBeLessThan(20_000);
    const rest = await calls.must("list_tasks", at(team, { after: 11_500 }), team);
    expect(rest.tasks.map(({ task }: { task: number }) => task)).toEqual(
      Array.from({ length: MANY - 11_500 }, (_, i) => 11_501 + i),
    );
    expect(rest.next_after).toBeNull();
  });

  test("of one status it is found behind all others", async () => {
    const { tasks, next_after } = await calls.must("list_tasks", at(team, { status: "open" }), team);
    expect(tasks.map(({ task }: { task: number }) => task)).toEqual(
      Array.from({ length: 50 }, (_, i) => MANY - 49 + i),
    );
    expect(next_after).toBeNull();
  });

  test("what waits for a task is free when it is done, all of it at once", async () => {
    await calls.must("update_task", at(team, { task: MANY, status: "done", result: "Done." }), team);
    await isTrue(team);
    const { work: now } = await calls.must("whoami", {}, team);
    expect(now).toMatchObject({ open: 49 + MANY / 2, blocked: 0 });
    expect((await calls.must("claim_task", at(team), team)).task).toBe(1);
  });
});

test("what is kept of the work is true after everything that moves it", async () => {
  const a = await calls.create("A");
  const b = await calls.join(a, "B");
  const verb = async (team: Team, name: string, args: object = {}) => {
    await calls.must(name, at(a, args), team);
    await isTrue(a);
  };
  // Tasks of one call that wait for each other, forwards too.
  await verb(a, "add_tasks", {
    tasks: [{ title: "1", depends_on: ["+2"] }, "2", { title: "3", depends_on: ["+1", "+2"] }, "4"],
  });
  await verb(b, "claim_task", { task: 2 });
  await verb(b, "update_task", { task: 2, status: "done", result: "Done." });
  await verb(a, "verify_task", { task: 2, passed: true });
  await verb(a, "update_task", { task: 2, status: "open" });
  await verb(a, "update_task", { task: 1, depends_on: [] });
  await verb(a, "update_task", { task: 4, depends_on: [2, 3] });
  await verb(a, "update_task", { task: 2, status: "dropped" });
  await verb(a, "claim_task", { task: 1 });
  await verb(a, "update_task", { task: 1, status: "blocked", result: "No key." });
  await verb(b, "update_task", { task: 3, priority: 7 });
  await verb(b, "claim_task", { task: 1 }).catch(() => undefined);
  await verb(a, "update_task", { task: 1, status: "dropped" });
  await verb(b, "claim_task", { task: 3 });
  await verb(b, "leave_session");
  await verb(a, "claim_task", { task: 3 });
  await verb(a, "conclude_session", { summary_section: "Over." });
  const next = await calls.must("resume_session", { session_id: a.ref, team_name: "C" });
  await isTrue(next);
  // By hand, too.
  await sql(
    "update parley.tasks set status = 'done', proof = 'reported', result = 'x' where session_id = $1 and task = 1",
    [next.session_id],
  );
  await isTrue(next);
  await sql("delete from parley.tasks where session_id = $1 and task = 2", [next.session_id]);
  await isTrue(next);
});

test("whether done is enough is asked when a task is, not before", async () => {
  const a = await calls.create("A");
  const b = await calls.join(a, "B");
  await calls.must("add_tasks", at(a, { tasks: ["1", { title: "2", depends_on: ["+1"] }] }), a);
  await calls.must("claim_task", at(a, { task: 1 }), a);
  await calls.must("update_task", at(a, { task: 1, status: "done", result: "Done." }), a);
  const state = async () => {
    const { work } = await calls.must("whoami", {}, b);
    const { tasks } = await calls.must("list_tasks", at(a), b);
    const { tasks: short } = await calls.must("catch_up", at(a), b);
    return [work.open, work.blocked, tasks[1].status, tasks[1].blocked_by, short.open.length, short.blocked.length];
  };
  expect(await state()).toEqual([1, 0, "open", [], 1, 0]);
  await sql("update parley.settings set value = 'true' where name = 'verified_only'");
  expect(await state()).toEqual([0, 1, "blocked", [1], 0, 1]);
  expect((await calls.must("claim_task", at(a), b)).task).toBeNull();
  await calls.must("verify_task", at(a, { task: 1, passed: true }), b);
  expect(await state()).toEqual([1, 0, "open", [], 1, 0]);
  expect((await calls.must("claim_task", at(a), b)).task).toBe(2);
  await sql("update parley.settings set value = 'false' where name = 'verified_only'");
});

test("a session that is removed takes its counts along", async () => {
  const a = await calls.create("A");
  await calls.must("add_tasks", at(a, { tasks: ["1"] }), a);
  await connected(database.url("parley_owner"), (client) =>
    client.query("select parley_private.remove_session($1, 'for a test')", [a.session_id]),
  );
  expect(await sql("select from parley.task_counts where session_id = $1", [a.session_id])).toEqual([]);
});
