import type pg from "pg";
import { hashSecret } from "../../api/http/caller.ts";
import { rolledBack, type TestDatabase } from "../../testing/postgres.ts";
import type { Team } from "./calls.ts";

export const answerOf = async (client: pg.Client, team: Team, call: string, values: unknown[] = []) => {
  const text = `select case when parley_private.begin_call('${hashSecret(team.team_id)}', '') then to_json(${call}) end as answer`;
  return (await client.query(text, values)).rows[0].answer;
};

/** How many rows of each table a call reads, and what it answers; planned as the server plans. */
export function reading(database: TestDatabase, team: Team, call: string) {
  return rolledBack(database.url("parley_caller"), async (client) => {
    await client.query("set plan_cache_mode = force_generic_plan; set enable_seqscan = off");
    const answer = await answerOf(client, team, call);
    const counts = `select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_user_tables`;
    const before = await client.query<{ relname: string; rows: string }>(counts);
    await answerOf(client, team, call);
    const after = await client.query<{ relname: string; rows: string }>(counts);
    const was = new Map(before.rows.map(({ relname, rows }) => [relname, Number(rows)]));
    const rows = Object.fromEntries(
      after.rows.map(({ relname, rows }) => [relname, Number(rows) - (was.get(relname) ?? 0)]),
    );
    return { answer, rows: (table: string) => rows[table] ?? 0 };
  });
}
