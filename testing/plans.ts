import type pg from "pg";
import { connected } from "./postgres.ts";

interface Plan {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Join Filter"?: number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}

/** How many rows the steps of a plan have looked at, told by EXPLAIN (ANALYZE, FORMAT JSON); of one table, or all in all. */
export function lookedAt(plan: Plan, table?: string): number {
  const own = plan["Actual Rows"] + (plan["Rows Removed by Join Filter"] ?? 0) + (plan["Rows Removed by Filter"] ?? 0);
  const counts = table === undefined || plan["Relation Name"] === table;
  const inner = (plan.Plans ?? []).reduce((sum, each) => sum + lookedAt(each, table), 0);
  return inner + (counts ? own * plan["Actual Loops"] : 0);
}

/** Planned as the server plans; counts what all statements of a function look at. The user has to be a superuser. */
export function counted(url: string, work: (client: pg.Client) => Promise<pg.QueryResult>) {
  return connected(url, async (client) => {
    await client.query(`load 'auto_explain'; set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off;
      set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on;
      set auto_explain.log_timing = off; set auto_explain.log_format = json; set client_min_messages = log`);
    let rows = 0;
    client.on("notice", ({ message = "" }) => {
      const json = /plan:\n(\{.*\})/s.exec(message)?.[1];
      if (json) rows += lookedAt(JSON.parse(json).Plan);
    });
    const answer = await work(client);
    return { answer: answer.rows, rows };
  });
}
