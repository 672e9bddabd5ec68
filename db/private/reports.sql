-- What a runner tells of a run: checked to the last field, since whoever has a team_id can send it.
create or replace function parley_private.check_report(
  agent text, status text, events jsonb, worktree jsonb, usage jsonb, orders_done integer[])
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  c_kinds constant jsonb := '{"path": "string", "branch": "string", "repo": "string", "base": "string", "head": "string", "ahead": "number", "behind": "number", "dirty": "boolean"}';
  v_item  record;
begin
  perform parley_private.check_name('agent', agent, may_be_missing => true);
  if status is not null and status not in ('starting', 'working', 'waiting', 'asking', 'stopped', 'failed') then
    perform parley_private.refuse_argument('status', 'status must be starting, working, waiting, asking, stopped or failed.',
      'Leave it out for a sign of life alone.');
  end if;
  perform parley_private.check_events(events);
  if jsonb_typeof(worktree) not in ('object', 'null') then
    perform parley_private.refuse_argument('worktree', 'worktree must be an object.', '{"path": "…", "branch": "…", "dirty": false}');
  elsif jsonb_typeof(usage) not in ('object', 'null') then
    perform parley_private.refuse_argument('usage', 'usage must be an object.', '{"tokens": 1200, "cost": 0.02}');
  end if;
  for v_item in select w.key, w.value from jsonb_each(case when jsonb_typeof(worktree) = 'object' then worktree end) w loop
    if not c_kinds ? v_item.key then
      perform parley_private.refuse_argument('worktree', format('worktree has no field %s.', to_json(left(v_item.key, 100))),
        'It has path, branch, repo, base, head, ahead, behind, dirty.');
    elsif jsonb_typeof(v_item.value) not in (c_kinds ->> v_item.key, 'null') then
      perform parley_private.refuse_argument('worktree.' || v_item.key, format('worktree.%s must be a %s.', v_item.key, c_kinds ->> v_item.key),
        '{"path": "…", "branch": "…", "dirty": false}');
    elsif char_length(v_item.value #>> '{}') > 500 then
      perform parley_private.refuse_argument('worktree.' || v_item.key, format('worktree.%s has at most 500 characters.', v_item.key),
        'Cut it, or leave it out.');
    end if;
    perform parley_private.refuse_secrets('worktree.' || v_item.key, v_item.value #>> '{}');
  end loop;
  for v_item in select u.key, u.value from jsonb_each(case when jsonb_typeof(usage) = 'object' then usage end) u loop
    if v_item.key not in ('turns', 'tokens', 'cost') then
      perform parley_private.refuse_argument('usage', format('usage has no field %s.', to_json(left(v_item.key, 100))), 'It has turns, tokens, cost.');
    elsif jsonb_typeof(v_item.value) not in ('number', 'null')
      or (case when jsonb_typeof(v_item.value) = 'number' then (v_item.value #>> '{}')::numeric not between 0 and case v_item.key when 'turns' then 1e9 else 1e15 end end) then
      perform parley_private.refuse_argument('usage.' || v_item.key, format('usage.%s must be a number, 0 or more.', v_item.key),
        'Leave out what the agent does not tell.');
    end if;
  end loop;
  if cardinality(orders_done) > 1000 then
    perform parley_private.refuse_argument('orders_done', 'At most 1000 orders are done at a time.', 'Report the rest with the next call.');
  end if;
end;
$$;

-- The run of a team that is not over; nulls if there is none.
create or replace function parley_private.run_of(participant parley.participants)
returns parley.runs
language sql stable
set search_path = ''
as $$
  select r from parley.runs r where r.session_id = participant.session_id and r.participant_id = participant.id and r.ended_at is null;
$$;

-- What a run has used when this report is counted. They are sums of the whole run, so that a report that comes twice counts once. A turn
-- of which nobody has kept count begins when it goes to work.
create or replace function parley_private.with_usage(run parley.runs, status text, usage jsonb)
returns parley.runs
language plpgsql stable
set search_path = ''
as $$
begin
  run.turns := coalesce(greatest(trunc((usage ->> 'turns')::numeric)::integer, run.turns),
    0) + case when not coalesce(usage ? 'turns', false) and status = 'working' and run.status in ('starting', 'waiting') then 1 else 0 end;
  run.tokens := greatest(trunc((usage ->> 'tokens')::numeric)::bigint, run.tokens, 0);
  run.cost := greatest(round((usage ->> 'cost')::numeric, 6), run.cost, 0);
  return run;
end;
$$;

-- A team that somebody runs on their own machine has a run from its first report on, whichever of its calls comes first. The caller holds the lock of the session.
create or replace function parley_private.begin_run(seat parley_private.seat, agent text)
returns parley.runs
language plpgsql volatile
set search_path = ''
as $$
declare
  v_caller parley.participants := seat.participant;
  v_run    parley.runs;
begin
  if v_caller.kind = 'human' then
    perform parley_private.find_seat();
  end if;
  perform parley_private.refuse_if_closed(seat.session);
  if (
    select count(*) >= 20 from parley.runs r
    where r.session_id = v_caller.session_id and r.participant_id = v_caller.id and r.started_at > clock_timestamp() - interval '1 minute'
  ) then
    perform parley_private.fail(429, 'rate_limited', 'This team has begun twenty runs within a minute.', 'Go on with one.',
      '{"retry_after_seconds": 30}');
  end if;
  insert into parley.runs (session_id, run, participant_id, agent, status, alive_until)
  select v_caller.session_id, coalesce(max(r.run), 0) + 1, v_caller.id, coalesce(begin_run.agent, 'agent'), 'starting', clock_timestamp()
  from parley.runs r where r.session_id = v_caller.session_id
  returning * into v_run;
  return v_run;
end;
$$;

-- The sign of life, and what has changed; what it stands on is on the roster, too. Locks the row of the run until this commits: reports of one run come one after another.
-- Nulls if the run has ended meanwhile: whoever ends it does not wait for its reports.
create or replace function parley_private.note_report(run parley.runs, agent text, status text, worktree jsonb, usage jsonb, error text)
returns parley.runs
language plpgsql volatile
set search_path = ''
as $$
declare
  v_used parley.runs := parley_private.with_usage(run, status, usage);
begin
  update parley.runs r set
    -- That it works may be told later than what it asks for meanwhile: the answer says that it works again.
    status = case
      when note_report.status = 'working' and r.status = 'asking' and parley_private.open_permissions(r) is not null then r.status
      else coalesce(note_report.status, case r.status when 'queued' then 'starting' else r.status end) end,
    -- What was spawned is what was asked for.
    agent = case when r.runner is null then coalesce(note_report.agent, r.agent) else r.agent end,
    worktree = coalesce(jsonb_strip_nulls(note_report.worktree), r.worktree),
    error = case when note_report.error is not null then left(parley_private.without_secrets(note_report.error), 1000) when note_report.status is not null then null else r.error end,
    turns = greatest(r.turns, v_used.turns),
    tokens = greatest(r.tokens, v_used.tokens),
    cost = greatest(r.cost, v_used.cost),
    updated_at = clock_timestamp(),
    alive_until = clock_timestamp() + parley_private.setting('run_lease') * interval '1 second'
  where r.session_id = run.session_id and r.run = (note_report.run).run and r.ended_at is null
  returning r.* into run;
  if found and worktree is not null then
    perform parley_private.introduce(run.session_id, run.participant_id, jsonb_strip_nulls(jsonb_build_object(
      'repo', left(worktree ->> 'repo', 200), 'branch', left(worktree ->> 'branch', 200), 'worktree', left(worktree ->> 'path', 200))));
  end if;
  return run;
end;
$$;

-- What a runner has done; of a prompt the last words of its turn are what its author waits for.
create or replace function parley_private.note_orders_done(run parley.runs, orders integer[])
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if coalesce(cardinality(orders), 0) = 0 then
    return;
  end if;
  update parley_private.run_orders o set
    done_at = clock_timestamp(),
    words = case when o.kind = 'prompt' then parley_private.last_words(o.session_id, o.run, o.after_event) end
  where o.session_id = run.session_id and o.run = (note_orders_done.run).run and o.nth = any (orders) and o.done_at is null;
  if found then
    perform parley_private.notify('runs ' || run.session_id);
  end if;
end;
$$;

-- What is to be done, oldest first; the runner was told from here on.
create or replace function parley_private.hand_orders(run parley.runs)
returns jsonb
language plpgsql volatile
set search_path = ''
as $$
begin
  if not exists (select from parley_private.run_orders o where o.session_id = run.session_id and o.run = (hand_orders.run).run and o.done_at is null) then
    return '[]';
  end if;
  update parley_private.run_orders o set handed_at = clock_timestamp()
  where o.session_id = run.session_id and o.run = (hand_orders.run).run and o.done_at is null and o.handed_at is null;
  return (
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('order', o.nth, 'kind', o.kind, 'by', o.by, 'at', o.at, 'text', o.text))
      || case when o.kind = 'permission' then jsonb_build_object('request', o.request, 'option', o.option) else '{}' end order by o.nth)
    from parley_private.run_orders o
    where o.session_id = run.session_id and o.run = (hand_orders.run).run and o.done_at is null
  );
end;
$$;

-- Every limit stops with a sentence in the feed, once. The caller holds the lock of the session.
create or replace function parley_private.tell_limit(run parley.runs, reason text)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update parley.runs r set limit_told = true, error = reason
  where r.session_id = run.session_id and r.run = (tell_limit.run).run and not r.limit_told;
  if found then
    perform parley_private.announce(run.session_id, 'run_limited', jsonb_build_object(
      'team', p.team_name, 'handle', p.handle, 'agent', run.agent, 'reason', reason), moves => false)
    from parley.participants p
    join parley.sessions s on s.id = p.session_id and s.status = 'active'
    where p.session_id = run.session_id and p.id = run.participant_id;
  end if;
end;
$$;
