import pg from "pg";
import type { TestDatabase } from "../../testing/postgres.ts";
import type { Answer, Calls, Team } from "./calls.ts";
import { type Race, testRaces } from "./guarded-races.ts";
import { assemble, race, settle } from "./races.ts";

/** The statement that finds what was left behind, in every table: planned once for all rounds. */
const ORPHANS = `select 'select string_agg(t, '', '') as found from (' || string_agg(format(
    'select %L || '' '' || count(*) as t from %s x where not exists (select from parley.sessions s where s.id = x.session_id) having count(*) > 0',
    t, t), ' union all ') || ') as orphans' as statement
  from unnest(array_remove(parley_private.tables_of_sessions(), 'parley_private.waits'::regclass)) as t`;

/** Removes as the server's own machine may, at some moment of the race. */
const remover = (database: TestDatabase) => {
  const pool = new pg.Pool({ connectionString: database.url("parley_caller"), max: 2 });
  // A database that is dropped hangs up on its idle connections.
  pool.on("error", () => {});
  return {
    end: () => pool.end(),
    async remove(session: string): Promise<Answer> {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
      const client = await pool.connect();
      try {
        await client.query("begin; set local parley.shown = '   on'");
        await client.query("select parley.delete_session($1)", [session]);
        await client.query("commit");
        return { status: 200, body: {} };
      } catch (error) {
        await client.query("rollback");
        const { code = "", message } = error as pg.DatabaseError;
        return { status: Number(code.replace("PT", "")) || 500, code, body: { message } };
      } finally {
        client.release();
      }
    },
  };
};

const races: Race[] = [
  {
    name: "a session that is removed while everybody is at work leaves nothing behind, and nobody a broken answer",
    rounds: 120,
    run: async (calls: Calls, rounds: number, database: TestDatabase) => {
      const { remove, end } = remover(database);
      const owner = new pg.Client({ connectionString: database.url() });
      await owner.connect();
      try {
        const text: string = (await owner.query(ORPHANS)).rows[0].statement;
        return await race(rounds, async (referee) => {
          const [a, b, c] = (await assemble(calls, 3)) as [Team, Team, Team];
          const session_id = a.ref;
          const work = async (team: Team) => {
            const answers: Answer[] = [];
            for (const n of [1, 2]) {
              answers.push(await calls.call("post_message", { session_id, content: `${n}?`, kind: "question" }, team));
              answers.push(
                await calls.call("append_to_session_doc", { session_id, text: "x", idempotency_key: `${n}` }, team),
              );
              answers.push(await calls.call("wait_for_messages", { session_id, timeout: 0.01, since_cursor: 0 }, team));
            }
            return answers;
          };
          const [gone, twice, ...answers] = await Promise.all([
            remove(session_id),
            remove(session_id),
            ...[a, b, c].map(work),
            calls.call("leave_session", { session_id }, c).then((answer) => [answer]),
          ]);
          settle(referee, answers.flat(), "200", "404 session_not_found", "401 unauthorized");
          const both = [gone, twice].map(({ status }) => status).sort();
          referee.check(`${both}` === "200,404", `removed with ${both} ${JSON.stringify([gone, twice])}`);
          const { rows } = await owner.query({ name: "orphans", text });
          referee.check(rows[0].found === null, `left behind: ${rows[0].found}`);
        });
      } finally {
        await owner.end();
        await end();
      }
    },
    outcomes: ["200", "404 session_not_found"],
    guard: [
      {
        file: "private/remove_session.sql",
        line: "remove_session.session_id for update;",
        instead: "remove_session.session_id;",
      },
      { file: "private/remove_session.sql", line: "order by p.id for update;", instead: "order by p.id;" },
    ],
    violation: /left behind|removed with|answered 500/,
  },
];

testRaces(races);
