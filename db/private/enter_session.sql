-- Whether a session picks up another, directly or over several.
create or replace function parley_private.continues(session_id uuid, predecessor uuid)
returns boolean
language sql stable
set search_path = ''
as $$
  with recursive line as (
    select s.continues as id from parley.sessions s where s.id = continues.session_id
    union
    select s.continues from line l join parley.sessions s on s.id = l.id
  )
  select exists (select from line l where l.id = predecessor);
$$;

-- Who the caller is in a session. No header, an unknown credential, one of another session and one of a team
-- that has left all get the same answer, so that nothing can be learned by trying. Without a session the credential
-- alone tells: each belongs to one.
--
-- Who only wants to read may also be in a session that continues this one, directly or over several. Such a reader is
-- nobody here: it has no id and no handle, which would be those of another team.
create or replace function parley_private.caller_in(session_id uuid default null, to_read boolean default false)
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
    and (caller_in.session_id is null or c.session_id = caller_in.session_id or to_read)
    and p.left_at is null;

  if v_caller.session_id <> caller_in.session_id then
    v_caller := case when parley_private.continues(v_caller.session_id, caller_in.session_id)
      then jsonb_populate_record(null::parley.participants, jsonb_build_object(
        'session_id', caller_in.session_id, 'team_name', v_caller.team_name, 'kind', v_caller.kind,
        'cursor', 0, 'acked_cursor', 0, 'handed_cursor', 0, 'empty_polls', 0))
    end;
  end if;
  if v_caller.session_id is null then
    perform parley_private.fail(401, 'unauthorized', 'This call needs the team_id of a team that is in this session.',
      'Send the team_id that create_session or join_session gave you: as the header X-Team-ID, or over MCP as the argument team_id. If you have left or lost it, join again.');
  end if;
  return v_caller;
end;
$$;

grant execute on function parley_private.caller_in to parley_caller;

-- How every verb of a team begins that does not lock the session: it exists, and the caller is in it, or may read it.
create or replace function parley_private.enter_session(session_id text, to_read boolean default false)
returns parley.participants
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.caller_in((parley_private.find_session(session_id)).id, to_read);
end;
$$;

grant execute on function parley_private.enter_session to parley_caller;
