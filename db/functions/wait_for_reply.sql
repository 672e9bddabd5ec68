create or replace function parley.wait_for_reply(session_id text, message_id parley.message_ref, timeout double precision default null, "all" boolean default false)
returns parley.replies
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat     parley_private.seat;
  v_caller   parley.participants;
  v_session  parley.sessions;
  v_reply_to integer;
  v_expires  timestamptz;
  v_seconds  double precision;
begin
  if timeout < 0 then
    perform parley_private.refuse_argument('timeout', 'timeout must be 0 or more seconds.',
      '0 answers at once; leave it out to wait as long as one call may.');
  end if;
  perform parley_private.check_message_ref('message_id', message_id);
  v_seat := parley_private.take_seat(session_id);
  v_caller := v_seat.participant;
  v_session := v_seat.session;
  v_reply_to := parley_private.find_message(v_caller.session_id, message_id);
  -- An ask whose time is over is answered now, and one whose time is near is not waited for longer than that.
  if parley_private.ask_is_due(v_session.id, v_reply_to) then
    perform parley_private.expire_ask(v_session.id, v_reply_to);
  else
    perform parley_private.write_presence_only();
  end if;
  select a.expires_at into v_expires from parley.asks a
  where a.session_id = v_session.id and a.sequence = v_reply_to and a.answered_at is null;
  v_seconds := least(coalesce(timeout, 'Infinity'), parley_private.setting('wait_max_seconds'),
    extract(epoch from v_expires - clock_timestamp()) + 0.05);

  if v_session.status = 'active' and not parley_private.has_reply(v_session.id, v_reply_to, v_caller.id, coalesce("all", false)) then
    perform parley_private.hold(v_caller, v_session.last_sequence, v_seconds, 'wait_for_reply', jsonb_build_object('reply_to', v_reply_to, 'all', coalesce("all", false)));
  end if;
  return parley_private.replies(v_caller, v_session, v_reply_to);
end;
$$;

grant execute on function parley.wait_for_reply to parley_caller;

comment on function parley.wait_for_reply is $$
@verb GET /sessions/{session_id}/messages/{message_id}/replies
@who team
@toolset reading
@blocking
@idempotent
@param message_id Or cursor.
@param timeout -
@param all Until each team asked has answered.
Block until a message is replied to.
$$;
