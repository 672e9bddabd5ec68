-- A session as a line of a list: one row has all that the page shows of it, so that a page of fifty is one statement and a change is one row.
do $$
begin
  create type parley.row_team as (handle text, team_name text, kind text, activity text, doing text);
  create type parley.session_row as (
    id uuid,
    ref text,
    title text,
    description text,
    state text,
    paused boolean,
    needs integer,
    open_questions integer,
    last_cursor integer,
    doc_version integer,
    last_activity_at timestamptz,
    said_by text,
    said jsonb,
    teams parley.row_team[],
    team_count integer,
    conclusion text,
    origin text,
    relation text,
    family text,
    board text,
    zone text,
    archived boolean
  );
  create type parley.session_rows as (rows parley.session_row[], total integer, has_more boolean);
exception when duplicate_object then null;
end $$;
comment on type parley.row_team is 'A team, in the list of sessions.';
comment on column parley.row_team.handle is '@notNull';
comment on column parley.row_team.team_name is '@notNull';
comment on column parley.row_team.kind is '@notNull
agent or human.';
comment on column parley.row_team.activity is '@notNull
listening, working or silent.';
comment on column parley.row_team.doing is 'What it is doing, in its own words.';
comment on type parley.session_row is 'A session, as a line of a list.';
comment on column parley.session_row.id is '@notNull';
comment on column parley.session_row.ref is '@notNull';
comment on column parley.session_row.title is '@notNull';
comment on column parley.session_row.paused is '@notNull';
comment on column parley.session_row.last_cursor is '@notNull';
comment on column parley.session_row.doc_version is '@notNull';
comment on column parley.session_row.last_activity_at is '@notNull';
comment on column parley.session_row.description is '@notNull
Cut, if it is long.';
comment on column parley.session_row.state is '@notNull
live, quiet or concluded.';
comment on column parley.session_row.needs is '@notNull
How much in it waits for a person.';
comment on column parley.session_row.open_questions is '@notNull
How many questions nobody has answered, whoever they are for.';
comment on column parley.session_row.said_by is 'The name of the team that has said the last; null for an event.';
comment on column parley.session_row.said is 'The content of the newest message, cut.';
comment on column parley.session_row.teams is '@notNull
Those who are there, the liveliest first; six at most.';
comment on column parley.session_row.team_count is '@notNull
How many teams have joined, whether still there or not.';
comment on column parley.session_row.conclusion is 'The first sentence of its conclusion.';
comment on column parley.session_row.origin is 'The ref of the session that it comes from.';
comment on column parley.session_row.relation is 'spawned, forked or resumed.';
comment on column parley.session_row.family is '@notNull
The ref of the oldest session that it comes from; its own, if it comes from none.';
comment on column parley.session_row.board is 'The slug of the board that it is on.';
comment on column parley.session_row.zone is 'And its zone there.';
comment on column parley.session_row.archived is '@notNull
Whether you have put it away.';
comment on column parley.session_rows.rows is '@notNull';
comment on column parley.session_rows.total is '@notNull
How many there are.';
comment on column parley.session_rows.has_more is '@notNull';

-- For a line of a list nobody reads more than this of a text.
create or replace function parley_private.event_in_short(message parley.messages)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if message.sequence is null or pg_column_size(message.content) <= 400 then
    return message.content;
  end if;
  return jsonb_strip_nulls(jsonb_build_object(
    'event', message.content -> 'event', 'by', left(message.content ->> 'by', 80), 'team', left(message.content ->> 'team', 80),
    'task', message.content -> 'task', 'title', left(message.content ->> 'title', 80), 'ref', message.content -> 'ref',
    'result', left(message.content ->> 'result', 80), 'cursor', message.content -> 'cursor', 'answer', left(message.content ->> 'answer', 80),
    'tasks', (
      select jsonb_agg(case when t.nth <= 3 then jsonb_build_object('title', left(t.task ->> 'title', 60)) else '{}' end order by t.nth)
      from jsonb_array_elements(case jsonb_typeof(message.content -> 'tasks') when 'array' then message.content -> 'tasks' else '[]' end)
        with ordinality as t (task, nth)
    )));
end;
$$;

-- What was said becomes part of the statement that asks: most newest messages are that.
create or replace function parley_private.said_in_short(message parley.messages)
returns jsonb
language sql stable
return case
  when message.type = 'chat' then jsonb_build_object('text', left(message.content ->> 'text', 200))
  else parley_private.event_in_short(message)
end;

-- How much of each session waits for the person.
create or replace function parley_private.needs_per_session(person uuid)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(n.session_id, n.number), '{}')
    from (select n.session_id, count(*) as number from parley_private.needs(person) n group by n.session_id) n
  );
end;
$$;

-- Whether a session is seen by who sees this much. Becomes part of the statement that asks: called immutable, it would not, for what
-- it calls is only stable.
create or replace function parley_private.is_seen(session parley.sessions, sees_all boolean, sees_public boolean, own uuid[])
returns boolean
language sql stable
return sees_all or session.visibility = 'everyone' and sees_public or session.id = any (own);

-- Not asked whether the caller sees them: who calls this has found that out, once for all of them. What is looked up for each is looked
-- up by its key: the planner would rather read all there are.
create or replace function parley_private.as_session_rows(ids uuid[], person uuid, needed jsonb)
returns setof parley.session_row
language plpgsql stable
set search_path = ''
as $$
declare
  v_now     timestamptz := clock_timestamp();
  v_live    timestamptz := parley_private.since('live_seconds', v_now);
  v_working timestamptz := parley_private.since('working_seconds', v_now);
  v_public  boolean := parley_private.sees_public();
  v_all     boolean := parley_private.sees_all();
  v_own     uuid[] := parley_private.sees_own();
begin
  return query
  with recursive line as (
    select asked.id, l.relation, o.id as origin_id, o.ref, 1 as depth
    from unnest(ids) as asked (id)
    cross join lateral (select l.relation, l.origin_id from parley.lineage l where l.session_id = asked.id offset 0) l
    cross join lateral (
      select o.id, o.ref from parley.sessions o where o.id = l.origin_id and parley_private.is_seen(o, v_all, v_public, v_own) offset 0
    ) o
    union all
    select line.id, line.relation, o.id, o.ref, line.depth + 1
    from line
    cross join lateral (select l.origin_id from parley.lineage l where l.session_id = line.origin_id offset 0) l
    cross join lateral (
      select o.id, o.ref from parley.sessions o where o.id = l.origin_id and parley_private.is_seen(o, v_all, v_public, v_own) offset 0
    ) o
    where line.depth < 100
  ),
  kin as (
    select line.id, max(line.relation) as relation, (array_agg(line.ref order by line.depth))[1] as origin,
      (array_agg(line.ref order by line.depth desc))[1] as family
    from line group by line.id
  )
  select
    s.id, s.ref, s.title, left(s.description, 160),
    case
      when s.status = 'closed' then 'concluded'
      when exists (
        select from parley.participants p
        where p.session_id = s.id and p.left_at is null and p.last_seen_at > v_live
        offset 0
      ) or exists (
        select from parley_private.waits w join parley.participants p on p.session_id = s.id and p.id = w.participant_id
        where w.session_id = s.id and w.expires_at > v_now and p.left_at is null
        offset 0
      ) then 'live'
      else 'quiet'
    end,
    s.paused_at is not null,
    coalesce((needed ->> s.id::text)::integer, 0),
    case when s.status = 'closed' then 0 else (select count(*)::integer from parley.open_questions o where o.session_id = s.id) end,
    s.last_sequence, s.session_doc_version, greatest(s.updated_at, s.last_message_at),
    (select p.team_name from parley.participants p where p.session_id = s.id and p.id = m.posted_by),
    parley_private.said_in_short(m),
    case when s.status = 'closed' then '{}' else array(
      select row(p.handle, p.team_name, p.kind,
        parley_private.activity_of(p.left_at, p.listens, p.last_seen_at, v_working), p.doing)::parley.row_team
      from (
        select p.id, p.handle, p.team_name, p.kind, p.left_at, p.last_seen_at, p.doing, heard.by_any and exists (
          select from parley_private.waits w where w.session_id = p.session_id and w.participant_id = p.id and w.expires_at > v_now offset 0
        ) as listens
        from parley.participants p where p.session_id = s.id and p.left_at is null offset 0
      ) p
      order by p.listens desc, p.last_seen_at < v_working, p.id
      limit 6
    ) end,
    coalesce((select max(p.id) from parley.participants p where p.session_id = s.id), 0),
    s.conclusion,
    kin.origin, kin.relation, coalesce(kin.family, s.ref),
    placed.board, placed.zone,
    exists (select from parley_private.archived_sessions a where a.session_id = s.id and a.user_id = person offset 0)
  from unnest(ids) with ordinality as asked (id, nth)
  join parley.sessions s on s.id = asked.id
  -- Asked of the session first: where nobody listens, a thousand teams are not asked one by one.
  cross join lateral (
    select exists (select from parley_private.waits w where w.session_id = s.id and w.expires_at > v_now offset 0) as by_any offset 0
  ) heard
  left join parley.messages m on m.session_id = s.id and m.sequence = s.last_sequence
  left join kin on kin.id = s.id
  left join parley.placements placed on placed.session_id = s.id
  order by asked.nth;
end;
$$;

-- Those of the sessions that the caller sees; asked once for all of them.
create or replace function parley_private.seen_of(ids uuid[])
returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_public boolean := parley_private.sees_public();
  v_all    boolean := parley_private.sees_all();
  v_own    uuid[] := parley_private.sees_own();
begin
  return array(
    select s.id from unnest(ids) with ordinality as asked (id, nth)
    join parley.sessions s on s.id = asked.id
    where parley_private.is_seen(s, v_all, v_public, v_own)
    order by asked.nth
  );
end;
$$;

-- Those that have changed, for whoever shows the list already. Planned once, as the list is.
create or replace function parley.session_rows_of(ids uuid[])
returns setof parley.session_row
language plpgsql stable security definer
set search_path = '' set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  select r.* from parley_private.person_id() as person (id)
  cross join lateral parley_private.as_session_rows(
    parley_private.seen_of(ids[:100]), person.id, parley_private.needs_per_session(person.id)) r;
end;
$$;

comment on function parley.session_rows_of is '@cost 50
@behavior -*
The lines of these sessions, as far as you see them; a hundred at most.';
