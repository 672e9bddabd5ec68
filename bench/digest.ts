import pg from "pg";
import { hashSecret } from "../api/http/caller.ts";
import { asRole } from "../api/postgres/database.ts";
import { withoutIndexes } from "./fill.ts";
import type { Lab, Team } from "./lab.ts";
import { quantile, type Report } from "./report.ts";

const SHORT = 10_000;
const LONG = 1_000_000;
const SEARCH_OVER = 100_000;
const SHORT_SESSIONS = 10_000;
const TIMES = 200;

/** What it costs to be told what happened, and to find it, in sessions longer than people hold. */
export async function digest(lab: Lab, report: Report) {
  const { short, long, words } = await withoutIndexes(lab, async () => {
    const filled = {
      short: await fill(lab, SHORT),
      words: await fill(lab, SEARCH_OVER, " and some more words".repeat(5)),
      long: await fill(lab, LONG),
    };
    await fillShort(lab, SHORT_SESSIONS);
    return filled;
  });
  for (const { session } of [short, long, words]) await ask(lab, session);
  // As the worker does; otherwise each search would read the newest ten thousand word by word.
  await lab.superuser.query("select parley_private.index_words_of($1, $2)", [words.session, 2 * SEARCH_OVER]);
  await lab.superuser.query(
    "vacuum analyze parley.messages, parley.sessions, parley.participants, parley.session_doc_history, parley_private.message_words",
  );
  // As the server plans: once, for sessions of any length, and by indexes.
  const connectionString = asRole(lab.postgres.url("parley_server"), "parley_caller", {
    plan_cache_mode: "force_generic_plan",
    enable_seqscan: "off",
    jit: "off",
  });
  const client = new pg.Client({ connectionString });
  await client.connect();

  const rows: (string | number)[][] = [];
  const once = async (what: string, team: Team, call: string) => {
    const text = `select case when parley_private.begin_call($1, '') then to_json(${call}) end::text as answer`;
    const start = performance.now();
    await client.query({ name: what, text, values: [hashSecret(team.teamId), team.session] });
    return performance.now() - start;
  };
  const measure = async (what: string, team: Team, call: string) => {
    const ms: number[] = [];
    for (let i = 0; i < TIMES; i++) ms.push(await once(what, team, call));
    rows.push([what, quantile(ms, 0.5), quantile(ms, 0.95), ""]);
  };
  /** The same call in the short session and in the long one, by turns. */
  const compare = async (what: string, call: (size: number) => string) => {
    const ms: [number[], number[]] = [[], []];
    for (let i = 0; i < TIMES; i++) {
      ms[0].push(await once(`${what} of the short`, short, call(SHORT)));
      ms[1].push(await once(`${what} of the long`, long, call(LONG)));
    }
    const [p50s, p95s] = [0.5, 0.95].map((q) => ms.map((times) => quantile(times, q))) as [number[], number[]];
    const ratio = (p50s[1] as number) / (p50s[0] as number);
    rows.push([`${what}, ${SHORT.toLocaleString("en")} messages`, p50s[0] as number, p95s[0] as number, ""]);
    rows.push([`… ${LONG.toLocaleString("en")} messages`, p50s[1] as number, p95s[1] as number, ratio]);
    return { p95: p95s[1] as number, ratio };
  };
  const whole = await compare("get_digest", () => "parley.get_digest(session_id => $2)");
  report.goal("digest of 1,000,000 messages, SQL, p95", whole.p95, " ms", "≤", 100);
  report.goal("… against 10,000, median", whole.ratio, " ×", "≤", 1.5);
  const half = await compare(
    "get_digest of the second half",
    (size) => `parley.get_digest(session_id => $2, since_cursor => ${size / 2})`,
  );
  report.goal("digest of half of 1,000,000 messages, SQL, p95", half.p95, " ms", "≤", 100);
  await compare("whoami", () => "parley.whoami(session_id => $2)");
  for (const [what, query] of [
    ["a word in 1 message", "needle"],
    ["a phrase in 100", '"rare finding"'],
    ["a word in 10,000", "often"],
  ] as const)
    await measure(`search 100,000 messages for ${what}`, words, `parley.search(session_id => $2, query => '${query}')`);
  await measure("list_sessions, 10,000 sessions", short, "parley.list_sessions(text => nullif($2::text, $2))");
  await client.end();
  report.table("What happened, and where it was said (SQL)", ["call", "p50 ms", "p95 ms", "ratio"], rows);
}

/** Of a hundred messages one is a question, one its answer, two tell a status, one decides; the document grows a hundred times. */
async function fill({ superuser, seat }: Lab, size: number, words = ""): Promise<Team> {
  const { id, teams } = await seat(4);
  await superuser.query("set session_replication_role = replica");
  await superuser.query(
    `with said as (
      select n, 1 + n % 4 as team,
        case n % 100 when 10 then 'question' when 13 then 'answer' when 40 then 'status' when 41 then 'status' when 71 then 'decision' else 'message' end as kind
      from generate_series(1, $2::integer) n
    )
    insert into parley.messages (session_id, sequence, posted_by, type, content, kind, reply_to, expects_reply, nth_of_author, nth_of_kind)
    select $1, n, team, 'chat',
      jsonb_build_object('text', 'Message ' || n || $3::text
        || case when n = $2 / 2 then ' needle' when n % ($2 / 100) = 7 then ' a rare finding' when n % 10 = 3 then ' often' else '' end),
      kind, case kind when 'answer' then n - 3 end, kind = 'question', (n + 3) / 4,
      case when kind <> 'message' then n / 100 + 1 end
    from said`,
    [id, size, words],
  );
  await superuser.query(
    `insert into parley.session_doc_history (session_id, version, written_by, size, after_cursor, nth_of_author, sections)
    select $1, n, 1 + n % 4, 10 * n, n * ($2::integer / 100), n / 4 + 1, array['Decisions'] from generate_series(1, 100) n`,
    [id, size],
  );
  await superuser.query(
    "update parley.sessions set last_sequence = $2, session_doc_version = 100, last_message_at = now() where id = $1",
    [id, size],
  );
  await superuser.query("set session_replication_role = origin");
  return teams[0] as Team;
}

/** A few questions that nobody has answered yet. */
async function ask({ superuser }: Lab, session: string): Promise<void> {
  await superuser.query(
    `insert into parley.messages (session_id, sequence, posted_by, type, content, kind, expects_reply, nth_of_author)
    select s.id, s.last_sequence + n, 1, 'chat', '{"text": "Who takes this one?"}', 'question', true, newest.nth_of_author + n
    from parley.sessions s, generate_series(1, 20) n, lateral (
      select m.nth_of_author from parley.messages m where m.session_id = s.id and m.posted_by = 1 order by m.sequence desc limit 1
    ) newest
    where s.id = $1`,
    [session],
  );
  await superuser.query("update parley.sessions set last_sequence = last_sequence + 20 where id = $1", [session]);
}

/** Most sessions are short: the planner should not take the long one for one of them. */
async function fillShort({ superuser }: Lab, count: number): Promise<void> {
  await superuser.query("set session_replication_role = replica");
  await superuser.query(
    `with made as (
      insert into parley.sessions (ref, title, description, last_sequence, updated_at, active_minute)
      select 'short-' || n, 'Short ' || n, '', 5, at, parley_private.minute_of(at)
      from generate_series(1, $1::integer) n, lateral (select now() - n * interval '1 minute') as the_time (at)
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
