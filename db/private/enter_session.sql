-- Who the caller is in a session. No header, an unknown credential, one of another session and one of a team
-- that has left all get the same answer, so that nothing can be learned by trying. Without a session the credential
-- alone tells: each belongs to one.
create or replace function parley_private.caller_in(session_id uuid default null)
returns parley.participants
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller parley.participants;
begin
  select p.* into v_caller
  from parley_private.credentials c
  join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
  where c.hash = decode(coalesce(current_setting('parley.team_hash', true), ''), 'hex')
    and (caller_in.session_id is null or c.session_id = caller_in.session_id)
    and p.left_at is null;

  if not found then
    perform parley_private.fail(401, 'unauthorized', 'This call needs the team_id of a team that is in this session.',
      'Send the team_id that create_session or join_session gave you: as the header X-Team-ID, or over MCP as the argument team_id. If you have left or lost it, join again.');
  end if;
  return v_caller;
end;
$$;

grant execute on function parley_private.caller_in to parley_caller;

-- How every verb of a team that only reads begins: the session exists, and the caller is in it.
create or replace function parley_private.enter_session(session_id text)
returns parley.participants
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.caller_in((parley_private.find_session(session_id)).id);
end;
$$;

grant execute on function parley_private.enter_session to parley_caller;
