-- Whether the access of whoever has spawned a run was ended. An agent's own key ends with its run, so of agents that were spawned by
-- agents the first is asked, which was not.
create or replace function parley_private.is_orphaned(run parley.runs)
returns boolean
language sql stable
set search_path = ''
as $$
  with recursive line (run, started_by) as (
    select (is_orphaned.run).run, (is_orphaned.run).started_by
    union
    select r.run, r.started_by from line l
    join parley.runs r on r.session_id = (is_orphaned.run).session_id and r.participant_id = l.started_by and r.started_by is not null
  )
  select exists (
    select from line l
    join parley.participants p on p.session_id = (is_orphaned.run).session_id and p.id = l.started_by
    where not exists (select from line above where above.run < l.run)
      and (exists (select from parley_private.keys k where k.id = p.key_id and not parley_private.is_alive(k))
        or exists (select from parley_private.users u where u.id = p.user_id and u.removed_at is not null))
  );
$$;

-- Why a run cannot go on, by the clock and by what has become of its session and its runner; null: it can.
create or replace function parley_private.end_that_is_due(run parley.runs, as_of timestamptz, out status text, out error text)
language plpgsql stable
set search_path = ''
as $$
begin
  if parley_private.is_orphaned(run) then
    status := 'stopped';
    error := 'The access of whoever has started it was ended.';
  elsif run.status = 'queued' then
    if exists (select from parley.sessions s where s.id = run.session_id and s.status = 'closed') then
      status := 'stopped';
      error := 'The session was concluded before it began.';
    elsif run.alive_until < as_of and not exists (
      select from parley_private.runners r where r.name = run.runner and r.offered_at <= run.started_at and parley_private.is_alive(r)
    ) then
      status := 'failed';
      error := format('The runner %s is gone.', run.runner);
    end if;
  elsif exists (select from parley_private.runners r where r.name = run.runner and not parley_private.is_admitted(r)) then
    status := 'failed';
    error := format('The access of its runner %s was ended.', run.runner);
  elsif not parley_private.is_alive(run, as_of) then
    status := 'lost';
    error := format('Nothing was heard of its runner for %s seconds.', parley_private.setting('run_lease'));
  end if;
end;
$$;

-- Run by the worker every few seconds: ends what is lost, and refuses what nobody has answered in time. Twenty at most; says how many,
-- so that it comes back for the rest. A session or a run that is locked just now is looked at the next time.
create or replace function parley_private.sweep_runs(as_of timestamptz default clock_timestamp())
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run    parley.runs;
  v_end    record;
  v_swept  integer := 0;
  -- What they run ends, though its own key is good.
  v_closed text[] := array(select r.name from parley_private.runners r where not parley_private.is_admitted(r));
begin
  for v_run in
    select r.* from parley.runs r
    where r.ended_at is null and (r.alive_until < as_of or r.status = 'queued' or r.runner = any (v_closed) or r.started_by is not null)
      and (parley_private.end_that_is_due(r, as_of)).status is not null
    order by r.session_id, r.run
    limit 20
  loop
    perform from parley.sessions s where s.id = v_run.session_id for no key update skip locked;
    continue when not found;
    select * into v_run from parley.runs r where r.session_id = v_run.session_id and r.run = v_run.run and r.ended_at is null;
    v_end := parley_private.end_that_is_due(v_run, as_of);
    if v_end.status is not null then
      perform parley_private.end_run(v_run, v_end.status, v_end.error);
      v_swept := v_swept + 1;
    end if;
  end loop;

  for v_run in
    select r.* from parley.runs r
    where (r.session_id, r.run) in (
      select p.session_id, p.run from parley.run_permissions p where p.answered_at is null and p.expires_at <= as_of limit 100)
    for no key update skip locked
  loop
    perform parley_private.refuse_by_time(p)
    from parley.run_permissions p
    where p.session_id = v_run.session_id and p.run = v_run.run and p.answered_at is null and p.expires_at <= as_of;
  end loop;
  delete from parley_private.run_waits w
  where w.id in (select x.id from parley_private.run_waits x where x.expires_at < as_of - interval '1 minute' for update skip locked);
  delete from parley_private.runners r
  where r.name in (
    select x.name from parley_private.runners x
    where x.expires_at < as_of - interval '10 seconds' and not parley_private.is_alive(x) and not (x.name = any (v_closed) and parley_private.runs_on(x.name) > 0)
    for update skip locked);
  if found then
    perform parley_private.notify('runners');
  end if;
  return v_swept;
end;
$$;

grant execute on function parley_private.sweep_runs to parley_worker;
