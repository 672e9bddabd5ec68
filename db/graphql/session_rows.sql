-- The list of sessions as people look at it: what needs them first, then what is live, then what is quiet, then what is concluded.
-- One row has all that a line of the page shows, so that a page of fifty is one statement and a change is one row.
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
create or replace function parley_private.said_in_short(message parley.messages)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if message.type = 'chat' then
    return jsonb_build_object('text', left(message.content ->> 'text', 200));
  elsif message.sequence is null or pg_column_size(message.content) <= 400 then
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
  v_live    timestamptz := v_now - parley_private.setting('live_seconds') * interval '1 second';
  v_working integer := parley_private.setting('working_seconds');
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
        parley_private.activity_of(p.left_at, l.listens, v_now - p.last_seen_at, v_working), p.doing)::parley.row_team
      from parley.participants p
      cross join lateral (
        select exists (
          select from parley_private.waits w where w.session_id = p.session_id and w.participant_id = p.id and w.expires_at > v_now offset 0
        ) as listens offset 0
      ) l
      where p.session_id = s.id and p.left_at is null
      order by l.listens desc, p.last_seen_at < v_now - v_working * interval '1 second', p.id
      limit 6
    ) end,
    coalesce((select max(p.id) from parley.participants p where p.session_id = s.id), 0),
    s.conclusion,
    kin.origin, kin.relation, coalesce(kin.family, s.ref),
    placed.board, placed.zone,
    exists (select from parley_private.archived_sessions a where a.session_id = s.id and a.user_id = person offset 0)
  from unnest(ids) with ordinality as asked (id, nth)
  join parley.sessions s on s.id = asked.id
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

-- Those that have changed, for whoever shows the list already.
create or replace function parley.session_rows_of(ids uuid[])
returns setof parley.session_row
language plpgsql stable security definer
set search_path = ''
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

-- Becomes part of the statement that asks, too.
create or replace function parley_private.is_listed(
  session parley.sessions,
  status text,
  part text,
  archived boolean,
  away uuid[],
  sees_all boolean,
  sees_public boolean,
  own uuid[]
)
returns boolean
language sql stable
return (is_listed.status is null or session.status = is_listed.status)
  and parley_private.is_seen(session, sees_all, sees_public, own)
  and (session.id = any (away)) = archived
  and (part is null or strpos(lower(concat_ws(' ', session.ref, session.title, session.description)), part) > 0);

-- The sessions in which somebody is there; if there are more than most, some of them.
create or replace function parley_private.live_sessions(most integer default null)
returns uuid[]
language sql stable
set search_path = ''
as $$
  select array(
    (
      select distinct p.session_id from parley.participants p
      where p.known_status <> 'disconnected' and p.left_at is null
      order by p.session_id limit most
    )
    union
    (
      select distinct w.session_id from parley_private.waits w where w.expires_at > clock_timestamp()
      order by w.session_id limit most
    )
  );
$$;

-- How many there are; without looking at each, where only status and rights decide.
create or replace function parley_private.count_listed(
  status text,
  archived boolean,
  away uuid[],
  sees_all boolean,
  sees_public boolean,
  own uuid[]
)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_count integer;
begin
  if archived or not (sees_all or sees_public) then
    return (
      select count(*) from parley.sessions s
      where s.id = any (case when archived then away else own end)
        and parley_private.is_listed(s, count_listed.status, null, archived, away, sees_all, sees_public, own));
  end if;
  v_count := case when status = 'active' then 0 else (select count(*) from parley.sessions s) end;
  if status is not null then
    v_count := abs(v_count - (select count(*) from parley.sessions s where s.status = 'active'));
  end if;
  if not sees_all then
    v_count := v_count - (
      select count(*) from parley.sessions s
      where s.visibility = 'members' and s.id <> all (own) and (count_listed.status is null or s.status = count_listed.status));
  end if;
  if away <> '{}' then
    v_count := v_count - (
      select count(*) from parley.sessions s
      where s.id = any (away) and parley_private.is_listed(s, count_listed.status, null, true, away, sees_all, sees_public, own));
  end if;
  return v_count;
end;
$$;

-- Those that come first. Each kind is looked for where it is found fast, and only if those before it do not fill the page: nobody waits
-- for ten thousand to be put in order for the fifty that are shown.
create or replace function parley_private.first_listed(
  most integer,
  needed uuid[],
  status text,
  archived boolean,
  away uuid[],
  sees_all boolean,
  sees_public boolean,
  own uuid[]
)
returns uuid[]
language plpgsql stable
set search_path = ''
as $$
declare
  c_many  constant integer := 500;
  v_live  uuid[] := parley_private.live_sessions(c_many + 1);
  v_found uuid[];
begin
  if cardinality(v_live) > c_many then
    -- Most of those that were active last: found by looking from there.
    v_live := array(
      select s.id from parley.sessions s
      where s.status = 'active' and parley_private.is_listed(s, first_listed.status, null, archived, away, sees_all, sees_public, own)
        and (exists (select from parley.participants p where p.session_id = s.id and p.known_status <> 'disconnected' and p.left_at is null offset 0)
          or exists (select from parley_private.waits w where w.session_id = s.id and w.expires_at > clock_timestamp() offset 0))
      order by s.active_minute desc
      limit most + cardinality(needed)
    );
  end if;
  v_found := array(
    select s.id from parley.sessions s
    where s.id = any (needed || v_live) and s.status = 'active'
      and parley_private.is_listed(s, first_listed.status, null, archived, away, sees_all, sees_public, own)
    order by s.id = any (needed) desc, greatest(s.updated_at, s.last_message_at) desc, s.id
    limit most
  );
  if cardinality(v_found) < most and status is distinct from 'closed' then
    v_found := v_found || array(
      select quiet.id from (
        select s.id, greatest(s.updated_at, s.last_message_at) as active_at from parley.sessions s
        where s.status = 'active' and s.id not in (select unnest(v_found))
          and parley_private.is_listed(s, first_listed.status, null, archived, away, sees_all, sees_public, own)
        order by s.active_minute desc
        limit most - cardinality(v_found)
      ) quiet
      order by quiet.active_at desc, quiet.id
    );
  end if;
  if cardinality(v_found) < most and status is distinct from 'active' then
    v_found := v_found || array(
      select concluded.id from (
        select s.id, greatest(s.updated_at, s.last_message_at) as active_at from parley.sessions s
        where s.status = 'closed'
          and parley_private.is_listed(s, first_listed.status, null, archived, away, sees_all, sees_public, own)
        order by s.active_minute desc
        limit most - cardinality(v_found)
      ) concluded
      order by concluded.active_at desc, concluded.id
    );
  end if;
  return v_found;
end;
$$;

create or replace function parley.list_session_rows(
  status text default null,
  search text default null,
  archived boolean default false,
  "limit" integer default 50
)
returns parley.session_rows
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_status   text := status;
  v_archived boolean := coalesce(archived, false);
  v_limit    integer := least(greatest(coalesce("limit", 50), 1), 500);
  v_person   uuid := parley_private.person_id();
  v_public   boolean := parley_private.sees_public();
  v_all      boolean := parley_private.sees_all();
  v_own      uuid[] := parley_private.sees_own();
  v_part     text := parley_private.part_to_find('search', nullif(search, ''));
  v_away     uuid[] := array(select a.session_id from parley_private.archived_sessions a where a.user_id = v_person);
  v_needs    jsonb;
  v_needed   uuid[];
  v_live     uuid[];
  v_found    uuid[];
  v_total    integer;
begin
  if v_status not in ('active', 'closed') then
    perform parley_private.refuse_argument('status', 'status must be active or closed.', 'Leave it out to see both.');
  end if;
  v_needs := parley_private.needs_per_session(v_person);
  v_needed := array(select needed::uuid from jsonb_object_keys(v_needs) needed);
  if v_part is null then
    v_found := parley_private.first_listed(v_limit + 1, v_needed, v_status, v_archived, v_away, v_all, v_public, v_own);
    v_total := case when cardinality(v_found) <= v_limit then cardinality(v_found)
      else parley_private.count_listed(v_status, v_archived, v_away, v_all, v_public, v_own) end;
  else
    -- Each has to be looked at; once.
    v_live := parley_private.live_sessions();
    with matching as materialized (
      select s.id, s.status, greatest(s.updated_at, s.last_message_at) as active_at from parley.sessions s
      where parley_private.is_listed(s, v_status, v_part, v_archived, v_away, v_all, v_public, v_own)
    )
    select array(
      select m.id from matching m
      order by case
          when m.status = 'closed' then 4
          when m.id in (select unnest(v_needed)) then 1
          when m.id in (select unnest(v_live)) then 2
          else 3
        end, m.active_at desc, m.id
      limit v_limit + 1
    ), (select count(*) from matching) into v_found, v_total;
  end if;
  return row(
    array(select r from parley_private.as_session_rows(v_found[:v_limit], v_person, v_needs) r),
    v_total,
    cardinality(v_found) > v_limit
  )::parley.session_rows;
end;
$$;

comment on function parley.list_session_rows is '@cost 100
@notNull
The list as people look at it: what needs you, what is live, what is quiet, what is concluded; of one status (active, closed), with a
text in ref, title or description, or what you have put away.';

-- A board as people look at it: its sessions as lines, those that came last first.
create or replace function parley.list_board_rows(board text)
returns parley.session_rows
language plpgsql stable security definer
set search_path = ''
as $$
declare
  c_most   constant integer := 500;
  v_board  parley.boards := parley_private.find_board(board);
  v_person uuid := parley_private.person_id();
  v_found  uuid[] := parley_private.seen_of(array(
    select p.session_id from parley.placements p where p.board = v_board.slug order by p.placed_at desc, p.session_id
  ));
begin
  return row(
    array(select r from parley_private.as_session_rows(v_found[:c_most], v_person, parley_private.needs_per_session(v_person)) r),
    cardinality(v_found),
    cardinality(v_found) > c_most
  )::parley.session_rows;
end;
$$;

comment on function parley.list_board_rows is '@cost 100
@notNull
The sessions on a board, those that came last first; 500 at most.';

grant execute on function parley.session_rows_of, parley.list_session_rows, parley.list_board_rows to parley_caller;

-- For people, on the page: no verb, so that no agent is offered it as a tool.
create or replace function parley.archive_session(session_id text, archived boolean default true)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session parley.sessions;
  v_person  uuid := parley_private.person_id();
begin
  perform parley_private.admit('person');
  v_session := parley_private.find_session(session_id);
  if coalesce(archived, true) then
    insert into parley_private.archived_sessions (user_id, session_id) values (v_person, v_session.id)
    on conflict on constraint archived_sessions_are_once_per_person do nothing;
  else
    delete from parley_private.archived_sessions a where a.user_id = v_person and a.session_id = v_session.id;
  end if;
  return coalesce(archived, true);
end;
$$;

grant execute on function parley.archive_session to parley_caller;

comment on function parley.archive_session is '@notNull
Put a session away from your list, or take it back. Nobody else notices.';
