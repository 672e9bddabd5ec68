-- A run: one agent process that sits in a session as a team.
do $$
begin
  create type parley.agent_run as (
    run integer,
    ref text,
    handle text,
    agent text,
    runner text,
    repo text,
    status text,
    worktree jsonb,
    started_by text,
    prompt text,
    started_at timestamptz,
    updated_at timestamptz,
    ended_at timestamptz,
    error text,
    turns integer,
    tokens bigint,
    cost numeric,
    permissions jsonb,
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.agent_run.run is '1, 2, 3 … in its session.';
comment on column parley.agent_run.ref is 'Of the session.';
comment on column parley.agent_run.handle is 'The team that it is.';
comment on column parley.agent_run.runner is 'The machine that it was spawned on; null: whoever runs it has started it there.';
comment on column parley.agent_run.repo is '@optional
The repository of the runner that it works in.';
comment on column parley.agent_run.status is 'queued, starting, working, waiting (for news), asking (for permission), stopped, failed or lost.';
comment on column parley.agent_run.worktree is '@schema {"type": "object"}
What it stands on: path, branch, repo, base, head, ahead, dirty.';
comment on column parley.agent_run.started_by is 'Who has spawned it; null: itself.';
comment on column parley.agent_run.prompt is 'What it was started with; cut in lists.';
comment on column parley.agent_run.ended_at is '@optional
When it was over.';
comment on column parley.agent_run.tokens is 'As far as the agent says.';
comment on column parley.agent_run.cost is 'In US dollars, as far as the agent says; under a subscription that misleads.';
comment on column parley.agent_run.permissions is '@optional
@schema {"type": "array", "items": {"type": "object"}}
What it asks for: request, tool, input, options; for answer_permission.';
comment on column parley.agent_run.unread is '@optional
Messages of others that no answer has handed to you yet.';

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

-- What a run asks people for, newest last.
create or replace function parley_private.open_permissions(run parley.runs)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_agg(jsonb_build_object(
    'request', p.request, 'tool', p.tool, 'input', p.input, 'options', p.options, 'asked_at', p.asked_at, 'expires_at', p.expires_at)
    order by p.asked_at)
  from parley.run_permissions p
  where p.session_id = run.session_id and p.run = (open_permissions.run).run and p.answered_at is null and p.expires_at > clock_timestamp();
$$;

grant execute on function parley_private.open_permissions to parley_caller;

create or replace function parley_private.agent_run(run parley.runs, prompt_max integer default null, reader parley.participants default null)
returns parley.agent_run
language sql stable
set search_path = ''
as $$
  select row(
    run.run, s.ref, p.handle, run.agent, run.runner, run.repo, parley_private.status_of(run), run.worktree, starter.handle,
    left(run.prompt, coalesce(prompt_max, 1000000)), run.started_at, run.updated_at, run.ended_at, run.error,
    run.turns, run.tokens, run.cost, parley_private.open_permissions(run), case when reader.id is not null then parley_private.unread(reader) end
  )::parley.agent_run
  from parley.sessions s
  join parley.participants p on p.session_id = s.id and p.id = run.participant_id
  left join parley.participants starter on starter.session_id = s.id and starter.id = run.started_by
  where s.id = run.session_id;
$$;

grant execute on function parley_private.agent_run to parley_caller;

create or replace function parley_private.refuse_guests(participant parley.participants)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if participant.guest then
    perform parley_private.fail(403, 'forbidden', 'A guest does not direct the agents of this house.', 'Ask it, or its people: post_message with to.',
      '{"scope": "team"}');
  end if;
end;
$$;

grant execute on function parley_private.refuse_guests to parley_caller;

-- The newest run of a team, by its handle.
create or replace function parley_private.find_run(session_id uuid, handle text)
returns parley.runs
language plpgsql stable
set search_path = ''
as $$
declare
  v_run parley.runs;
begin
  select r.* into v_run
  from parley.participants p
  join parley.runs r on r.session_id = p.session_id and r.participant_id = p.id
  where p.session_id = find_run.session_id and p.handle = ltrim(left(find_run.handle, 200), '@')
  order by r.run desc
  limit 1;
  if not found then
    perform parley_private.fail(404, 'agent_not_found', 'No agent runs here under this handle.', 'list_agents names them.',
      jsonb_build_object('field', 'handle'));
  end if;
  return v_run;
end;
$$;

grant execute on function parley_private.find_run to parley_caller;

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

-- People stop and interrupt any run, the convener too, and whoever has spawned it.
create or replace function parley_private.lock_to_direct(session_id text, handle text, out seat parley_private.seat, out run parley.runs)
language plpgsql volatile
set search_path = ''
as $$
begin
  if handle is null then
    perform parley_private.refuse_argument('handle', 'handle is required.', 'list_agents names them.');
  end if;
  seat := parley_private.lock_standing(session_id);
  if (seat.participant).kind = 'human' then
    perform parley_private.refuse_to_intervene(seat.session, parley_private.shown_person());
  end if;
  perform parley_private.refuse_guests(seat.participant);
  run := parley_private.find_run((seat.session).id, handle);
  if (seat.participant).kind <> 'human' and (seat.participant).id <> (seat.session).created_by
    and (seat.participant).id is distinct from run.started_by then
    perform parley_private.fail(403, 'convener_only', 'Only people, the convener and the team that has spawned it may do this.',
      'Ask them, or the people: ask_people.');
  end if;
end;
$$;

-- Who wants something of a run, as it is told.
create or replace function parley_private.name_of(seat parley_private.seat)
returns text
language sql stable
set search_path = ''
as $$
  select coalesce((seat.participant).handle, (seat.participant).team_name);
$$;

-- One more order to a run. The row of the run is locked by it: orders are counted.
create or replace function parley_private.order_run(
  run parley.runs,
  kind text,
  by text,
  text text default null,
  request text default null,
  option text default null
)
returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_nth integer;
begin
  update parley.runs r set last_order = r.last_order + 1
  where r.session_id = run.session_id and r.run = (order_run.run).run
  returning r.last_order into v_nth;
  insert into parley_private.run_orders (session_id, run, nth, kind, by, text, request, option, after_event)
  select r.session_id, r.run, v_nth, order_run.kind, order_run.by, order_run.text, order_run.request, order_run.option, r.last_event
  from parley.runs r where r.session_id = run.session_id and r.run = (order_run.run).run;
  perform parley_private.notify('orders ' || run.session_id);
  return v_nth;
end;
$$;

-- The end of a run. What it had claimed is free, what it asked for is refused, whoever waits for its words waits no longer. One that was
-- spawned leaves: its credential and its key die with it. The caller holds the lock of the session.
create or replace function parley_private.end_run(run parley.runs, status text, error text default null, reason text default null)
returns parley.runs
language plpgsql volatile
set search_path = ''
as $$
declare
  v_run     parley.runs;
  v_team    parley.participants;
  v_session parley.sessions;
begin
  update parley.runs r set
    status = end_run.status, error = coalesce(end_run.error, r.error), ended_at = clock_timestamp(), updated_at = clock_timestamp()
  where r.session_id = run.session_id and r.run = (end_run.run).run and r.ended_at is null
  returning r.* into v_run;
  if not found then
    return run;
  end if;
  update parley_private.run_orders o set done_at = clock_timestamp()
  where o.session_id = v_run.session_id and o.run = v_run.run and o.done_at is null;
  update parley.run_permissions p set answered_at = clock_timestamp()
  where p.session_id = v_run.session_id and p.run = v_run.run and p.answered_at is null;
  delete from parley_private.run_waits w
  where w.session_id = v_run.session_id and w.participant_id = v_run.participant_id and w.verb in ('report_run', 'ask_permission');
  perform parley_private.notify('orders ' || v_run.session_id), parley_private.notify('queue'), parley_private.notify('runners');

  select * into v_session from parley.sessions s where s.id = v_run.session_id;
  select * into v_team from parley.participants p where p.session_id = v_run.session_id and p.id = v_run.participant_id;
  reason := coalesce(reason, v_run.error, status);
  if v_team.left_at is null and v_run.runner is not null then
    update parley.participants p set left_at = clock_timestamp(), known_status = 'disconnected'
    where p.session_id = v_team.session_id and p.id = v_team.id;
    if v_session.status = 'active' then
      perform parley_private.announce(v_run.session_id, 'team_left', jsonb_build_object(
        'team', v_team.team_name, 'handle', v_team.handle, 'reason', left(reason, 500)), moves => false);
    end if;
  elsif v_team.left_at is null and v_session.status = 'active' and status in ('failed', 'lost') then
    perform parley_private.free_claims(v_team, 'run ' || status);
    perform parley_private.announce(v_run.session_id, 'run_ended', jsonb_build_object(
      'team', v_team.team_name, 'handle', v_team.handle, 'agent', v_run.agent, 'status', status, 'reason', left(reason, 500)), moves => false);
  end if;
  if v_run.key_id is not null then
    update parley_private.keys k set revoked_at = clock_timestamp() where k.id = v_run.key_id and k.revoked_at is null;
    perform parley_private.end_waits_of(key_id => v_run.key_id);
  end if;
  return v_run;
end;
$$;

-- Whoever leaves, or is made to leave, runs no more.
create or replace function parley_private.tg_participants__end_run()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.end_run(r, 'stopped', reason => 'the team has left')
  from parley.runs r where r.session_id = new.session_id and r.participant_id = new.id and r.ended_at is null;
  return null;
end;
$$;

drop trigger if exists _310_end_run on parley.participants;
create trigger _310_end_run after update of left_at on parley.participants
  for each row when (new.left_at is not null) execute function parley_private.tg_participants__end_run();

-- Why a run cannot go on, by the clock and by what has become of its session and its runner; null: it can.
create or replace function parley_private.end_that_is_due(run parley.runs, as_of timestamptz, out status text, out error text)
language plpgsql stable
set search_path = ''
as $$
begin
  if run.status = 'queued' then
    if exists (select from parley.sessions s where s.id = run.session_id and s.status = 'closed') then
      status := 'stopped';
      error := 'The session was concluded before it began.';
    elsif run.alive_until < as_of and not exists (
      select from parley_private.runners r where r.name = run.runner and parley_private.is_alive(r)
    ) then
      status := 'failed';
      error := format('The runner %s is gone.', run.runner);
    end if;
  elsif not parley_private.is_alive(run, as_of) then
    status := 'lost';
    error := format('Nothing was heard of its runner for %s seconds.', parley_private.setting('run_lease'));
  end if;
end;
$$;

-- Run by the worker every few seconds: ends what is lost, and refuses what nobody has answered in time. Twenty at most; says how many,
-- so that it comes back for the rest. A session that is locked just now is looked at the next time.
create or replace function parley_private.sweep_runs(as_of timestamptz default clock_timestamp())
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run   parley.runs;
  v_end   record;
  v_swept integer := 0;
begin
  for v_run in
    select r.* from parley.runs r
    where r.ended_at is null and (r.alive_until < as_of or r.status = 'queued')
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

  perform parley_private.refuse_by_time(p)
  from parley.run_permissions p where p.answered_at is null and p.expires_at <= as_of;
  delete from parley_private.run_waits w
  where w.id in (select x.id from parley_private.run_waits x where x.expires_at < as_of - interval '1 minute' for update skip locked);
  delete from parley_private.runners r
  where r.name in (
    select x.name from parley_private.runners x
    where x.expires_at < as_of - interval '10 seconds' and not parley_private.is_alive(x)
    for update skip locked);
  if found then
    perform parley_private.notify('runners');
  end if;
  return v_swept;
end;
$$;

grant execute on function parley_private.sweep_runs to parley_worker;
