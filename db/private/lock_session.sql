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
  v_status text;
begin
  select s.status into v_status from parley.sessions s where s.id = v_id for no key update;
  v_caller := parley_private.caller_in(v_id);
  if v_status = 'closed' and not even_if_closed then
    perform parley_private.refuse_closed();
  end if;
  return v_caller;
end;
$$;

create or replace function parley_private.refuse_closed()
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(403, 'session_closed', 'This session is concluded: nothing can be added to it.',
    'To go on, resume it: create a new session that picks up from the conclusion of this one. Its teams can still read everything here.');
$$;
