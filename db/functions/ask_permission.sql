do $$
begin
  create type parley.asked_permission as (request text, state text, option text, by text, reason text, expires_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.asked_permission.state is 'pending: ask again with the same request; answered; or refused.';
comment on column parley.asked_permission.option is '@optional
What was answered.';
comment on column parley.asked_permission.by is '@optional
Who has answered.';
comment on column parley.asked_permission.reason is '@optional
Why it is refused.';
comment on column parley.asked_permission.expires_at is 'When it is refused, if nobody has answered.';
comment on column parley.asked_permission.unread is 'Messages of others that no answer has handed to you yet.';

-- By the team that the run is. It waits in the inbox of people, and for the team that has spawned it; sent again with the same request,
-- it is the same.
create or replace function parley.ask_permission(
  session_id text,
  request text,
  tool text,
  input jsonb default null,
  options jsonb default '["allow_once", "reject_once"]',
  wait double precision default 0
)
returns parley.asked_permission
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds    double precision := parley_private.check_wait(wait);
  v_options    jsonb := parley_private.check_permission_options(options);
  v_caller     parley.participants;
  v_run        parley.runs;
  v_permission parley.run_permissions;
begin
  perform parley_private.check_text('request', request, 'team_name_max');
  perform parley_private.check_text('tool', tool, 'reason_max');
  v_caller := (parley_private.take_seat(session_id)).participant;
  v_run := parley_private.run_of(v_caller);
  -- An agent does not choose what its tools are given: what is too long is cut, and a secret left out. Cut first, with room for a secret.
  input := case when octet_length(input::text) > 100000
    then to_jsonb(left(parley_private.without_secrets(left(input::text, 5000)), 4000) || '…')
    else parley_private.without_secrets(input::text)::jsonb
  end;
  if v_run.run is null then
    perform parley_private.fail(404, 'agent_not_found', 'This team has no run.', 'report_run begins one.');
  end if;

  -- The row of the run first, as whoever ends it does.
  update parley.runs r set alive_until = clock_timestamp() + parley_private.setting('run_lease') * interval '1 second'
  where r.session_id = v_run.session_id and r.run = v_run.run and r.ended_at is null
  returning r.* into v_run;
  if not found then
    perform parley_private.fail(409, 'agent_ended', 'This run is over.', 'report_run begins another one.');
  end if;
  perform parley_private.refuse_more_permissions(v_run, request);
  insert into parley.run_permissions (session_id, run, request, tool, input, options, expires_at)
  values (v_run.session_id, v_run.run, request, tool, input, v_options,
    clock_timestamp() + parley_private.setting('permission_timeout') * interval '1 second')
  on conflict on constraint run_permissions_are_asked_once do nothing;
  if found then
    v_run := parley_private.note_report(v_run, null, 'asking', null, null, null);
  end if;
  select * into v_permission from parley.run_permissions p
  where p.session_id = v_run.session_id and p.run = v_run.run and p.request = ask_permission.request;
  -- What was allowed is this and nothing else.
  if (v_permission.tool, v_permission.input, v_permission.options) is distinct from (tool, input, v_options) then
    perform parley_private.fail(409, 'idempotency_conflict', 'Something else was asked for as this request.', 'Give it another name.',
      '{"field": "request"}');
  end if;
  if v_permission.answered_at is null and v_permission.expires_at <= clock_timestamp() then
    perform parley_private.refuse_by_time(v_permission);
    select * into v_permission from parley.run_permissions p
    where p.session_id = v_run.session_id and p.run = v_run.run and p.request = ask_permission.request;
  end if;

  if v_permission.answered_at is null then
    perform parley_private.hold_for_run('ask_permission', 'orders ' || v_run.session_id,
      least(v_seconds, extract(epoch from v_permission.expires_at - clock_timestamp()) + 0.05), v_run.session_id, v_caller.id,
      options => jsonb_build_object('run', v_run.run, 'request', request));
  end if;
  return row(
    request,
    case when v_permission.answered_at is null then 'pending' when v_permission.option is null then 'refused' else 'answered' end,
    v_permission.option, v_permission.answered_by,
    case when v_permission.answered_at is not null and v_permission.option is null then 'Nobody has answered in time.' end,
    v_permission.expires_at, parley_private.unread(v_caller))::parley.asked_permission;
end;
$$;

grant execute on function parley.ask_permission to parley_caller;

comment on function parley.ask_permission is $$
@verb POST /sessions/{session_id}/run/permission
@who team
@toolset runner
@blocking
@idempotent
@behavior -*
@param request What you call it; the same again goes on waiting.
@param tool What the agent wants to do, in a line.
@param input What it would do it with.
@schema input {"anyOf": [{"type": "object", "properties": {}}, {"type": "string"}]}
@param options What may be answered: option, name, kind.
@schema options {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"option": {"type": "string"}, "name": {"type": "string"}, "kind": {"type": "string"}}}]}}
@param wait Seconds, at most 30.
Ask people whether the agent may do something: pending, answered or refused.
$$;
