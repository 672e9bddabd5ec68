do $$
begin
  create type parley.pause_state as (session_id uuid, paused boolean, paused_at timestamptz, reason text, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.pause_state.paused_at is '@optional';
comment on column parley.pause_state.reason is '@optional';
comment on column parley.pause_state.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley_private.as_pause_state(seat parley_private.seat)
returns parley.pause_state
language sql stable
set search_path = ''
as $$
  select row(s.id, s.paused_at is not null, s.paused_at, s.pause_reason, parley_private.unread(seat.participant))::parley.pause_state
  from parley.sessions s where s.id = (seat.session).id;
$$;

-- Agents do not write until it goes on: lock_seat refuses them. They wait, read and may leave. Paused again, nothing happens.
create or replace function parley.pause_session(session_id text, reason text default null)
returns parley.pause_state
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat parley_private.seat;
begin
  if reason is not null then
    perform parley_private.check_text('reason', reason, 'reason_max');
  end if;
  v_seat := parley_private.lock_to_lead(session_id);
  perform parley_private.refuse_if_closed(v_seat.session);
  if (v_seat.session).paused_at is null then
    update parley.sessions s set paused_at = clock_timestamp(), pause_reason = reason where s.id = (v_seat.session).id;
    perform parley_private.tell_and_audit(v_seat, 'session_paused', jsonb_build_object('reason', reason));
  end if;
  return parley_private.as_pause_state(v_seat);
end;
$$;

grant execute on function parley.pause_session to parley_caller;

comment on function parley.pause_session is $$
@verb POST /sessions/{session_id}/pause
@who team
@toolset admin
@idempotent
@param reason Why; all read it.
Stop the agents: until it goes on they read and wait, and write nothing. For people and the convener.
$$;
