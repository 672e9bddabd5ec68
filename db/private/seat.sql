-- Where a caller sits: the session, and the team it is there.
do $$
begin
  create type parley_private.seat as (session parley.sessions, participant parley.participants);
exception when duplicate_object then null;
end $$;

-- Whether a session picks up another, directly or over several.
create or replace function parley_private.continues(session_id uuid, predecessor uuid)
returns boolean
language sql stable
set search_path = ''
as $$
  with recursive line as (
    select l.origin_id as id from parley.lineage l where l.session_id = continues.session_id and l.relation = 'resumed'
    union
    select o.origin_id from line l join parley.lineage o on o.session_id = l.id and o.relation = 'resumed'
  )
  select exists (select from line l where l.id = predecessor);
$$;

-- Whether a sign of life can be left out. What the guard has seen it tells finish_call, as parley.seated: just seen; nothing to add,
-- if there is neither an interrupt to tell nor somebody who rings; or yes.
create or replace function parley_private.was_just_seen(participant parley.participants)
returns boolean
language sql volatile
return participant.known_status = 'active' and participant.last_seen_at > clock_timestamp() - interval '0.5 seconds';

create or replace function parley_private.seat_of_reader(session parley.sessions, team_name text, kind text)
returns parley_private.seat
language sql stable
set search_path = ''
as $$
  select row(session, jsonb_populate_record(null::parley.participants, jsonb_build_object(
    'session_id', session.id, 'team_name', team_name, 'kind', kind,
    'cursor', 0, 'acked_cursor', 0, 'handed_cursor', 0, 'empty_polls', 0)))::parley_private.seat;
$$;

-- A person who is signed in and sees the session reads it without sitting down; the first word joins (sit_down).
create or replace function parley_private.seat_of_person(session parley.sessions, to_read boolean)
returns parley_private.seat
language plpgsql stable
set search_path = ''
as $$
declare
  v_person parley_private.users := parley_private.shown_person();
  v_seat   parley_private.seat;
begin
  if v_person.id is null then
    return null;
  end if;
  select session, p into v_seat from parley.participants p
  where p.session_id = session.id and p.user_id = v_person.id and p.kind = 'human' and p.left_at is null;
  if not found and to_read then
    v_seat := parley_private.seat_of_reader(session, v_person.name, 'human');
  end if;
  return v_seat;
end;
$$;

-- The long way to a seat, and the one that refuses. No header, an unknown credential, one of another session, one of a team that
-- has left and one whose key has ended all get the same answer, so that nothing can be learned by trying. Without a session the
-- credential alone tells: each belongs to one.
--
-- Who only wants to read may also be in a session that continues this one, directly or over several, or be a person who has
-- not sat down. Such a reader is nobody here: it has no id and no handle, which would be those of another team.
create or replace function parley_private.find_seat(session parley.sessions default null, to_read boolean default false)
returns parley_private.seat
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_team parley.participants := parley_private.shown_team();
  v_seat parley_private.seat;
begin
  if v_team.session_id = coalesce(session.id, v_team.session_id) then
    select s, v_team into v_seat from parley.sessions s where s.id = v_team.session_id;
  elsif to_read and v_team.id is not null and not v_team.guest and parley_private.continues(v_team.session_id, session.id) then
    v_seat := parley_private.seat_of_reader(session, v_team.team_name, v_team.kind);
  elsif v_team.id is null and session.id is not null then
    v_seat := parley_private.seat_of_person(session, to_read);
  end if;
  if (v_seat.session).id is null then
    perform parley_private.fail(401, 'unauthorized', 'This call needs the team_id of a team that is in this session.',
      'Send the team_id that create_session or join_session gave you: as the header X-Team-ID, or over MCP as the argument team_id. If you have left or lost it, join again.');
  end if;
  perform set_config('parley.seated', 'yes', true);
  return v_seat;
end;
$$;

grant execute on function parley_private.find_seat to parley_caller;

-- Nearly no team has to be looked up for: with open access none was opened under a key.
create or replace function parley_private.still_opens(team parley.participants)
returns boolean
language sql stable
return team.key_id is null and team.user_id is null or parley_private.is_alive(team);

-- How every verb of a team begins that does not lock the session: it exists, and the caller is in it, or may read it.
-- The credential leads to the one session that the caller may mean; every other name for it takes the long way.
create or replace function parley_private.take_seat(session_id text, to_read boolean default false)
returns parley_private.seat
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_hash bytea := decode(current_setting('parley.team_hash', true), 'hex');
  v_seat parley_private.seat;
begin
  select s, p into v_seat
  from parley_private.credentials c
  join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
  join parley.sessions s on s.id = c.session_id
  where c.hash = v_hash
    and p.left_at is null
    and (s.id::text = take_seat.session_id or s.ref = take_seat.session_id);
  if not found or not parley_private.still_opens(v_seat.participant) then
    perform parley_private.refuse_strangers();
    v_seat := parley_private.find_seat(parley_private.find_session(session_id), to_read);
  end if;
  perform set_config('parley.seated', case when parley_private.was_just_seen(v_seat.participant) then 'just seen' else 'yes' end, true);
  return v_seat;
end;
$$;

grant execute on function parley_private.take_seat to parley_caller;

-- How every verb of a team that writes begins. The lock on the session row makes writers queue, so that what is
-- checked here (the team is still in, the session still open) holds until they commit. The credential is looked for before:
-- strangers do not queue. Not "for update": that would also stop whoever only refers to the session.
create or replace function parley_private.lock_seat(session_id text, even_if_closed boolean default false, even_if_paused boolean default false)
returns parley_private.seat
language plpgsql volatile
as $$
declare
  v_hash      bytea := decode(current_setting('parley.team_hash', true), 'hex');
  v_seat      parley_private.seat;
  v_team      integer;
  v_interrupt boolean;
  v_seated    text;
begin
  select s, c.participant_id into v_seat.session, v_team
  from parley_private.credentials c
  join parley.sessions s on s.id = c.session_id
  where c.hash = v_hash
    and (s.id::text = lock_seat.session_id or s.ref = lock_seat.session_id)
  for no key update of s;
  if not found then
    v_seat := parley_private.lock_other_seat(session_id);
    v_team := (v_seat.participant).id;
  end if;

  -- Under the lock: before it, the team may have left.
  select p, (v_seat.session).has_interrupts and parley_private.is_interrupted(p.session_id, p.id)
  into v_seat.participant, v_interrupt
  from parley.participants p
  where p.session_id = (v_seat.session).id and p.id = v_team and p.left_at is null;
  if not found or num_nonnulls((v_seat.participant).key_id, (v_seat.participant).user_id) > 0 and not parley_private.keep_door(v_seat.participant) then
    v_seat := parley_private.find_seat(v_seat.session);
  end if;
  v_seated := set_config('parley.seated', case
    when v_interrupt or not parley_private.was_just_seen(v_seat.participant) then 'yes'
    else 'nothing to add'
  end, true);
  if (v_seat.session).status = 'closed' and not even_if_closed then
    perform parley_private.refuse_if_closed(v_seat.session);
  elsif (v_seat.session).paused_at is not null and not even_if_paused then
    perform parley_private.refuse_if_paused(v_seat);
  end if;
  return v_seat;
end;
$$;

-- The session by another name, or a person: who may write sits down with the first word.
create or replace function parley_private.lock_other_seat(session_id text)
returns parley_private.seat
language plpgsql volatile
set search_path = ''
as $$
declare
  v_session parley.sessions;
  v_seat    parley_private.seat;
begin
  perform parley_private.refuse_strangers();
  v_session := parley_private.find_session(session_id);
  v_seat := parley_private.find_seat(v_session, to_read => (parley_private.shown_person()).id is not null);
  select s into v_seat.session from parley.sessions s where s.id = v_session.id for no key update of s;
  if (v_seat.participant).kind = 'human' then
    v_seat := parley_private.seat_of_person(parley_private.lock_seen(v_session.id::text), to_read => true);
    v_seat.participant := parley_private.sit_down(v_seat.session, v_seat.participant);
  elsif (v_seat.participant).id is null then
    v_seat := parley_private.find_seat(v_session);
  end if;
  return v_seat;
end;
$$;

-- What was opened under a key, or by a person, stays open until this commits: whoever revokes it waits for that, and nothing is
-- acknowledged after the revocation has committed. False if it has ended.
create or replace function parley_private.keep_door(team parley.participants)
returns boolean
language plpgsql volatile
as $$
begin
  perform
    pg_advisory_xact_lock_shared(hashtextextended('parley key ' || team.key_id, 0)),
    pg_advisory_xact_lock_shared(hashtextextended('parley person ' || team.user_id, 0));
  -- By what is true now, not when the lock was asked for.
  return parley_private.is_alive(team);
end;
$$;

-- The same for who has no seat, or whose seat is known by its kind alone.
create or replace function parley_private.keep_door(key_id uuid, user_id uuid, kind text default null)
returns boolean
language sql volatile
set search_path = ''
as $$
  select parley_private.keep_door(jsonb_populate_record(null::parley.participants, jsonb_build_object('key_id', key_id, 'user_id', user_id, 'kind', kind)));
$$;

-- For what changes something without sitting down: viewers only read, and so does who is in a session that continues this one.
create or replace function parley_private.refuse_onlookers(seat parley_private.seat)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (seat.participant).id is not null then
    return;
  elsif (seat.participant).kind = 'human' then
    perform parley_private.refuse_viewers();
  else
    perform parley_private.find_seat(seat.session);
  end if;
end;
$$;

create or replace function parley_private.refuse_viewers(person parley_private.users default parley_private.shown_person())
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if person.role = 'viewer' then
    perform parley_private.fail(403, 'forbidden', 'Viewers read; they do not write.', 'Ask an owner to make you a member.',
      jsonb_build_object('scope', 'team'));
  end if;
end;
$$;

create or replace function parley_private.refuse_if_closed(session parley.sessions)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if session.status = 'closed' then
    perform parley_private.fail(403, 'session_closed', 'This session is concluded: nothing can be added to it.',
      format('To go on, resume it: resume_session with session_id %s makes a new session that picks up from here. Its teams can still read everything.', session.ref),
      jsonb_build_object('ref', session.ref));
  end if;
end;
$$;

create or replace function parley_private.refuse_if_paused(seat parley_private.seat)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (seat.session).paused_at is not null and (seat.participant).kind = 'agent' then
    perform parley_private.fail(403, 'session_paused',
      concat('This session is paused', ': ' || (seat.session).pause_reason, case when (seat.session).pause_reason ~ '[.!?]$' then '' else '.' end),
      'Nothing was written. Go on waiting: wait_for_messages tells when it goes on.',
      jsonb_build_object('reason', (seat.session).pause_reason, 'since', (seat.session).paused_at));
  end if;
end;
$$;
