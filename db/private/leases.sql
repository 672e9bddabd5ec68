-- What a team has claimed it keeps while it is present, and claim_grace longer: until this time, if it is not heard of any more.
create or replace function parley_private.lease_ends(holder parley.participants)
returns timestamptz
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return greatest(
      holder.last_seen_at + parley_private.setting('presence_idle_seconds') * interval '1 second',
      (
        select max(w.expires_at) from parley_private.waits w
        where w.session_id = holder.session_id and w.participant_id = holder.id
      ))
    + parley_private.setting('claim_grace') * interval '1 second';
end;
$$;

grant execute on function parley_private.lease_ends to parley_caller;

-- The teams of a session whose claims have run out. Not the caller: who calls is there. Nearly all were heard of lately: of those
-- nobody asks whether they wait.
create or replace function parley_private.lapsed_teams(session_id uuid, caller integer, as_of timestamptz)
returns setof parley.participants
language sql stable
set search_path = ''
as $$
  select p.* from parley.participants p
  where p.session_id = lapsed_teams.session_id
    and p.id in (
      select t.claimed_by from parley.tasks t where t.session_id = lapsed_teams.session_id and t.claimed_by is not null
      union
      select h.participant_id from parley.held_paths h where h.session_id = lapsed_teams.session_id
    )
    and p.id is distinct from caller
    and p.last_seen_at < as_of
      - (select parley_private.setting('presence_idle_seconds') + parley_private.setting('claim_grace')) * interval '1 second'
    and parley_private.lease_ends(p) < as_of
  order by p.id;
$$;

-- Gives back all that a team has claimed. To the team itself it is news, unless it has done so: then told_by is its handle.
create or replace function parley_private.free_claims(holder parley.participants, reason text, told_by text default null)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_task parley.tasks;
begin
  for v_task in
    select * from parley.tasks t where t.session_id = holder.session_id and t.claimed_by = holder.id order by t.task
  loop
    update parley.tasks t set status = 'open', claimed_by = null, updated_at = clock_timestamp(), version = t.version + 1
    where t.session_id = v_task.session_id and t.task = v_task.task;
    perform parley_private.announce_task(v_task, 'task_freed', told_by,
      jsonb_build_object('team', holder.team_name, 'from', holder.handle, 'reason', reason));
  end loop;
  delete from parley.held_paths h where h.session_id = holder.session_id and h.participant_id = holder.id;
end;
$$;

-- What becomes of a task is told in the feed, one message each.
create or replace function parley_private.announce_task(task parley.tasks, event text, handle text, fields jsonb default '{}')
returns void
language sql volatile
set search_path = ''
as $$
  select parley_private.announce(
    task.session_id, event,
    jsonb_strip_nulls(jsonb_build_object('task', task.task, 'title', task.title, 'handle', announce_task.handle) || fields));
$$;

-- Under the lock of the session: what has run out is free before anybody asks for it.
create or replace function parley_private.free_lapsed(session_id uuid, caller integer default null, as_of timestamptz default clock_timestamp())
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.free_claims(p, 'lease expired')
  from parley_private.lapsed_teams(free_lapsed.session_id, caller, as_of) p;
end;
$$;

-- Run by the worker every few seconds; says in how many sessions something has run out, twenty at most: then there may be more.
-- A session that is locked just now is looked at the next time.
create or replace function parley_private.sweep_claims(as_of timestamptz default clock_timestamp())
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session uuid;
  v_swept   integer := 0;
begin
  for v_session in
    select s.id from parley.sessions s
    where s.id in (
      select t.session_id from parley.tasks t where t.claimed_by is not null
      union
      select h.session_id from parley.held_paths h
    )
    and exists (select from parley_private.lapsed_teams(s.id, null, as_of))
    limit 20
    for no key update skip locked
  loop
    perform parley_private.free_lapsed(v_session, null, as_of);
    v_swept := v_swept + 1;
  end loop;
  return v_swept;
end;
$$;

grant execute on function parley_private.sweep_claims to parley_worker;

-- Whoever leaves, or is made to leave, leaves what it had claimed.
create or replace function parley_private.tg_participants__free_claims()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.free_claims(new, 'team left', new.handle)
  from parley.sessions s where s.id = new.session_id and s.status = 'active';
  return null;
end;
$$;

drop trigger if exists _300_free_claims on parley.participants;
create trigger _300_free_claims after update of left_at on parley.participants
  for each row when (new.left_at is not null) execute function parley_private.tg_participants__free_claims();
