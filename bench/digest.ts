import pg from "pg";
import { asRole } from "../api/postgres/database.ts";
import { hashTeamId } from "../api/verbs/call.ts";
import type { Lab, Team } from "./lab.ts";
import { quantile, type Report } from "./report.ts";

const DIGEST_OVER = 10_000;
const SEARCH_OVER = 100_000;
const SHORT_SESSIONS = 10_000;
const TIMES = 200;

/** What it costs to be told what happened, and to find it, in sessions longer than people hold. */
export async function digest(lab: Lab, report: Report) {
  const talk = await fill(lab, DIGEST_OVER);
  const long = await fill(lab, SEARCH_OVER);
  await fillShort(lab, SHORT_SESSIONS);
  await lab.superuser.query("vacuum analyze parley.messages, parley.sessions, parley.participants");
  // As the server plans: once, for sessions of any length.
  const connectionString = asRole(lab.postgres.url("parley_server"), "parley_caller", {
    plan_cache_mode: "force_generic_plan",
  });
  const client = new pg.Client({ connectionString });
  await client.connect();

  const rows: (string | number)[][] = [];
  const measure = async (what: string, team: Team, call: string) => {
    const text = `select case when parley_private.begin_call($1, '') then to_json(${call}) end::text as answer`;
    const query = { name: what, text, values: [hashTeamId(team.teamId), team.session] };
    const ms: number[] = [];
    for (let i = 0; i < TIMES; i++) {
      const start = performance.now();
      await client.query(query);
      ms.push(performance.now() - start);
    }
    const [p50, p95] = [quantile(ms, 0.5), quantile(ms, 0.95)];
    rows.push([what, p50, p95]);
    return p95;
  };
  const digested = await measure("get_digest, 10,000 messages", talk, "parley.get_digest(session_id => $2)");
  report.goal("digest of 10,000 messages, SQL, p95", digested, " ms", "≤", 50);
  const half = DIGEST_OVER / 2;
  await measure("… of the second half", talk, `parley.get_digest(session_id => $2, since_cursor => ${half})`);
  await measure("whoami, 10,000 messages", talk, "parley.whoami(session_id => $2)");
  for (const [what, words] of [
    ["a word in 1 message", "needle"],
    ["a phrase in 100", '"rare finding"'],
    ["a word in 10,000", "often"],
  ] as const)
    await measure(`search 100,000 messages for ${what}`, long, `parley.search(session_id => $2, query => '${words}')`);
  await measure("list_sessions, 10,000 sessions", long, "parley.list_sessions(text => nullif($2::text, $2))");
  await client.end();
  report.table("What happened, and where it was said (SQL)", ["call", "p50 ms", "p95 ms"], rows);
}

/** Of a hundred messages one is a question, one its answer, one a question nobody answers, one a decision. */
async function fill({ superuser, seat }: Lab, size: number): Promise<Team> {
  const { id, teams } = await seat(4);
  await superuser.query("set session_replication_role = replica");
  await superuser.query(
    `insert into parley.messages (session_id, sequence, posted_by, type, content, kind, reply_to, expects_reply)
    select $1, n, 1 + n % 4, 'chat',
      jsonb_build_object('text', 'Message ' || n || repeat(' and some more words', 5)
        || case when n = $2::integer / 2 then ' needle' when n % ($2 / 100) = 7 then ' a rare finding' when n % 10 = 3 then ' often' else '' end),
      case n % 100 when 10 then 'question' when 12 then 'answer' when 50 then 'question' when 70 then 'decision' else 'message' end,
      case when n % 100 = 12 then n - 2 end,
      n % 100 in (10, 50)
    from generate_series(1, $2::integer) n`,
    [id, size],
  );
  await superuser.query("update parley.sessions set last_sequence = $2 where id = $1", [id, size]);
  await superuser.query("set session_replication_role = origin");
  return teams[0] as Team;
}

/** Most sessions are short: the planner should not take the long one for one of them. */
async function fillShort({ superuser }: Lab, count: number): Promise<void> {
  await superuser.query("set session_replication_role = replica");
  await superuser.query(
    `with made as (
      insert into parley.sessions (ref, title, description, last_sequence)
      select 'short-' || n, 'Short ' || n, '', 5 from generate_series(1, $1::integer) n
      returning id
    ), seated as (
      insert into parley.participants (session_id, id, handle, team_name) select id, 1, 'one', 'One' from made
    )
    insert into parley.messages (session_id, sequence, posted_by, type, content)
    select made.id, n, 1, 'chat', jsonb_build_object('text', 'Short message ' || n || ' said often')
    from made, generate_series(1, 5) n`,
    [count],
  );
  await superuser.query("set session_replication_role = origin");
}
