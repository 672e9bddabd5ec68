-- Agents at work: a line each. What an agent says is the text of others, as everything here that came over the wire.

create or replace function parley_private.runner_as_line(runner parley.runner_info)
returns text
language sql stable
set search_path = ''
as $$
  select format('runner %s (%s of %s run%s, %s): %s%s', runner.runner, runner.running, runner.max_runs,
    case when runner.queued > 0 then format(', %s wait', runner.queued) else '' end, runner.accept, array_to_string(runner.agents, ', '),
    ' · repos ' || nullif(array_to_string(runner.repos, ', '), ''));
$$;

create or replace function parley_private.runner_as_text(answer parley.runner_info)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n', format('expires_at %s · queued %s', parley_private.time_as_text(answer.expires_at), answer.queued), parley_private.runner_as_line(answer));
$$;

create or replace function parley_private.runner_list_as_text(answer parley.runner_list)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n', format('runners %s', cardinality(answer.runners)),
    (select string_agg(parley_private.runner_as_line(answer.runners[i]), E'\n' order by i) from generate_subscripts(answer.runners, 1) i));
$$;

-- What an agent asks for, and what may be answered.
create or replace function parley_private.permissions_as_lines(permissions jsonb)
returns text
language sql stable
set search_path = ''
as $$
  select string_agg(format('asks %s: %s%s%s', parley_private.on_one_line(p.value ->> 'request', 100), parley_private.on_one_line(p.value ->> 'tool'),
    E'\n  input: ' || parley_private.on_one_line(nullif(p.value -> 'input', 'null')::text, 500),
    E'\n  options: ' || (select string_agg(parley_private.on_one_line(o.value ->> 'option', 100), ', ' order by o.nth)
      from jsonb_array_elements(p.value -> 'options') with ordinality as o (value, nth))), E'\n' order by p.nth)
  from jsonb_array_elements(permissions) with ordinality as p (value, nth);
$$;

create or replace function parley_private.agent_as_line(agent parley.agent_run)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('agent %s (%s): %s', agent.handle,
      concat_ws(', ', agent.agent, 'on ' || agent.runner, agent.status, agent.turns || ' turns', nullif(agent.tokens, 0) || ' tokens', 'by ' || agent.started_by),
      parley_private.on_one_line(coalesce(agent.prompt, ''), 120)),
    '  worktree: ' || parley_private.on_one_line(concat_ws(' ', agent.worktree ->> 'branch', agent.worktree ->> 'head', case when (agent.worktree ->> 'dirty')::boolean then 'dirty' end)),
    '  error: ' || parley_private.on_one_line(agent.error),
    parley_private.permissions_as_lines(agent.permissions));
$$;

create or replace function parley_private.agent_as_text(answer parley.agent_run)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ', 'run ' || answer.run, 'handle ' || answer.handle, 'status ' || answer.status, 'unread ' || answer.unread),
    parley_private.agent_as_line(answer));
$$;

create or replace function parley_private.agent_list_as_text(answer parley.agent_list)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n', format('agents %s · unread %s', cardinality(answer.agents), answer.unread),
    (select string_agg(parley_private.agent_as_line(answer.agents[i]), E'\n' order by i) from generate_subscripts(answer.agents, 1) i));
$$;

create or replace function parley_private.taken_run_as_text(answer parley.taken_run)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ', 'run ' || coalesce(answer.run::text, 'none'), 'ref ' || answer.ref, 'handle ' || answer.handle, 'team_id ' || answer.team_id,
      'agent ' || answer.agent, 'repo ' || answer.repo, 'worktree ' || parley_private.yes_or_no(answer.worktree)),
    'title: ' || parley_private.on_one_line(answer.title),
    'prompt: ' || parley_private.indented(answer.prompt));
$$;

create or replace function parley_private.reported_run_as_text(answer parley.reported_run)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('run %s · status %s · last_event %s · allowed %s · closed %s · unread %s', answer.run, answer.status, answer.last_event,
      parley_private.yes_or_no((answer.budget ->> 'allowed')::boolean), parley_private.yes_or_no(answer.session_closed), answer.unread),
    'budget: ' || (answer.budget ->> 'reason'),
    (
      select string_agg(format('order %s %s by %s: %s', o.value ->> 'order', o.value ->> 'kind', parley_private.on_one_line(o.value ->> 'by', 100),
        parley_private.indented(coalesce(o.value ->> 'text', concat_ws(' ', o.value ->> 'request', o.value ->> 'option')))), E'\n' order by o.nth)
      from jsonb_array_elements(answer.orders) with ordinality as o (value, nth)
    ));
$$;

create or replace function parley_private.prompted_agent_as_text(answer parley.prompted_agent)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('turn %s · done %s · status %s · unread %s', answer.turn, parley_private.yes_or_no(answer.done), answer.status, answer.unread),
    format('agent %s: %s', answer.handle, parley_private.indented(coalesce(answer.words, case when answer.done then 'said nothing' else 'is at it' end))),
    'error: ' || parley_private.on_one_line(answer.error),
    parley_private.permissions_as_lines(answer.permissions));
$$;

create or replace function parley_private.ordered_agent_as_text(answer parley.ordered_agent)
returns text
language sql stable
set search_path = ''
as $$
  select format('handle %s · run %s · status %s · unread %s', answer.handle, answer.run, answer.status, answer.unread);
$$;

-- 12 tool: Read src/a.ts (more: event 12)
create or replace function parley_private.transcript_as_text(answer parley.transcript)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('run %s · status %s · next_after %s · last_event %s · more %s · unread %s', answer.run, answer.status, answer.next_after, answer.last_event,
      parley_private.yes_or_no(answer.has_more), answer.unread),
    (
      select string_agg(format('%s %s: %s%s', e.event, e.kind, parley_private.indented(coalesce(e.text, e.title)), case when e.more then ' …' else '' end), E'\n' order by e.event)
      from unnest(answer.events) e
    ));
$$;

create or replace function parley_private.asked_permission_as_text(answer parley.asked_permission)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('state %s · expires_at %s · unread %s', answer.state, parley_private.time_as_text(answer.expires_at), answer.unread),
    'option: ' || parley_private.on_one_line(answer.option), 'by: ' || parley_private.on_one_line(answer.by), 'reason: ' || answer.reason);
$$;

create or replace function parley_private.answered_permission_as_text(answer parley.answered_permission)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n', format('at %s · unread %s', parley_private.time_as_text(answer.at), answer.unread),
    format('answered %s: %s', parley_private.on_one_line(answer.request, 100), parley_private.on_one_line(answer.option)));
$$;

create or replace function parley_private.rung_team_as_text(answer parley.rung_team)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(' · ', 'handle ' || answer.handle, 'state ' || answer.state, 'reachable ' || (answer.reachable).by,
    'handed_at ' || parley_private.time_as_text(answer.handed_at), 'acted_at ' || parley_private.time_as_text(answer.acted_at), 'unread ' || answer.unread);
$$;

grant execute on function
  parley_private.rung_team_as_text,
  parley_private.runner_as_line,
  parley_private.runner_as_text,
  parley_private.runner_list_as_text,
  parley_private.permissions_as_lines,
  parley_private.agent_as_line,
  parley_private.agent_as_text,
  parley_private.agent_list_as_text,
  parley_private.taken_run_as_text,
  parley_private.reported_run_as_text,
  parley_private.prompted_agent_as_text,
  parley_private.ordered_agent_as_text,
  parley_private.transcript_as_text,
  parley_private.asked_permission_as_text,
  parley_private.answered_permission_as_text
to parley_caller;

comment on type parley.runner_info is '@text parley_private.runner_as_text
A machine that runs agents.';
comment on type parley.runner_list is '@text parley_private.runner_list_as_text';
comment on type parley.agent_run is '@text parley_private.agent_as_text
An agent process that sits in a session as a team.';
comment on type parley.agent_list is '@text parley_private.agent_list_as_text';
comment on type parley.taken_run is '@text parley_private.taken_run_as_text';
comment on type parley.reported_run is '@text parley_private.reported_run_as_text';
comment on type parley.prompted_agent is '@text parley_private.prompted_agent_as_text';
comment on type parley.ordered_agent is '@text parley_private.ordered_agent_as_text';
comment on type parley.transcript is '@text parley_private.transcript_as_text';
comment on type parley.asked_permission is '@text parley_private.asked_permission_as_text';
comment on type parley.rung_team is '@text parley_private.rung_team_as_text';
comment on type parley.answered_permission is '@text parley_private.answered_permission_as_text';
