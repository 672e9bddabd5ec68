-- What happened, made of what the teams marked while they talked: no model reads along.
create or replace function parley.get_digest(session_id text, since_cursor integer default 0)
returns parley.digest
language plpgsql stable
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_session parley.sessions;
begin
  perform parley_private.check_cursor('since_cursor', since_cursor);
  v_seat := parley_private.take_seat(session_id, to_read => true);
  v_session := v_seat.session;
  perform parley_private.check_not_ahead('since_cursor', since_cursor, v_session.last_sequence);
  return parley_private.digest(v_session, coalesce(since_cursor, 0), parley_private.unread(v_seat.participant));
end;
$$;

grant execute on function parley.get_digest to parley_caller;

comment on function parley.get_digest is $$
@verb GET /sessions/{session_id}/digest
@who team
@toolset reading
@clamped
@readonly
@param since_cursor Only what came after it; default 0, all.
The session in short: who did what, open questions, decisions, document changes and events, each with its cursor.
$$;
