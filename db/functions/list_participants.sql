create or replace function parley.list_participants(session_id text)
returns parley.roster
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller parley.participants := parley_private.enter_session(session_id, to_read => true);
begin
  return row(parley_private.roster(v_caller.session_id, v_caller.id), parley_private.unread(v_caller))::parley.roster;
end;
$$;

grant execute on function parley.list_participants to parley_caller;

comment on function parley.list_participants is $$
@verb GET /sessions/{session_id}/participants
@who team
@toolset core
@readonly
Who is here, and who is listening.
$$;
