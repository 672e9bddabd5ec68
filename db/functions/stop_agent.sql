-- One that nobody has taken yet is over at once; the others end when their runner has heard of it.
create or replace function parley.stop_agent(session_id text, handle text)
returns parley.ordered_agent
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_locked record := parley_private.lock_to_direct(session_id, handle);
  v_run    parley.runs := v_locked.run;
  v_by     text := parley_private.name_of(v_locked.seat);
begin
  if v_run.ended_at is null then
    perform parley_private.audit('agent_stopped', v_run.session_id, jsonb_build_object('handle', stop_agent.handle, 'agent', v_run.agent));
  end if;
  if v_run.ended_at is null and v_run.status = 'queued' then
    v_run := parley_private.end_run(v_run, 'stopped', reason => 'stopped by ' || v_by);
  elsif v_run.ended_at is null then
    perform parley_private.order_once(v_run, 'stop', v_by);
  end if;
  return parley_private.ordered_agent(v_run, v_locked.seat);
end;
$$;

grant execute on function parley.stop_agent to parley_caller;

comment on function parley.stop_agent is $$
@verb POST /sessions/{session_id}/agents/{handle}/stop
@who team
@toolset agents
@idempotent
End its run.
$$;
