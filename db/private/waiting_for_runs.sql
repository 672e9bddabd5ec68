-- Calls of runners, and about runs, that wait. None is answered here: when what they wait for is there, or their time is over, they
-- come back without an answer, and the server asks the verb again. "changes" are the arguments that it is then asked with, so that
-- nothing is done twice: null leaves one out.
create or replace function parley_private.hold_for_run(
  verb text,
  topic text,
  seconds double precision,
  session_id uuid default null,
  participant_id integer default null,
  runner text default null,
  options jsonb default '{}',
  changes jsonb default '{}'
)
returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_wait_id text := nullif(current_setting('parley.wait_id', true), '');
begin
  if v_wait_id is null or seconds <= 0 or parley_private.is_interrupted(session_id, participant_id) then
    return false;
  end if;
  insert into parley_private.run_waits (id, session_id, participant_id, runner, verb, options, expires_at)
  values (v_wait_id::uuid, session_id, participant_id, runner, verb, options, clock_timestamp() + (seconds + 5) * interval '1 second');
  perform set_config('parley.held', json_build_object('topic', topic, 'seconds', seconds, 'again', true, 'changes', changes)::text, true);
  return true;
end;
$$;

-- Seconds that a call may wait, of those that were asked for.
create or replace function parley_private.check_wait(wait double precision)
returns double precision
language plpgsql stable
set search_path = ''
as $$
begin
  if wait < 0 then
    perform parley_private.refuse_argument('wait', 'wait must be 0 or more seconds.', '0 answers at once; 30 is the most.');
  end if;
  return least(coalesce(wait, 0), parley_private.setting('wait_max_seconds'));
end;
$$;

-- Orders that a run has not done. With the newest that its runner knows: those after it; without: those that it was never told.
create or replace function parley_private.has_new_orders(session_id uuid, run integer, seen integer)
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from parley_private.run_orders o
    where o.session_id = has_new_orders.session_id and o.run = has_new_orders.run and o.done_at is null
      and case when seen is null then o.handed_at is null else o.nth > seen end
  );
$$;

-- The run that a runner would take next, if it has room for one. What was asked of whoever had its name before, with another token, is
-- not for it, and what is not for its offer any more is not, either: with a run goes the credential of its team.
create or replace function parley_private.next_run(runner parley_private.runners)
returns parley.runs
language sql stable
set search_path = ''
as $$
  select r.* from parley.runs r
  join parley.sessions s on s.id = r.session_id and s.status = 'active'
  where r.runner = (next_run.runner).name and r.ended_at is null and r.status = 'queued'
    and r.started_at >= (next_run.runner).offered_at and parley_private.is_for(next_run.runner, r.session_id)
    and parley_private.runs_on((next_run.runner).name) < (next_run.runner).max_runs
  order by r.started_at, r.session_id, r.run
  limit 1;
$$;

create or replace function parley_private.is_over(wait parley_private.run_waits)
returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  v_run integer := (wait.options ->> 'run')::integer;
begin
  if v_run is not null and not exists (
      select from parley.runs r where r.session_id = wait.session_id and r.run = v_run and r.ended_at is null)
    or parley_private.is_interrupted(wait.session_id, wait.participant_id) then
    return true;
  end if;
  return case wait.verb
    when 'take_run' then coalesce((
      select not parley_private.is_alive(r) or (parley_private.next_run(r)).run is not null
      from parley_private.runners r where r.name = wait.runner), true)
    when 'report_run' then parley_private.has_new_orders(wait.session_id, v_run, (wait.options ->> 'seen')::integer) or exists (
      select from parley.sessions s where s.id = wait.session_id and s.status = 'closed' and not (wait.options ->> 'closed')::boolean)
    when 'ask_permission' then not exists (
      select from parley.run_permissions p
      where p.session_id = wait.session_id and p.run = v_run and p.request = wait.options ->> 'request'
        and p.answered_at is null and p.expires_at > clock_timestamp())
    when 'prompt_agent' then parley_private.turn_is_over(wait.session_id, v_run, (wait.options ->> 'turn')::integer)
    when 'ring_team' then (
      select (parley_private.rung_team(p)).state = 'acted' or p.left_at is not null from parley.participants p
      where p.session_id = wait.session_id and p.id = (wait.options ->> 'rung')::integer)
    else true
  end;
end;
$$;

-- Whether whoever prompted a run has something to hear: its words, or what it asks for.
create or replace function parley_private.turn_is_over(session_id uuid, run integer, turn integer)
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from parley_private.run_orders o
    where o.session_id = turn_is_over.session_id and o.run = turn_is_over.run and o.nth = turn
      and (o.done_at is not null or o.handed_at is not null and exists (
        select from parley.run_permissions p
        where p.session_id = o.session_id and p.run = o.run and p.answered_at is null and p.expires_at > clock_timestamp()))
  );
$$;

-- Those of the given waits that are of this kind, and of them those that are over.
create or replace function parley_private.end_run_waits(ids uuid[], give_up boolean, out of_this_kind uuid[], out ended uuid[])
language plpgsql volatile
set search_path = ''
as $$
begin
  of_this_kind := array(select w.id from parley_private.run_waits w where w.id = any (ids));
  if cardinality(of_this_kind) > 0 then
    with gone as (
      delete from parley_private.run_waits w where w.id = any (of_this_kind) and (give_up or parley_private.is_over(w)) returning w.id
    )
    select array_agg(g.id) into ended from gone g;
  end if;
end;
$$;
