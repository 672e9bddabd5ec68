import { readFileSync } from "node:fs";
import pg from "pg";
import { hashSecret } from "../api/http/caller.ts";
import { asRole } from "../api/postgres/database.ts";
import type { Lab } from "./lab.ts";
import type { Report } from "./report.ts";

const POST = {
  name: "post",
  text: `select parley_private.finish_call(
    case when parley_private.begin_call($1, $2, $3) then to_json(parley.post_message(session_id => $4::text, content => $5::jsonb)) end, true)`,
};
const TEXT = JSON.stringify({ text: "We keep the schema as it is and add the column in the next release. ".repeat(3) });
/** As on the connections of the server; the flush to disk is left out, since it takes no CPU. */
const SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  jit: "off",
  synchronous_commit: "off",
};
const RULES = ["posts_per_minute", "hops", "loop_guard"];
const POSTS = 200;
/** After a function was replaced, the first posts plan again. */
const WARM_UP = 20;
const ROUNDS = 25;
const TALKERS = { "one after the other": 1, "in conversation": 2 };
const HEAR = `update parley.participants p set handed_cursor = s.last_sequence
  from parley.sessions s where s.id = p.session_id and s.id = $1`;

const PLAIN = readFileSync(new URL("../db/functions/post_message.sql", import.meta.url), "utf8");
/** What a post did before there were rules: it counts the messages of its author. */
const UNRULED = [
  [/select case when b\.hops is not null then .*? end as hops/, "select null::integer as hops"],
  [/p\.heard > coalesce.*? is not null,/, "false,"],
  [/\n +and \(l\.nth_of_author - .*? is not true\n/, "\n"],
].reduce((source, [rule, instead]) => {
  const without = source.replace(rule as RegExp, instead as string);
  if (without === source) throw new Error(`the rules are not where this bench looks for them: ${rule}`);
  return without;
}, PLAIN);

/**
 * CPU of a post in PostgreSQL under the rules, far from their bounds, against one without any: of a team that posts again and
 * again, and of two that have heard each other before every post. In turns, on one connection.
 */
export async function rules(lab: Lab, report: Report) {
  const client = await connect(asRole(lab.postgres.url("parley_server"), "parley_caller", SETTINGS));
  const owner = await connect(asRole(lab.postgres.url(), "parley_owner"));
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const usedUs = () => Number(readFileSync(`/proc/${rows[0]?.pid}/schedstat`, "utf8").split(" ")[0]) / 1_000;
  const bound = (value: number) =>
    owner.query("update parley.settings set value = to_jsonb($1::integer) where name = any ($2)", [value, RULES]);

  async function round(source: string, talkers: number): Promise<number> {
    await owner.query(source);
    const { id, teams } = await lab.seat(talkers);
    let used = 0;
    for (let i = -WARM_UP; i < POSTS; i++) {
      if (talkers > 1) await owner.query(HEAR, [id]);
      const team = teams[(i + WARM_UP) % talkers];
      const before = usedUs();
      await client.query({ ...POST, values: [hashSecret(team?.teamId), "http://127.0.0.1", "", id, TEXT] });
      if (i >= 0) used += usedUs() - before;
    }
    return used / POSTS;
  }

  await bound(10_000);
  // As the worker of a server does: what is planned for tables that nobody has looked at is another matter.
  await lab.superuser.query("vacuum analyze");
  const table: (string | number)[][] = [];
  for (const [who, talkers] of Object.entries(TALKERS)) {
    const costs: { ruled: number; unruled: number }[] = [];
    for (let n = 0; n < ROUNDS; n++)
      costs.push({ unruled: await round(UNRULED, talkers), ruled: await round(PLAIN, talkers) });
    // The least disturbed round of each: what else runs here only ever adds.
    const [ruled, unruled] = [Math.min(...costs.map((c) => c.ruled)), Math.min(...costs.map((c) => c.unruled))];
    const ratio = ruled / unruled;
    table.push([who, ruled, unruled, ratio]);
    report.goal(`CPU of a post under the rules against one without, ${who}`, ratio, "", "≤", 1.05);
  }
  await bound(0);
  await Promise.all([client.end(), owner.end()]);
  report.table("CPU µs of a post in PostgreSQL", ["", "under the rules", "without", "ratio"], table);
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}
