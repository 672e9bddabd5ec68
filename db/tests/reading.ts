import type pg from "pg";
import { hashSecret } from "../../api/http/caller.ts";
import { rolledBack, type TestDatabase } from "../../testing/postgres.ts";
import type { Team } from "./calls.ts";

export const answerOf = async (client: pg.Client, team: Team, call: string, values: unknown[] = []) => {
  const text = `select case when parley_private.begin_call('${hashSecret(team.team_id)}', '') then to_json(${call}) end as answer`;
  return (await client.query(text, values)).rows[0].answer;
};

/** How many rows of each table a call reads, how often it looks into its indexes, and what it answers; planned as the server plans. */
export function reading(database: TestDatabase, team: Team, call: string) {
  return rolledBack(database.url("parley_caller"), async (client) => {
    await client.query("set plan_cache_mode = force_generic_plan; set enable_seqscan = off");
    const answer = await answerOf(client, team, call);
    const counts = async () => {
      const { rows } = await client.query<{ relname: string; rows: string; looks: string }>(
        "select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) as rows, coalesce(idx_scan, 0) as looks from pg_stat_xact_user_tables",
      );
      return new Map(rows.map(({ relname, rows, looks }) => [relname, { rows: Number(rows), looks: Number(looks) }]));
    };
    const before = await counts();
    await answerOf(client, team, call);
    const after = await counts();
    const since = (what: "rows" | "looks") => (table: string) =>
      (after.get(table)?.[what] ?? 0) - (before.get(table)?.[what] ?? 0);
    return { answer, rows: since("rows"), looks: since("looks") };
  });
}
