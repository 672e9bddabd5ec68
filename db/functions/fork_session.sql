-- Another way from a point of the feed on: the new session starts with the document as it was when that message came. The
-- original goes on, and may be concluded already.
create or replace function parley.fork_session(session_id text, team_name text, at_cursor integer default null, title text default null)
returns parley.descended_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_origin  parley.sessions;
  v_version integer;
begin
  perform parley_private.check_text('team_name', team_name, 'team_name_max');
  perform parley_private.check_cursor('at_cursor', at_cursor);
  if title is not null then
    perform parley_private.check_text('title', title, 'title_max');
  end if;
  v_seat := parley_private.take_seat(session_id, to_read => true);
  v_origin := v_seat.session;
  perform parley_private.check_not_ahead('at_cursor', at_cursor, v_origin.last_sequence);

  v_version := v_origin.session_doc_version;
  if at_cursor is not null then
    v_version := parley_private.version_before(v_origin.id, at_cursor);
  end if;
  return parley_private.descend(
    v_seat.participant, v_origin, 'forked', coalesce(at_cursor, v_origin.last_sequence), coalesce(title, v_origin.title),
    v_origin.description, team_name, parley_private.doc_at(v_origin.id, v_version));
end;
$$;

grant execute on function parley.fork_session to parley_caller;

comment on function parley.fork_session is $$
@verb POST /sessions/{session_id}/fork
@who team
@toolset sessions
@clamped
@param team_name -
@param at_cursor -
@param title Default: the same.
@unlisted title
A new session from the document as it is, or was at a message.
$$;
