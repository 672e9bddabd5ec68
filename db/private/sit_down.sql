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
  perform parley_private.refuse_to_intervene(session, v_person, owners_may => false);
  if seat.id is null then
    perform parley_private.refuse_if_closed(session);
    v_team := parley_private.admit_team(session.id, v_person.name, 'human');
    perform parley_private.announce(session.id, 'team_joined',
      jsonb_build_object('team', v_person.name, 'handle', v_team.handle, 'kind', 'human'));
    update parley.participants p set cursor = s.last_sequence, started_from = s.last_sequence
    from parley.sessions s
    where s.id = session.id and p.session_id = session.id and p.id = v_team.participant_id;
  end if;
  -- Every word is a sign of life; a person has no credential by which note_call would see it.
  update parley.participants p set last_seen_at = clock_timestamp(), known_status = 'active'
  where p.session_id = session.id and p.user_id = v_person.id and p.kind = 'human' and p.left_at is null
  returning p.* into seat;
  return seat;
end;
$$;
