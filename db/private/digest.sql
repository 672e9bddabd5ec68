do $$
begin
  create type parley.earlier as (messages integer, digest_tokens integer);
exception when duplicate_object then null;
end $$;
comment on type parley.earlier is 'What came before a team joined: get_digest has it in short, get_history in full.';
comment on column parley.earlier.digest_tokens is 'About how many tokens get_digest takes.';

do $$
begin
  create type parley.digest_team as (
    handle text,
    team_name text,
    status text,
    messages integer,
    questions integer,
    answers integer,
    decisions integer,
    doc_changes integer,
    last_cursor integer,
    activity text,
    you boolean,
    blocked boolean,
    last_status parley.note,
    last_message parley.note,
    doing text,
    tasks integer[]
  );
exception when duplicate_object then null;
end $$;
comment on type parley.digest_team is 'What a team did.';
comment on column parley.digest_team.last_cursor is 'Its newest message; null while it has said nothing.';
comment on column parley.digest_team.activity is 'listening, working, silent or left.';
comment on column parley.digest_team.you is '@optional
True for the calling team.';
comment on column parley.digest_team.blocked is '@optional
True when its last status says so: of kind blocked or blocker, or a text that begins with that word or with stuck.';
comment on column parley.digest_team.last_status is '@optional
Its newest message of kind status, blocked or blocker.';
comment on column parley.digest_team.last_message is '@optional
What it said last, if it has told no status.';
comment on column parley.digest_team.doing is '@optional
What it is doing, in its own words.';
comment on column parley.digest_team.tasks is '@optional
The tasks that it has claimed.';

do $$
begin
  create type parley.doc_change as (cursor integer, version integer, handle text, bytes integer, at timestamptz, sections text[]);
exception when duplicate_object then null;
end $$;
comment on type parley.doc_change is 'A new version of the document.';
comment on column parley.doc_change.cursor is 'The newest message when it was written.';
comment on column parley.doc_change.bytes is 'By how much the document grew.';
comment on column parley.doc_change.sections is '@optional
The headings above and in what was changed, a few of them.';

do $$
begin
  create type parley.digest_event as (cursor integer, event text, handle text, at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.digest_totals as (open_questions integer, decisions integer, doc_changes integer, events integer);
exception when duplicate_object then null;
end $$;
comment on type parley.digest_totals is 'How many entries there are, with those that the lists leave out.';

do $$
begin
  create type parley.digest_agent as (handle text, turns integer, tokens bigint, cost numeric);
exception when duplicate_object then null;
end $$;
comment on type parley.digest_agent is 'What the runs of a team have used.';
comment on column parley.digest_agent.tokens is 'As far as the agent says.';
comment on column parley.digest_agent.cost is 'In US dollars, as far as the agent says; under a subscription that misleads.';

do $$
begin
  create type parley.digest as (
    since_cursor integer,
    through_cursor integer,
    messages integer,
    teams parley.digest_team[],
    open_questions parley.note[],
    decisions parley.note[],
    doc_changes parley.doc_change[],
    events parley.digest_event[],
    omitted integer,
    unread integer,
    totals parley.digest_totals,
    items integer,
    work parley.work,
    agents parley.digest_agent[]
  );
exception when duplicate_object then null;
end $$;
comment on column parley.digest.messages is 'How many messages the teams posted.';
comment on column parley.digest.omitted is '@optional
How many older entries the lists leave out.';
comment on column parley.digest.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.digest.totals is '@optional
Given when something was left out.';
comment on column parley.digest.items is '@optional
The most entries of each list, if you asked for so many.';
comment on column parley.digest.agents is '@optional
What the agents that run, or ran, here have used: a team each, the one that used most first.';
comment on column parley.digest.work is '@optional
How many tasks there are of each status.';

-- How many messages of each kind that a digest counts a team has posted after a cursor, and the newest of them.
create or replace function parley_private.messages_of_note(session_id uuid, team integer, since_cursor integer)
returns table (kind text, messages integer, last_cursor integer)
language sql stable
set search_path = ''
as $$
  select k.kind, newest.nth_of_kind - coalesce(before.nth_of_kind, 0), newest.sequence
  from unnest(array['question', 'answer', 'decision', 'status', 'blocked', 'blocker']) as k (kind)
  cross join lateral (
    select m.nth_of_kind, m.sequence from parley.messages m
    where m.session_id = messages_of_note.session_id and m.posted_by = team and m.kind = k.kind and m.nth_of_kind is not null
      and m.sequence > since_cursor
    order by m.sequence desc limit 1
  ) newest
  left join lateral (
    select m.nth_of_kind from parley.messages m
    where m.session_id = messages_of_note.session_id and m.posted_by = team and m.kind = k.kind and m.nth_of_kind is not null
      and m.sequence <= since_cursor
    order by m.sequence desc limit 1
  ) before on true;
$$;

grant execute on function parley_private.messages_of_note to parley_caller;

-- What each team said and wrote after a cursor, and after the version of the document at that time. Counted by what its newest
-- messages say of themselves, so that a long feed is not read: the nth of its author, the nth of its kind.
create or replace function parley_private.digest_teams(session parley.sessions, since_cursor integer, version_before integer, reader integer)
returns setof parley.digest_team
language sql stable
set search_path = ''
as $$
  -- Each looked up by itself: joined, the planner may take a long feed for a short one, or a thousand teams for one.
  select
    p.handle, p.team_name, parley_private.presence(p),
    coalesce(newest.nth_of_author - coalesce(before.nth_of_author, 0), 0),
    coalesce(said.questions, 0), coalesce(said.answers, 0), coalesce(said.decisions, 0), coalesce(wrote.doc_changes, 0),
    newest.sequence, parley_private.activity(p),
    nullif(p.id = reader, false),
    nullif(latest.is_status and (
      (latest.message).kind in ('blocked', 'blocker') or (latest.message).content ->> 'text' ~* '^\W*(blocked|blocker|stuck)\y'), false),
    case when latest.is_status then parley_private.as_note(latest.message) end,
    case when not latest.is_status then parley_private.as_note(latest.message) end,
    p.doing,
    (select array_agg(t.task order by t.task) from parley.tasks t where t.session_id = session.id and t.claimed_by = p.id)
  from parley.participants p
  left join lateral (
    select m.sequence, m.nth_of_author from parley.messages m
    where m.session_id = session.id and m.posted_by = p.id and m.sequence > since_cursor
    order by m.sequence desc limit 1
  ) newest on true
  left join lateral (
    select m.nth_of_author from parley.messages m
    where m.session_id = session.id and m.posted_by = p.id and m.sequence <= since_cursor
    order by m.sequence desc limit 1
  ) before on newest.sequence is not null
  left join lateral (
    select
      max(k.messages) filter (where k.kind = 'question') as questions,
      max(k.messages) filter (where k.kind = 'answer') as answers,
      max(k.messages) filter (where k.kind = 'decision') as decisions,
      max(k.last_cursor) filter (where k.kind in ('status', 'blocked', 'blocker')) as status_cursor
    from parley_private.messages_of_note(session.id, p.id, since_cursor) k
  ) said on newest.sequence is not null
  left join lateral (
    select h.nth_of_author - coalesce((
      select o.nth_of_author from parley.session_doc_history o
      where o.session_id = session.id and o.written_by = p.id and o.version <= version_before
      order by o.version desc limit 1
    ), 0) as doc_changes
    from parley.session_doc_history h
    where h.session_id = session.id and h.written_by = p.id and h.version > version_before
    order by h.version desc limit 1
  ) wrote on true
  left join lateral (
    select m as message, said.status_cursor is not null as is_status from parley.messages m
    where m.session_id = session.id and m.sequence = coalesce(said.status_cursor, newest.sequence)
    limit 1
  ) latest on true
  where p.session_id = session.id
  order by p.id;
$$;

grant execute on function parley_private.digest_teams to parley_caller;

create or replace function parley_private.digest_doc_changes(session_id uuid, version_before integer, longest integer)
returns setof parley.doc_change
language sql stable
set search_path = ''
as $$
  select h.after_cursor, h.version, author.handle, h.size - coalesce(before.size, 0), h.written_at, h.sections
  from (
    select * from parley.session_doc_history n
    where n.session_id = digest_doc_changes.session_id and n.version > version_before
    order by n.version desc
    limit longest
  ) h
  join parley.participants author on author.session_id = h.session_id and author.id = h.written_by
  left join lateral (
    select b.size from parley.session_doc_history b where b.session_id = h.session_id and b.version = h.version - 1 limit 1
  ) before on true
  order by h.version;
$$;

grant execute on function parley_private.digest_doc_changes to parley_caller;

-- Each list holds the newest entries, oldest first; omitted counts what was left out of them. Nothing is read that is not
-- shown: what is left out is told by subtraction.
create or replace function parley_private.digest(
  session parley.sessions,
  since_cursor integer,
  unread integer,
  reader integer default null,
  items integer default null
)
returns parley.digest
language plpgsql stable
set search_path = ''
as $$
declare
  v_longest integer := coalesce(items, parley_private.setting('digest_items'));
  v_before  integer := parley_private.version_before(session.id, since_cursor);
  v_digest  parley.digest;
  v_totals  parley.digest_totals;
begin
  v_digest.since_cursor := since_cursor;
  v_digest.through_cursor := session.last_sequence;
  v_digest.unread := unread;
  v_digest.items := items;
  v_digest.work := parley_private.work(session.id);
  v_digest.agents := (
    select array_agg(row(p.handle, r.turns, r.tokens, r.cost)::parley.digest_agent order by r.cost desc, r.tokens desc, r.turns desc, p.id)
    from (
      select r.participant_id, sum(r.turns)::integer as turns, sum(r.tokens)::bigint as tokens, sum(r.cost) as cost
      from parley.runs r where r.session_id = session.id and r.turns > 0
      group by r.participant_id
    ) r
    join parley.participants p on p.session_id = session.id and p.id = r.participant_id
  );
  v_digest.teams := array(select t::parley.digest_team from parley_private.digest_teams(session, since_cursor, v_before, reader) t);
  select coalesce(sum(t.messages), 0), coalesce(sum(t.decisions), 0) into v_digest.messages, v_totals.decisions
  from unnest(v_digest.teams) t;
  v_totals.events := session.last_sequence - since_cursor - v_digest.messages;
  v_totals.doc_changes := session.session_doc_version - v_before;
  v_totals.open_questions := (
    select count(*) from parley.open_questions o where o.session_id = session.id and o.sequence > since_cursor
  );
  v_digest.open_questions := array(
    select parley_private.as_open_question(q) from (
      select * from parley_private.open_questions(session.id, since_cursor) limit v_longest
    ) q
    order by q.sequence
  );
  v_digest.decisions := array(
    select parley_private.as_note(d) from (
      select * from parley.messages m
      where m.session_id = session.id and m.sequence > since_cursor and m.kind = 'decision'
      order by m.sequence desc limit v_longest
    ) d
    order by d.sequence
  );
  v_digest.doc_changes := array(
    select c::parley.doc_change from parley_private.digest_doc_changes(session.id, v_before, v_longest) c
  );
  v_digest.events := array(
    select row(e.sequence, e.content ->> 'event', e.content ->> 'handle', e.posted_at)::parley.digest_event from (
      select * from parley.messages m
      where m.session_id = session.id and m.sequence > since_cursor and m.posted_by is null
      order by m.sequence desc limit v_longest
    ) e
    order by e.sequence
  );
  v_digest.omitted := nullif(
    v_totals.open_questions + v_totals.decisions + v_totals.doc_changes + v_totals.events
    - cardinality(v_digest.open_questions) - cardinality(v_digest.decisions)
    - cardinality(v_digest.doc_changes) - cardinality(v_digest.events), 0);
  if v_digest.omitted is not null then
    v_digest.totals := v_totals;
  end if;
  return v_digest;
end;
$$;

grant execute on function parley_private.digest to parley_caller;

-- How much was said before a team came, and about what a digest of it takes, by the length of its lists: four characters are
-- a token. Null when nothing was.
create or replace function parley_private.earlier(session parley.sessions)
returns parley.earlier
language sql stable
set search_path = ''
as $$
  select row(
    session.last_sequence,
    (
      150
      -- They are counted 1, 2, 3 … and stay: the last one tells.
      + 170 * coalesce((select max(p.id) from parley.participants p where p.session_id = session.id), 0)
      + 110 * least(lists.longest, session.session_doc_version)
      + 110 * (
        select count(*) from (
          select from parley.messages m where m.session_id = session.id and m.posted_by is null limit lists.longest
        ) event
      )
      + coalesce((
        select sum(150 + least(char_length(note.content ->> 'text'), 280))
        from (
          (select q.content from parley_private.open_questions(session.id) q limit lists.longest)
          union all
          (
            select m.content from parley.messages m
            where m.session_id = session.id and m.kind = 'decision'
            order by m.sequence desc limit lists.longest
          )
        ) note
      ), 0)
    ) / 4
  )::parley.earlier
  from (select parley_private.setting('digest_items') as longest) lists
  where session.last_sequence > 0;
$$;
