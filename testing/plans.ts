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
