-- A spawn names what the configuration of a runner holds, and nothing else. The team sits down at once, so that it has a handle and
-- can be spoken to; its credential is made when a runner takes it.
create or replace function parley.spawn_agent(
  session_id text,
  agent text,
  prompt text,
  runner text default null,
  worktree jsonb default null,
  team_name text default null,
  repo text default null,
  max_turns integer default null,
  max_tokens bigint default null,
  max_cost numeric default null
)
returns parley.agent_run
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_repo   text := coalesce(repo, case when jsonb_typeof(worktree) = 'string' then worktree #>> '{}' end);
  v_own    boolean := coalesce(jsonb_typeof(worktree) = 'string' or worktree = 'true', false);
  v_seat   parley_private.seat;
  v_caller parley.participants;
  v_runner parley_private.runners;
  v_hops   integer;
  v_team   record;
  v_run    parley.runs;
begin
  perform parley_private.check_name('agent', agent);
  perform parley_private.check_text('prompt', prompt, 'message_max');
  perform parley_private.check_name('runner', runner, may_be_missing => true);
  if coalesce(jsonb_typeof(worktree), 'null') not in ('string', 'boolean', 'null') then
    perform parley_private.refuse_argument('worktree', 'worktree must be true, or the name of a repository.',
      'Send true, or a repository that list_runners names.');
  end if;
  perform parley_private.check_name(case when repo is null then 'worktree' else 'repo' end, v_repo, may_be_missing => true);
  perform parley_private.check_text('team_name', coalesce(team_name, agent), 'team_name_max');
  if max_turns < 1 or max_tokens < 1 or max_cost <= 0 or max_cost > 1000000 then
    perform parley_private.refuse_argument(case when max_turns < 1 then 'max_turns' when max_tokens < 1 then 'max_tokens' else 'max_cost' end,
      'A limit must be more than 0.',
      'Leave it out to take what the settings allow.');
  end if;

  v_seat := parley_private.lock_seat(session_id);
  v_caller := v_seat.participant;
  perform parley_private.refuse_guests(v_caller);
  v_hops := parley_private.rule_run(v_seat);
  v_runner := parley_private.choose_runner(v_caller.session_id, agent, runner, v_repo);
  if v_own and v_repo is null then
    v_repo := v_runner.repos[1];
  end if;
  if v_own and v_repo is null then
    perform parley_private.refuse_argument('worktree', format('%s has no repository to make a worktree of.', v_runner.name),
      'Leave worktree out, or name another runner; list_runners tells their repositories.');
  end if;

  v_team := parley_private.admit_team(v_caller.session_id, coalesce(team_name, agent));
  v_run.participant_id := v_team.participant_id;
  v_run.hops := v_hops;
  v_run.agent := agent;
  v_run.runner := v_runner.name;
  v_run.repo := v_repo;
  v_run.own_worktree := v_own;
  v_run.prompt := prompt;
  v_run.max_turns := max_turns;
  v_run.max_tokens := max_tokens;
  v_run.max_cost := max_cost;
  v_run := parley_private.queue_run(v_seat, v_run);
  perform parley_private.audit('agent_spawned', v_caller.session_id, jsonb_build_object('handle', v_team.handle, 'agent', agent, 'runner', v_runner.name));
  perform parley_private.notify('queue'), parley_private.notify('runners');
  return parley_private.agent_run(v_run, reader => v_caller);
end;
$$;

-- What every spawn and prompt of an agent is held to: how many have spawned one another to get here, and how long agents go on while
-- nothing moves, posts and spawns together. Says how many hops there were.
create or replace function parley_private.rule_run(seat parley_private.seat)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller parley.participants := seat.participant;
  v_bounds parley_private.post_bounds;
  v_hops   integer;
begin
  if v_caller.kind = 'human' then
    return 0;
  end if;
  select * into v_bounds from parley_private.post_bounds;
  v_hops := coalesce((
    select r.hops + 1 from parley.runs r
    where r.session_id = v_caller.session_id and r.participant_id = v_caller.id and r.ended_at is null), 0);
  if v_hops > v_bounds.hops then
    perform parley_private.refuse_loop(
      format('Agents have started one another %s times to get here; %s are allowed.', v_hops, v_bounds.hops),
      'Nothing was started. Do the work yourself, or ask the people: ask_people.',
      jsonb_build_object('setting', 'hops', 'limit', v_bounds.hops, 'hops', v_hops));
  elsif (seat.session).talk >= v_bounds.loop_guard then
    perform parley_private.refuse_talk((seat.session).talk, v_bounds.loop_guard);
  end if;
  return v_hops;
end;
$$;

-- The run, and the message that tells of its team. It counts as a message of an agent, unless a person has asked for it: who comes
-- because agents call one another moves nothing.
create or replace function parley_private.queue_run(seat parley_private.seat, run parley.runs)
returns parley.runs
language plpgsql volatile
set search_path = ''
as $$
declare
  v_caller  parley.participants := seat.participant;
  v_team    parley.participants;
  v_message parley.messages;
begin
  select * into v_team from parley.participants p where p.session_id = v_caller.session_id and p.id = run.participant_id;
  v_message := parley_private.append_message(
    v_caller.session_id, null, 'system',
    jsonb_build_object('event', 'team_joined', 'team', v_team.team_name, 'handle', v_team.handle, 'by', v_caller.team_name, 'agent', run.agent, 'runner', run.runner),
    carried => row(1, null, null, null, case when v_caller.kind = 'human' then 0 else (seat.session).talk + 1 end)::parley_private.carried);
  update parley.participants p set
    cursor = v_message.sequence, started_from = v_message.sequence, about = jsonb_build_object('agent', run.agent, 'machine', run.runner)
  where p.session_id = v_team.session_id and p.id = v_team.id;
  insert into parley.runs (
    session_id, run, participant_id, agent, runner, repo, own_worktree, status, started_by, prompt, alive_until, max_turns, max_tokens, max_cost, hops)
  select v_caller.session_id, coalesce(max(r.run), 0) + 1, v_team.id, run.agent, run.runner, run.repo, run.own_worktree, 'queued', v_caller.id,
    run.prompt, clock_timestamp() + interval '30 seconds', run.max_turns, run.max_tokens, run.max_cost, run.hops
  from parley.runs r where r.session_id = v_caller.session_id
  returning * into run;
  return run;
end;
$$;

grant execute on function parley.spawn_agent to parley_caller;

comment on function parley.spawn_agent is $$
@verb POST /sessions/{session_id}/agents
@who team
@toolset agents
@param agent claude, codex …
@param prompt Its task.
@param runner Default: any.
@param worktree True, or a repo: in a worktree of its own.
@schema worktree {"anyOf": [{"type": "boolean"}, {"type": "string"}]}
@param team_name -
@param repo Works in this repository of the runner.
@param max_turns Limits of this run.
@param max_tokens -
@param max_cost US dollars.
@unlisted runner, worktree, team_name, repo, max_turns, max_tokens, max_cost
Start an agent on a runner; it joins as a team.
$$;
