-- Everybody who is or was in a session, in the order in which they came; or one of them.
create or replace function parley_private.roster(session_id uuid, reader integer, only_one integer default null)
returns parley.roster_entry[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_now      timestamptz := clock_timestamp();
  v_convener integer := (select s.created_by from parley.sessions s where s.id = session_id);
  -- As keys: of a thousand that listen and work none is compared with all others.
  v_listen   jsonb := parley_private.listeners_in(session_id);
  v_runs     jsonb := parley_private.runs_in(session_id);
  v_tasks    jsonb := (
    select jsonb_object_agg(c.claimed_by, c.tasks) from (
      select t.claimed_by, jsonb_agg(t.task order by t.task) as tasks from parley.tasks t
      where t.session_id = roster.session_id and t.claimed_by is not null
      group by t.claimed_by
    ) c
  );
  v_active   timestamptz := parley_private.since('presence_active_seconds', v_now);
  v_idle     timestamptz := parley_private.since('presence_idle_seconds', v_now);
  v_working  timestamptz := parley_private.since('working_seconds', v_now);
begin
  return (
    select array_agg(
      row(
        p.handle,
        p.team_name,
        p.kind,
        coalesce(p.id = v_convener, false),
        coalesce(p.id = reader, false),
        p.joined_at,
        p.left_at,
        p.last_seen_at,
        parley_private.presence_of(p.left_at, heard.by is not null, p.last_seen_at, v_active, v_idle),
        heard.by is not null,
        p.cursor,
        p.acked_cursor,
        parley_private.activity_of(p.left_at, heard.by is not null, p.last_seen_at, v_working),
        p.about,
        p.doing,
        case when v_tasks ? p.id::text
          then array(select t::integer from jsonb_array_elements_text(v_tasks -> p.id::text) t)
          else '{}'
        end,
        null,
        p.guest,
        parley_private.reachable_by(p, heard.by, (v_runs ->> p.id::text)::timestamptz, v_active)
      )::parley.roster_entry
      order by p.id
    )
    from parley.participants p
    cross join lateral (select v_listen ->> p.id::text offset 0) as heard (by)
    where p.session_id = roster.session_id and p.id between coalesce(only_one, 1) and coalesce(only_one, 2147483647)
  );
end;
$$;

grant execute on function parley_private.roster to parley_caller;

-- A roster brought up to date for one of its teams: with those of whose coming or going the feed tells after a cursor, and
-- with the team itself. Teams are counted 1, 2, 3 … in their session, so each has its place in the list.
create or replace function parley_private.roster_since(seen parley.roster_entry[], after_cursor integer, reader parley.participants)
returns parley.roster_entry[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_id integer;
begin
  for v_id in
    select m.caused_by from parley.messages m
    where m.session_id = reader.session_id and m.sequence > after_cursor and m.posted_by is null and m.caused_by is not null
    union
    select reader.id
  loop
    seen[v_id] := (parley_private.roster(reader.session_id, reader.id, v_id))[1];
  end loop;
  return seen;
end;
$$;
