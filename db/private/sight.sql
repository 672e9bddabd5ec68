-- What a caller sees of the sessions: all of them; those that are for everyone; or nothing but its own (some). The policies of
-- the tables ask here, and so does find_session for functions that run as the owner. Found out once per call and kept.
create or replace function parley_private.sight()
returns text
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_sight text := current_setting('parley.sight', true);
  v_actor parley_private.actor;
begin
  if v_sight <> '' then
    return v_sight;
  end if;
  v_actor := parley_private.actor();
  v_sight := case
    when 'admin' = any (parley_private.scopes_of(v_actor)) and (v_actor.key).session_id is null then 'all'
    when not parley_private.asks_for_keys() then 'public'
    when (v_actor.person).id is not null then 'public'
    when (v_actor.key).id is not null and (v_actor.key).session_id is null then 'public'
    -- A team sees what the key sees that it was opened under; a guest was opened under none.
    when exists (select from parley_private.keys k where k.id = (v_actor.team).key_id and k.session_id is null) then 'public'
    when (v_actor.team).user_id is not null then 'public'
    else 'some'
  end;
  perform
    set_config('parley.sees_all', '', true),
    set_config('parley.sight', v_sight, true),
    set_config('parley.own_sessions', parley_private.own_sessions(v_actor)::text, true);
  return v_sight;
end;
$$;

-- Those that it sees whoever they are for: of its team and what that continues (a guest's alone), of its key, of its memberships.
-- A session for everyone opens none for members, though it continues it: everyone can join it. Planned once: every call asks, and to
-- plan it takes longer than to answer.
create or replace function parley_private.own_sessions(actor parley_private.actor)
returns uuid[]
language sql stable
set search_path = '' set plan_cache_mode = force_generic_plan
as $$
  with recursive line as (
    select (actor.team).session_id as id where (actor.team).session_id is not null
    union
    select o.origin_id
    from line l
    join parley.lineage o on o.session_id = l.id and o.relation = 'resumed' and not (actor.team).guest
    join parley.sessions later on later.id = l.id
    join parley.sessions earlier on earlier.id = o.origin_id and (earlier.visibility = 'everyone' or later.visibility = 'members')
  )
  select array(
    select l.id from line l
    union
    select m.session_id from parley_private.members m where m.user_id = (actor.person).id
    union
    select (actor.key).session_id where (actor.key).session_id is not null
    union
    -- One that is used up still lets its guest connect, and shows nothing any more.
    select (actor.invite).session_id where (actor.invite).uses_left > 0
  );
$$;

create or replace function parley_private.sees(session parley.sessions)
returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.sees_public() and session.visibility = 'everyone'
    or parley_private.sight() = 'all'
    or session.id = any (parley_private.sees_own());
end;
$$;

grant execute on function parley_private.sight, parley_private.sees to parley_caller;
