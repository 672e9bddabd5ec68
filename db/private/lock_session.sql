-- How every verb of a team that writes begins. The lock on the session row makes writers queue, so that what is
-- checked here (the team is still in, the session still open) holds until they commit. Not "for update": that would
-- also stop whoever only refers to the session, such as the record of presence.
create or replace function parley_private.lock_session(session_id text, even_if_closed boolean default false)
returns parley.participants
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id     uuid := (parley_private.find_session(session_id)).id;
  v_caller parley.participants;
begin
  perform from parley.sessions s where s.id = v_id for no key update;
  v_caller := parley_private.caller_in(v_id);
  if not even_if_closed then
    perform parley_private.refuse_if_closed(v_id);
  end if;
  return v_caller;
end;
$$;

create or replace function parley_private.refuse_if_closed(session_id uuid)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_session parley.sessions;
begin
  select * into v_session from parley.sessions s where s.id = refuse_if_closed.session_id and s.status = 'closed';
  if found then
    perform parley_private.fail(403, 'session_closed', 'This session is concluded: nothing can be added to it.',
      format('To go on, resume it: resume_session with session_id %s makes a new session that picks up from here. Its teams can still read everything.', v_session.ref),
      jsonb_build_object('ref', v_session.ref));
  end if;
end;
$$;
