import type { Lab, Team } from "./lab.ts";

/** As superuser and without triggers: what is measured is reading, not writing. */
async function quietly({ superuser }: Lab, ...statements: [text: string, values: unknown[]][]): Promise<void> {
  await superuser.query("set session_replication_role = replica");
  for (const [text, values] of statements) await superuser.query(text, values);
  await superuser.query("set session_replication_role = origin");
}

const longOnes = new WeakMap<Lab, Promise<Team>>();

/** The one session of a million messages that several benches read. */
export function millionMessages(lab: Lab): Promise<Team> {
  const team = longOnes.get(lab) ?? fillMessages(lab, 1_000_000);
  longOnes.set(lab, team);
  return team;
}

/** Made when the rows are there, an index is sorted once: a million rows take seconds. */
export async function withoutIndexes<Made>({ superuser }: Lab, work: () => Promise<Made>): Promise<Made> {
  const { rows } = await superuser.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
    where i.indrelid = 'parley.messages'::regclass and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
  );
  for (const { name } of rows) await superuser.query(`drop index ${name}`);
  const made = await work();
  await superuser.query("set maintenance_work_mem = '256MB'");
  for (const { definition } of rows) await superuser.query(definition);
  await superuser.query("reset maintenance_work_mem");
  return made;
}

export async function fillMessages(lab: Lab, size: number): Promise<Team> {
  const { id, teams } = await lab.seat(4);
  await withoutIndexes(lab, () =>
    quietly(
      lab,
      [
        `insert into parley.messages (session_id, sequence, posted_by, type, content)
        select $1, n, 1 + n % 4, 'chat', '{"text": "A message of a few words"}' from generate_series(1, $2::integer) n`,
        [id, size],
      ],
      ["update parley.sessions set last_sequence = $2, last_message_at = now() where id = $1", [id, size]],
    ),
  );
  return teams[0] as Team;
}

/** Every question has its answer; half of them were put to one team by name. */
export async function fillQuestions(lab: Lab, count: number): Promise<Team> {
  const { id, teams } = await lab.seat(3);
  await quietly(
    lab,
    [
      `insert into parley.messages (session_id, sequence, posted_by, type, content, kind, expects_reply, addressed_to, reply_to)
      select $1, n, 2 - n % 2, 'chat', '{"text": "What now?"}', case n % 2 when 1 then 'question' else 'answer' end, n % 2 = 1,
        case when n % 4 = 1 then array['team-2'] end, case when n % 2 = 0 then n - 1 end
      from generate_series(1, 2 * $2::integer) n`,
      [id, count],
    ],
    ["update parley.sessions set last_sequence = 2 * $2 where id = $1", [id, count]],
  );
  return teams[1] as Team;
}

/** As if each had joined by itself. */
export async function fillTeams(lab: Lab, count: number): Promise<Team> {
  const { id, teams } = await lab.seat(count);
  await quietly(
    lab,
    [
      `insert into parley.messages (session_id, sequence, type, content, caused_by)
      select $1, n, 'system', jsonb_build_object('event', 'team_joined', 'team', 'Team ' || n, 'handle', 'team-' || n), n
      from generate_series(1, $2::integer) n`,
      [id, count],
    ],
    ["update parley.sessions set last_sequence = $2 where id = $1", [id, count]],
  );
  return teams[0] as Team;
}

/** As if those after the first so many had never come; the feed, which nobody can shorten, still says so. */
export const removeTeams = (lab: Lab, { session }: Team, beyond: number): Promise<void> =>
  quietly(
    lab,
    ["delete from parley_private.credentials where session_id = $1 and participant_id > $2", [session, beyond]],
    ["delete from parley.participants where session_id = $1 and id > $2", [session, beyond]],
  );

/** More of them each time. One in four is concluded; in each two teams have said a little, and called last when they did. */
export async function fillSessions(lab: Lab, count: number): Promise<void> {
  await quietly(lab, [
    `with made as (
      insert into parley.sessions (ref, title, description, last_sequence, status, closed_at, created_at, updated_at, last_message_at, active_minute)
      select 'one-of-' || n + before.number, 'Session ' || n, repeat('What it is about. ', 20), 5, case n % 4 when 0 then 'closed' else 'active' end,
        case n % 4 when 0 then now() end, now() - n * interval '1 minute', now() - n * interval '1 minute', now() - n * interval '30 seconds',
        parley_private.minute_of(now() - n * interval '30 seconds')
      from generate_series(1, $1::integer) n, (select count(*) as number from parley.sessions where ref ~ '^one-of-') as before
      returning id, last_message_at
    ), seated as (
      insert into parley.participants (session_id, id, handle, team_name, known_status, joined_at, last_seen_at)
      select id, n, 'team-' || n, 'Team ' || n, 'disconnected', last_message_at, last_message_at from made, generate_series(1, 2) n
    )
    insert into parley.messages (session_id, sequence, posted_by, type, content)
    select made.id, n, 1 + n % 2, 'chat', '{"text": "A short message"}' from made, generate_series(1, 5) n`,
    [count],
  ]);
}

/** One team of each session has just called, and will not fall silent while it is measured. */
export const wakeTeams = (lab: Lab): Promise<void> =>
  quietly(lab, [
    "update parley.participants set known_status = 'active', last_seen_at = now() + interval '1 hour' where id = 1 and left_at is null",
    [],
  ]);

/** As if the worker had indexed them all, which it would begin to do while others measure. */
export const markWordsAsIndexed = (lab: Lab): Promise<void> =>
  quietly(lab, [
    `insert into parley_private.message_words (session_id, sequence)
    select id, last_sequence from parley.sessions where last_sequence > 0 on conflict do nothing`,
    [],
  ]);
