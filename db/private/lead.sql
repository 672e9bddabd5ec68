-- How verbs begin by which a session is led, not talked in. As lock_seat, whatever the state of the session; but a person who has
-- not sat down need not do so: the seat has no id then.
create or replace function parley_private.lock_standing(session_id text)
returns parley_private.seat
language plpgsql volatile
set search_path = ''
as $$
declare
  v_person  parley_private.users := parley_private.shown_person();
  v_session parley.sessions;
begin
  if v_person.id is null or (parley_private.shown_team()).id is not null then
    return parley_private.lock_seat(session_id, even_if_closed => true, even_if_paused => true);
  end if;
  v_session := parley_private.lock_seen(session_id);
  if not parley_private.keep_door(null, v_person.id) then
    perform parley_private.find_seat(v_session);
  end if;
  perform set_config('parley.seated', 'yes', true);
  return parley_private.seat_of_person(v_session, to_read => true);
end;
$$;

-- A session that the caller sees, and still sees when its lock is had.
create or replace function parley_private.lock_seen(session_id text)
returns parley.sessions
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := (parley_private.find_session(session_id)).id;
begin
  perform from parley.sessions s where s.id = v_id for no key update;
  perform set_config('parley.sight', '', true);
  return parley_private.find_session(v_id::text);
end;
$$;

-- People lead a session, and the team that convened it. Where people only read, owners still do: somebody has to be able to stop it.
create or replace function parley_private.lock_to_lead(session_id text)
returns parley_private.seat
language plpgsql volatile
set search_path = ''
as $$
declare
  v_seat parley_private.seat := parley_private.lock_standing(session_id);
begin
  if (v_seat.participant).kind = 'human' then
    perform parley_private.refuse_to_intervene(v_seat.session, parley_private.shown_person());
  elsif (v_seat.participant).id <> (v_seat.session).created_by then
    perform parley_private.fail(403, 'convener_only', 'Only people, and the team that convened this session, may do this.',
      format('Ask %s, or the people: ask_people.', (
        select p.handle from parley.participants p where p.session_id = (v_seat.session).id and p.id = (v_seat.session).created_by)));
  end if;
  return v_seat;
end;
$$;

create or replace function parley_private.refuse_to_intervene(session parley.sessions, person parley_private.users, owners_may boolean default true)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform parley_private.refuse_viewers(person);
  if session.mode = 'read_only' and not (owners_may and person.role = 'owner') then
    perform parley_private.fail(403, 'read_only_session', 'In this session people read, and do not write.',
      'Its convener or an owner can change its mode to intervention.');
  end if;
end;
$$;

-- Tells the feed who did something to a session, and writes it down: a team by its name and handle, a person by the name.
create or replace function parley_private.tell_and_audit(seat parley_private.seat, event text, fields jsonb default '{}')
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.announce((seat.session).id, event, jsonb_strip_nulls(
    jsonb_build_object('by', (seat.participant).team_name, 'handle', (seat.participant).handle) || fields));
  perform parley_private.audit(event, (seat.session).id, jsonb_strip_nulls(fields - 'by'));
end;
$$;
