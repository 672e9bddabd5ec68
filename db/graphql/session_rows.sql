-- The list of sessions as people look at it: what needs them first, then what is live, then what is quiet, then what is concluded.

-- Becomes part of the statement that asks, as is_seen does.
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
  v_live  uuid[];
  v_found uuid[] := '{}';
begin
  if status is distinct from 'closed' then
    v_live := parley_private.live_sessions(c_many + 1);
    if cardinality(v_live) > c_many then
      -- Most of those that were active last: found by looking from there.
      v_live := array(
        select s.id from parley.sessions s
        where s.status = 'active' and parley_private.is_listed(s, null, null, archived, away, sees_all, sees_public, own)
          and (exists (select from parley.participants p where p.session_id = s.id and p.known_status <> 'disconnected' and p.left_at is null offset 0)
            or exists (select from parley_private.waits w where w.session_id = s.id and w.expires_at > clock_timestamp() offset 0))
        order by s.active_minute desc
        limit most + cardinality(needed)
      );
    end if;
    v_found := array(
      select s.id from parley.sessions s
      where s.id = any (needed || v_live) and s.status = 'active'
        and parley_private.is_listed(s, null, null, archived, away, sees_all, sees_public, own)
      order by s.id = any (needed) desc, greatest(s.updated_at, s.last_message_at) desc, s.id
      limit most
    );
    if cardinality(v_found) < most then
      v_found := v_found || array(
        select quiet.id from (
          select s.id, greatest(s.updated_at, s.last_message_at) as active_at from parley.sessions s
          where s.status = 'active' and s.id not in (select unnest(v_found))
            and parley_private.is_listed(s, null, null, archived, away, sees_all, sees_public, own)
          order by s.active_minute desc
          limit most - cardinality(v_found)
        ) quiet
        order by quiet.active_at desc, quiet.id
      );
    end if;
  end if;
  if cardinality(v_found) < most and status is distinct from 'active' then
    v_found := v_found || array(
      select concluded.id from (
        select s.id, greatest(s.updated_at, s.last_message_at) as active_at from parley.sessions s
        where s.status = 'closed'
          and parley_private.is_listed(s, null, null, archived, away, sees_all, sees_public, own)
        order by s.active_minute desc
        limit most - cardinality(v_found)
      ) concluded
      order by concluded.active_at desc, concluded.id
    );
  end if;
  return v_found;
end;
$$;

-- Planned once, as verbs are: to plan anew for each call what it asks takes as long as a third of the answers.
create or replace function parley.list_session_rows(
  status text default null,
  search text default null,
  archived boolean default false,
  "limit" integer default 50
)
returns parley.session_rows
language plpgsql stable security definer
set search_path = '' set plan_cache_mode = force_generic_plan
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
set search_path = '' set plan_cache_mode = force_generic_plan
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
