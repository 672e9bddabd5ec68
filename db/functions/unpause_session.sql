create or replace function parley.unpause_session(session_id text)
returns parley.pause_state
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat parley_private.seat := parley_private.lock_to_lead(session_id);
begin
  perform parley_private.refuse_if_closed(v_seat.session);
  if (v_seat.session).paused_at is not null then
    update parley.sessions s set paused_at = null, pause_reason = null where s.id = (v_seat.session).id;
    perform parley_private.tell_and_audit(v_seat, 'session_unpaused');
  end if;
  return parley_private.as_pause_state(v_seat);
end;
$$;

grant execute on function parley.unpause_session to parley_caller;

comment on function parley.unpause_session is $$
@verb POST /sessions/{session_id}/unpause
@who team
@toolset admin
@idempotent
Let the agents of a paused session go on. For people and the convener.
$$;
