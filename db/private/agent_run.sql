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

-- A text in place of what is too long.
create or replace function parley_private.cut_input(input jsonb, most integer)
returns jsonb
language sql immutable
set search_path = ''
as $$
  select case when octet_length(input::text) > most then to_jsonb(left(input::text, most) || '…') else input end;
$$;

-- The same for lists, which hold those of many runs: what is long is cut.
create or replace function parley_private.open_permissions_in_short(run parley.runs, input_max integer)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_agg(p.value || jsonb_build_object('input', parley_private.cut_input(p.value -> 'input', input_max)) order by p.nth)
  from jsonb_array_elements(parley_private.open_permissions(run)) with ordinality as p (value, nth);
$$;

grant execute on function parley_private.open_permissions, parley_private.cut_input, parley_private.open_permissions_in_short to parley_caller;

create or replace function parley_private.agent_run(run parley.runs, prompt_max integer default null, reader parley.participants default null)
returns parley.agent_run
language sql stable
set search_path = ''
as $$
  select row(
    run.run, s.ref, p.handle, run.agent, run.runner, run.repo, parley_private.status_of(run), run.worktree, starter.handle,
    left(run.prompt, coalesce(prompt_max, 1000000)), run.started_at, run.updated_at, run.ended_at, run.error,
    run.turns, run.tokens, run.cost,
    case when prompt_max is null then parley_private.open_permissions(run) else parley_private.open_permissions_in_short(run, 10 * prompt_max) end,
    case when reader.id is not null then parley_private.unread(reader) end
  )::parley.agent_run
  from parley.sessions s
  join parley.participants p on p.session_id = s.id and p.id = run.participant_id
  left join parley.participants starter on starter.session_id = s.id and starter.id = run.started_by
  where s.id = run.session_id;
$$;

grant execute on function parley_private.agent_run to parley_caller;
