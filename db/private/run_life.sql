-- Whether a run goes on: it is a lease.

-- Whether there is a sign of life of it: the lease runs, or a call of its runner is in flight.
create or replace function parley_private.is_alive(run parley.runs, as_of timestamptz default clock_timestamp())
returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return run.alive_until > as_of or exists (
    select from parley_private.run_waits w
    where w.session_id = run.session_id and w.participant_id = run.participant_id
      and w.verb in ('report_run', 'ask_permission') and w.expires_at > as_of
  );
end;
$$;

-- As people see it: lost as soon as its lease is over, whether that was written down yet or not.
create or replace function parley_private.status_of(run parley.runs)
returns text
language sql stable
set search_path = ''
as $$
  select case when run.ended_at is null and run.status <> 'queued' and not parley_private.is_alive(run) then 'lost' else run.status end;
$$;

grant execute on function parley_private.is_alive(parley.runs, timestamptz), parley_private.status_of to parley_caller;

create or replace function parley_private.refuse_if_over(run parley.runs)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if run.ended_at is not null or parley_private.status_of(run) = 'lost' then
    perform parley_private.fail(409, 'agent_ended', format('This run is over: it is %s.', parley_private.status_of(run)),
      'Start another one: spawn_agent.', jsonb_strip_nulls(jsonb_build_object('status', parley_private.status_of(run), 'error', run.error)));
  end if;
end;
$$;
