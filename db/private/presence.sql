-- Presence may be lost in a crash; it is not worth a flush to disk per poll. Said inside the transaction: a setting
-- on the function would end with the function, before the commit. Never where a message or a document is written.
-- Nor after one: calls may share a transaction, and the next one is told what was set before.
create or replace function parley_private.write_presence_only()
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if pg_current_xact_id_if_assigned() is null and coalesce(current_setting('parley.synchronous_commit', true), '') = '' then
    perform
      set_config('parley.synchronous_commit', current_setting('synchronous_commit'), true),
      set_config('synchronous_commit', 'off', true);
  end if;
end;
$$;

-- Whether a wait of the team is in flight. In plpgsql, as others here that are asked for row after row: a plan that is kept.
create or replace function parley_private.is_listening(session_id uuid, participant_id integer, as_of timestamptz default clock_timestamp())
returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return exists (
    select from parley_private.waits w
    where w.session_id = is_listening.session_id
      and w.participant_id = is_listening.participant_id
      and w.expires_at > as_of
  );
end;
$$;

grant execute on function parley_private.is_listening to parley_caller;

-- Who of a session is listening, each with what waits for it: hook or runner where one does, else wait.
create or replace function parley_private.listeners_in(session_id uuid)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select jsonb_object_agg(l.participant_id, l.by) from (
      select w.participant_id, min(w.by) as by from parley_private.waits w
      where w.session_id = listeners_in.session_id and w.expires_at > clock_timestamp()
      group by w.participant_id
    ) l
  );
end;
$$;

grant execute on function parley_private.listeners_in to parley_caller;

-- A setting of seconds as the moment since when: who asks about many compares it with each, and reckons once.
create or replace function parley_private.since(name text, as_of timestamptz)
returns timestamptz
language sql stable
return as_of - parley_private.setting(name) * interval '1 second';

-- Presence is derived, never declared: every call is a sign of life, and a wait is one for as long as it lasts. This is the rule,
-- and becomes part of the statement that asks: who asks about many looks up waits and settings once.
create or replace function parley_private.presence_of(
  left_at timestamptz,
  listening boolean,
  last_seen_at timestamptz,
  active_since timestamptz,
  idle_since timestamptz
)
returns text
language sql immutable
return case
  when left_at is not null then 'disconnected'
  when listening or last_seen_at >= active_since then 'active'
  when last_seen_at >= idle_since then 'idle'
  else 'disconnected'
end;

-- What people look at: whether a team hears what is said now, is at work between two calls, or has fallen silent.
create or replace function parley_private.activity_of(left_at timestamptz, listening boolean, last_seen_at timestamptz, working_since timestamptz)
returns text
language sql immutable
return case
  when left_at is not null then 'left'
  when listening then 'listening'
  when last_seen_at >= working_since then 'working'
  else 'silent'
end;

grant execute on function parley_private.since, parley_private.presence_of, parley_private.activity_of to parley_caller;

create or replace function parley_private.presence(participant parley.participants, as_of timestamptz default clock_timestamp())
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.presence_of(
    participant.left_at,
    parley_private.is_listening(participant.session_id, participant.id, as_of),
    participant.last_seen_at,
    parley_private.since('presence_active_seconds', as_of),
    parley_private.since('presence_idle_seconds', as_of));
end;
$$;

grant execute on function parley_private.presence to parley_caller;

create or replace function parley_private.activity(participant parley.participants, as_of timestamptz default clock_timestamp())
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.activity_of(
    participant.left_at,
    parley_private.is_listening(participant.session_id, participant.id, as_of),
    participant.last_seen_at,
    parley_private.since('working_seconds', as_of));
end;
$$;

grant execute on function parley_private.activity to parley_caller;

-- The sign of life of a call that has just ended. Not for every call of a burst, never waiting for another call of the
-- team (that one is a sign of life too), and without a flush to disk where the call has written nothing else.
create or replace function parley_private.note_call(team_hash text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller parley.participants;
begin
  if coalesce(team_hash, '') = '' then
    return;
  end if;
  perform parley_private.write_presence_only();
  select p.* into v_caller
  from parley_private.credentials c
  join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
  where c.hash = decode(team_hash, 'hex')
    and p.left_at is null
    and (p.known_status <> 'active' or p.last_seen_at < clock_timestamp() - interval '0.5 seconds')
  for no key update of p skip locked;
  if found and v_caller.known_status <> 'active' then
    -- The record of presence refers to the session: who has locked that is not waited for either.
    perform from parley.sessions s where s.id = v_caller.session_id for key share skip locked;
  end if;
  if not found then
    return;
  end if;
  update parley.participants p set last_seen_at = clock_timestamp(), known_status = 'active'
  where p.session_id = v_caller.session_id and p.id = v_caller.id;
end;
$$;

grant execute on function parley_private.note_call to parley_caller;

-- Run by the worker every few seconds: writes, and so announces, the statuses that time alone has changed. At most a
-- thousand, so that nobody waits long for the row of his team: the worker comes back at once for the rest.
create or replace function parley_private.sweep_presence(as_of timestamptz default clock_timestamp())
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_active  timestamptz := parley_private.since('presence_active_seconds', as_of);
  v_idle    timestamptz := parley_private.since('presence_idle_seconds', as_of);
  v_changed integer;
begin
  perform parley_private.write_presence_only();
  -- Planned for as many as there are: a plan that was made for a few would take its time with ten thousand.
  perform set_config('plan_cache_mode', 'force_custom_plan', true);
  with due as (
    select p.session_id, p.id, rule.status
    from parley.participants p
    left join (
      select distinct w.session_id, w.participant_id from parley_private.waits w where w.expires_at > as_of
    ) listener on listener.session_id = p.session_id and listener.participant_id = p.id
    cross join lateral (
      select parley_private.presence_of(p.left_at, listener.participant_id is not null, p.last_seen_at, v_active, v_idle) as status
    ) rule
    where p.known_status <> 'disconnected' and p.known_status <> rule.status
    limit 1000
  ),
  changed as (
    select p.session_id, p.id, due.status
    from due
    join parley.participants p on p.session_id = due.session_id and p.id = due.id
    join parley.sessions s on s.id = p.session_id
    for no key update of p skip locked
    -- The record of presence refers to it.
    for key share of s skip locked
  )
  update parley.participants p set known_status = changed.status
  from changed
  where p.session_id = changed.session_id and p.id = changed.id;
  get diagnostics v_changed = row_count;

  -- A minute late, so that a server that was cut off for a moment still finds the calls it holds.
  delete from parley_private.waits w
  where w.id in (
    select x.id from parley_private.waits x where x.expires_at < as_of - interval '1 minute' for update skip locked
  );
  return v_changed;
end;
$$;

grant execute on function parley_private.sweep_presence to parley_worker;
