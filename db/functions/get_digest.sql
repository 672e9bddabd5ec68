-- What happened, made of what the teams marked while they talked: no model reads along.
-- As the owner: all that it reads is of the session that the caller sits in, and a policy on every message would read the whole feed.
create or replace function parley.get_digest(session_id text, since_cursor integer default 0, "limit" integer default null)
returns parley.digest
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_session parley.sessions;
begin
  perform parley_private.check_cursor('since_cursor', since_cursor);
  if "limit" < 1 then
    perform parley_private.refuse_argument('limit', 'limit must be 1 or more.', 'Leave it out for the usual number.');
  end if;
  v_seat := parley_private.take_seat(session_id, to_read => true);
  v_session := v_seat.session;
  perform parley_private.check_not_ahead('since_cursor', since_cursor, v_session.last_sequence);
  return parley_private.digest(
    v_session, coalesce(since_cursor, 0), parley_private.unread(v_seat.participant), (v_seat.participant).id,
    case when "limit" > 500 then 500 else "limit" end);
end;
$$;

grant execute on function parley.get_digest to parley_caller;

comment on function parley.get_digest is $$
@verb GET /sessions/{session_id}/digest
@who team
@toolset reading
@clamped
@readonly
@param since_cursor -
@param limit Entries of each list.
@unlisted limit
Open questions, the latest status of each team, decisions, document changes, events.
$$;
