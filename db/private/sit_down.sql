-- A person who writes becomes a participant of kind human: said by the server, so that no agent can pass for one. The caller
-- holds the lock of the session.
create or replace function parley_private.sit_down(session parley.sessions, seat parley.participants)
returns parley.participants
language plpgsql volatile
set search_path = ''
as $$
declare
  v_person parley_private.users := parley_private.shown_person();
  v_team   record;
begin
  if v_person.role = 'viewer' then
    perform parley_private.fail(403, 'forbidden', 'Viewers read; they do not write.', 'Ask an owner to make you a member.',
      jsonb_build_object('scope', 'team'));
  elsif session.mode = 'read_only' then
    perform parley_private.fail(403, 'read_only_session', 'In this session people read, and do not write.',
      'Its convener or an owner can change its mode to intervention.');
  end if;
  if seat.id is null then
    perform parley_private.refuse_if_closed(session);
    v_team := parley_private.admit_team(session.id, v_person.name, 'human');
    perform parley_private.announce(session.id, 'team_joined',
      jsonb_build_object('team', v_person.name, 'handle', v_team.handle, 'kind', 'human'));
    update parley.participants p set cursor = s.last_sequence, started_from = s.last_sequence
    from parley.sessions s
    where s.id = session.id and p.session_id = session.id and p.id = v_team.participant_id;
    insert into parley_private.members (session_id, user_id) values (session.id, v_person.id)
    on conflict on constraint members_are_once_in_a_session do nothing;
  else
    update parley.participants p set last_seen_at = clock_timestamp(), known_status = 'active'
    where p.session_id = session.id and p.id = seat.id;
  end if;
  select p into seat from parley.participants p
  where p.session_id = session.id and p.user_id = v_person.id and p.kind = 'human' and p.left_at is null;
  return seat;
end;
$$;
