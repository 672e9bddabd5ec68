import type pg from "pg";
import { connected } from "../../testing/postgres.ts";
import type { Answer, Calls, Team } from "./calls.ts";
import { type Race, testRaces, WITHOUT_LOCK } from "./guarded-races.ts";
import { assemble, feedOf, race, settle, shuffled } from "./races.ts";

const at = (team: Team, args: object = {}) => ({ session_id: team.session_id, ...args });
const add = (calls: Calls, team: Team, tasks: unknown[]) => calls.must("add_tasks", at(team, { tasks }), team);
const taskOf = async (calls: Calls, team: Team, task: number) =>
  (await calls.must("list_tasks", at(team, { task }), team)).tasks[0];

async function claimAll(calls: Calls, team: Team): Promise<number[]> {
  const got: number[] = [];
  for (;;) {
    const { task } = await calls.must("claim_task", at(team), team);
    if (task === null) return got;
    got.push(task);
  }
}

/** As if nothing had been heard of the team for an hour. */
const silence = (client: pg.Client, { session_id, handle }: Team) =>
  client.query(
    "update parley.participants set last_seen_at = now() - interval '1 hour' where session_id = $1 and handle = $2",
    [session_id, handle],
  );

/** Who counts the tasks locks the counts, which alone would let no two change what they depend on at once. */
const WITHOUT_LOCK_OR_COUNTS = [
  ...WITHOUT_LOCK,
  {
    file: "tables/task_counts.sql",
    line: `create trigger _100_count_update after update on parley.tasks
  referencing old table as was new table as changed for each statement execute function parley_private.tg_tasks__count();`,
    instead: "",
  },
];

const races: Race[] = [
  {
    name: "fifty teams that take two hundred tasks get each of them once, and leave none",
    rounds: 3,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const teams = await assemble(calls, 50);
        const [convener] = teams;
        for (let n = 0; n < 2; n++)
          await add(
            calls,
            convener,
            Array.from({ length: 100 }, (_, i) => `Task ${i}`),
          );
        const got = (await Promise.all(teams.map((team) => claimAll(calls, team)))).flat();
        const twice = got.length - new Set(got).size;
        referee.check(twice === 0, `${twice} tasks were claimed twice`);
        referee.check(new Set(got).size === 200, `${200 - new Set(got).size} tasks were left`);
        const told = (await feedOf(calls, convener)).filter(({ event }) => event === "task_claimed");
        referee.check(told.length === 200, `${told.length} claims were told`);
        referee.saw(`${got.length}`);
      }),
    outcomes: ["200"],
    guard: WITHOUT_LOCK,
    violation: /claimed twice/,
  },
  {
    name: "a lease that runs out while its holder finishes: one of them wins, and the other is told",
    rounds: 150,
    run: (calls, rounds, database) =>
      connected(database.url(), (client) =>
        race(rounds, async (referee) => {
          const [convener, holder, other] = (await assemble(calls, 3)) as [Team, Team, Team];
          await add(calls, convener, ["One"]);
          await calls.must("claim_task", at(convener, { task: 1 }), holder);
          await silence(client, holder);
          const finish = { task: 1, status: "done", result: "Done." };
          const answers: { finished?: Answer; taken?: Answer } = {};
          await Promise.all(
            shuffled([
              () =>
                client
                  .query("select parley_private.sweep_claims()")
                  .catch((error) => referee.check(false, `the sweep: ${error.message}`)),
              async () => {
                answers.finished = await calls.call("update_task", at(holder, finish), holder);
              },
              async () => {
                answers.taken = await calls.call("claim_task", at(other), other);
              },
            ]).map((act) => act()),
          );
          const { finished, taken } = answers as { finished: Answer; taken: Answer };
          settle(referee, [finished], "200", "403 not_your_task");
          settle(referee, [taken], "200");
          const won = [finished.status === 200 && "holder", taken.body.task === 1 && "other"].filter(Boolean);
          referee.check(won.length === 1, `won: ${won.join(" and ") || "nobody"}`);
          const { status, done_by, claimed_by } = await taskOf(calls, convener, 1);
          const whose = won[0] === "holder" ? `done ${holder.handle} null` : `claimed null ${other.handle}`;
          const found = `${status} ${done_by} ${claimed_by}`;
          referee.check(found === whose, `${won[0]} has won, but it is ${found}`);
          if (finished.status === 403)
            referee.check(finished.body.details.by === other.handle, `told that it is ${finished.body.details.by}'s`);
          referee.saw(String(won[0]));
        }),
      ),
    outcomes: ["holder", "other"],
    guard: WITHOUT_LOCK,
    violation: /won: holder and other|has won, but it is|the sweep: deadlock/,
  },
  {
    name: "two updates at once close no circle",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [convener, other] = (await assemble(calls, 2)) as [Team, Team];
        await add(calls, convener, ["One", "Two", "Three"]);
        const depend = (team: Team, task: number, depends_on: number[]) =>
          calls.call("update_task", at(team, { task, depends_on }), team);
        const answers = await Promise.all([depend(convener, 1, [2]), depend(other, 2, [3]), depend(convener, 3, [1])]);
        const made = settle(referee, answers, "200", "400 circular_dependency");
        referee.check(made.length === 2, `${made.length} dependencies made a circle`);
        const { tasks } = await calls.must("list_tasks", at(convener), convener);
        const needs = (tasks as { depends_on: number[] }[]).flatMap(({ depends_on }) => depends_on);
        referee.check(
          needs.length === made.length,
          `${needs.length} dependencies are there, ${made.length} were acknowledged`,
        );
      }),
    outcomes: ["200", "400 circular_dependency"],
    guard: WITHOUT_LOCK_OR_COUNTS,
    violation: /3 dependencies made a circle/,
  },
  {
    name: "of claims on paths that overlap, made at once, one succeeds",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const teams = await assemble(calls, 4);
        const wanted = shuffled([["src/"], ["src/*.ts", "docs/"], ["src/a.ts"], ["docs/x", "src/**/a.ts"]]);
        const answers = await Promise.all(
          teams.map((team, n) => calls.call("claim_paths", at(team, { paths: wanted[n] }), team)),
        );
        const made = settle(referee, answers, "200", "409 already_claimed");
        referee.check(made.length === 1, `${made.length} teams hold what overlaps`);
        const { paths } = await calls.must("list_paths", at(teams[0]), teams[0]);
        const holders = new Set((paths as { claimed_by: string }[]).map(({ claimed_by }) => claimed_by));
        referee.check(holders.size === made.length, `${holders.size} teams hold, ${made.length} were told so`);
        const winner = answers.findIndex(({ status }) => status === 200);
        referee.check(paths.length === wanted[winner]?.length, `${paths.length} paths of ${wanted[winner]?.length}`);
      }),
    outcomes: ["200", "409 already_claimed"],
    guard: WITHOUT_LOCK,
    violation: /[234] teams hold what overlaps/,
  },
  {
    name: "a task and a path that it needs, claimed at once, go to one team",
    rounds: 200,
    run: (calls, rounds) =>
      race(rounds, async (referee) => {
        const [convener, one, other] = (await assemble(calls, 3)) as [Team, Team, Team];
        await add(calls, convener, [{ title: "One", paths: ["src/api/"] }]);
        const [task, paths] = (await Promise.all([
          calls.call("claim_task", at(one), one),
          calls.call("claim_paths", at(other, { paths: ["src/**"] }), other),
        ])) as [Answer, Answer];
        settle(referee, [task], "200");
        settle(referee, [paths], "200", "409 already_claimed");
        const won = [task.body.task === 1 && "task", paths.status === 200 && "paths"].filter(Boolean);
        referee.check(won.length === 1, `won: ${won.join(" and ") || "nobody"}`);
        referee.saw(String(won[0]));
      }),
    outcomes: ["task", "paths"],
    guard: WITHOUT_LOCK,
    violation: /won: task and paths/,
  },
];

testRaces(races);
