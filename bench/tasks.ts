import { setTimeout as sleep } from "node:timers/promises";
import { Connection, get, post } from "./client.ts";
import type { Lab, Server, Team } from "./lab.ts";
import { quantile, type Report } from "./report.ts";
import { untilWaiting } from "./wake.ts";

const TEAMS = 50;
const MANY = 10_000;
const HELD = 5_000;

const tasksOf = ({ session }: Team, rest = "") => `/api/sessions/${session}/tasks${rest}`;
const claim = (team: Team, wait = 0) => post(tasksOf(team, "/claim"), { wait }, team.teamId);
const add = (team: Team, count: number) =>
  post(tasksOf(team), { tasks: Array.from({ length: count }, (_, n) => `Task ${n}`) }, team.teamId);

/** Dividing the work: teams that wait for it, long lists, and paths that must not collide. */
export async function tasks(lab: Lab, report: Report) {
  const parley = await lab.startParley();
  const rows: (string | number)[][] = [];
  const row = (what: string, measured: number[], limit?: number) => {
    const p95 = quantile(measured, 0.95);
    rows.push([what, quantile(measured, 0.5), p95]);
    if (limit) report.goal(`${what}, p95`, p95, " ms", "≤", limit);
  };
  row(`${TEAMS} teams wait, ${TEAMS} tasks are added: until each has one`, await waiting(lab, parley, TEAMS), 400);
  row(`${TEAMS} teams wait, one task is added: until one has it`, await waiting(lab, parley, 1), 60);
  const long = await fillTasks(lab);
  row(`claim_task among ${MANY.toLocaleString("en")}`, await timed(parley, 100, () => claim(long)), 15);
  row(
    `list_tasks of ${MANY.toLocaleString("en")}, its first page`,
    await timed(parley, 15, () => get(tasksOf(long), long.teamId)),
    50,
  );
  row(
    `whoami beside ${MANY.toLocaleString("en")} tasks`,
    await timed(parley, 50, () => get("/api/whoami", long.teamId)),
    10,
  );
  const { sql, calls } = await collisions(lab, parley);
  row(`20 paths against ${HELD.toLocaleString("en")} held ones, SQL`, sql, 5);
  row("… claim_paths and release_paths over REST", calls);
  await parley.stop();
  report.table("Dividing the work", ["what", "p50 ms", "p95 ms"], rows);
}

/** From sending the tasks until those who get one have it. */
async function waiting(lab: Lab, parley: Server, added: number): Promise<number[]> {
  const { teams } = await lab.seat(TEAMS + 1);
  const [convener, ...others] = teams as [Team, ...Team[]];
  const [adding, ...connections] = (await Connection.openMany(parley.port, TEAMS + 1)) as [Connection, ...Connection[]];
  const measured: number[] = [];
  const idle = new Map(connections.map((connection, i) => [connection, others[i] as Team]));
  const held = new Map<Connection, Promise<void>>();
  let start = 0;
  for (let round = 0; round < (added === 1 ? 40 : 8); round++) {
    for (const [connection, team] of idle) {
      const answer = connection.send(claim(team, 30)).then(({ at, body }) => {
        if (body.startsWith('{"task":null')) throw new Error(`a waiting team got nothing: ${body}`);
        measured.push(at - start);
        held.delete(connection);
        idle.set(connection, team);
      });
      held.set(connection, answer);
      idle.delete(connection);
    }
    await untilWaiting(adding, TEAMS);
    await sleep(10);
    start = performance.now();
    await adding.send(add(convener, added));
    await (added === 1 ? Promise.race(held.values()) : Promise.all(held.values()));
  }
  for (const connection of connections) connection.close();
  await Promise.allSettled(held.values());
  adding.close();
  return measured;
}

async function timed(parley: Server, rounds: number, request: () => string): Promise<number[]> {
  const connection = await Connection.open(parley.port);
  const measured: number[] = [];
  for (let n = 0; n < rounds + 3; n++) {
    const start = performance.now();
    const { at } = await connection.send(request());
    if (n >= 3) measured.push(at - start);
  }
  connection.close();
  return measured;
}

/** A long backlog: half of it done, a third of the rest waiting for another task. */
async function fillTasks({ seat, superuser }: Lab): Promise<Team> {
  const { id, teams } = await seat(1);
  await superuser.query(
    `insert into parley.tasks (session_id, task, title, status, proof, result, done_by, depends_on, paths, created_by)
     select $1, n, 'Task ' || n, case when n % 2 = 0 then 'done' else 'open' end,
       case when n % 2 = 0 then 'reported' end, case when n % 2 = 0 then 'Done.' end, case when n % 2 = 0 then 1 end,
       case when n % 6 = 1 and n > 6 then array[n - 2, n - 1] else '{}' end, array['src/part-' || n || '/'], 1
     from generate_series(1, $2) n`,
    [id, MANY],
  );
  await superuser.query("analyze parley.tasks");
  return teams[0] as Team;
}

/** Files, folders and nearly as many patterns as a session may hold, all over a large repository, held by others. */
async function collisions({ seat, superuser }: Lab, parley: Server) {
  const { id, teams } = await seat(TEAMS);
  const [team] = teams as [Team];
  await superuser.query(
    `insert into parley.held_paths (session_id, participant_id, path, base)
     select $1, 2 + n % ($2 - 1), path, parley_private.path_base(path)
     from generate_series(1, $3) n
     cross join lateral (select format('packages/p%s/src/d%s', n % 50, n % 211) as folder) f
     cross join lateral (select case
       when n % 10 = 0 then folder || '/d' || n || '/'
       when n % 21 = 1 then folder || '/x' || n || '*.ts'
       when n % 21 = 2 then folder || '/**/t' || n || '.sql'
       else folder || '/f' || n || '.ts' end as path) p`,
    [id, TEAMS, HELD],
  );
  await superuser.query("analyze parley.held_paths");
  const wanted = (n: number) =>
    Array.from({ length: 20 }, (_, i) =>
      i % 5 === 0
        ? `packages/p${(n + i) % 50}/src/d${i}/y${i}*.ts`
        : `packages/p${(n + i) % 50}/src/d${(n * i) % 211}/g${i}.ts`,
    );
  const sql: number[] = [];
  for (let n = 0; n < 63; n++) {
    const start = performance.now();
    const { rowCount } = await superuser.query({
      name: "collisions",
      text: "select from parley_private.collisions($1, 1, $2)",
      values: [id, wanted(n)],
    });
    if (rowCount !== 0) throw new Error("what was to be free is held");
    if (n >= 3) sql.push(performance.now() - start);
  }
  const connection = await Connection.open(parley.port);
  const calls: number[] = [];
  for (let n = 0; n < 33; n++) {
    const start = performance.now();
    await connection.send(post(`/api/sessions/${id}/paths/claim`, { paths: wanted(n) }, team.teamId));
    const { at } = await connection.send(post(`/api/sessions/${id}/paths/release`, {}, team.teamId));
    if (n >= 3) calls.push(at - start);
  }
  connection.close();
  return { sql, calls };
}
