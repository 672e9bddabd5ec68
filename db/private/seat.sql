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

-- Whether a sign of life can be left out: end_call asks for none when the guard has said so.
create or replace function parley_private.was_just_seen(participant parley.participants)
returns boolean
language sql volatile
return participant.known_status = 'active' and participant.last_seen_at > clock_timestamp() - interval '0.5 seconds';

-- The long way to a seat, and the one that refuses. No header, an unknown credential, one of another session and one of a
-- team that has left all get the same answer, so that nothing can be learned by trying. Without a session the credential
-- alone tells: each belongs to one.
--
-- Who only wants to read may also be in a session that continues this one, directly or over several. Such a reader is
-- nobody here: it has no id and no handle, which would be those of another team.
create or replace function parley_private.find_seat(session parley.sessions default null, to_read boolean default false)
returns parley_private.seat
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_seat parley_private.seat;
begin
  select s, p into v_seat
  from parley_private.credentials c
  join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
  join parley.sessions s on s.id = c.session_id
  where c.hash = decode(coalesce(current_setting('parley.team_hash', true), ''), 'hex')
    and (session.id is null or c.session_id = session.id or to_read)
    and p.left_at is null;

  if (v_seat.session).id <> session.id then
    v_seat := case when parley_private.continues((v_seat.session).id, session.id)
      then row(session, jsonb_populate_record(null::parley.participants, jsonb_build_object(
        'session_id', session.id, 'team_name', (v_seat.participant).team_name, 'kind', (v_seat.participant).kind,
        'cursor', 0, 'acked_cursor', 0, 'handed_cursor', 0, 'empty_polls', 0)))::parley_private.seat
    end;
  end if;
  if (v_seat.session).id is null then
    perform parley_private.fail(401, 'unauthorized', 'This call needs the team_id of a team that is in this session.',
      'Send the team_id that create_session or join_session gave you: as the header X-Team-ID, or over MCP as the argument team_id. If you have left or lost it, join again.');
  end if;
  return v_seat;
end;
$$;

grant execute on function parley_private.find_seat to parley_caller;

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
  if not found then
    v_seat := parley_private.find_seat(parley_private.find_session(session_id), to_read);
  elsif parley_private.was_just_seen(v_seat.participant) then
    perform set_config('parley.just_seen', 'yes', true);
  end if;
  return v_seat;
end;
$$;

grant execute on function parley_private.take_seat to parley_caller;

-- How every verb of a team that writes begins. The lock on the session row makes writers queue, so that what is
-- checked here (the team is still in, the session still open) holds until they commit. The credential is checked before:
-- strangers do not queue. Not "for update": that would also stop whoever only refers to the session.
create or replace function parley_private.lock_seat(session_id text, even_if_closed boolean default false)
returns parley_private.seat
language plpgsql volatile
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
    and (s.id::text = lock_seat.session_id or s.ref = lock_seat.session_id)
  for no key update of s;
  if not found then
    v_seat := parley_private.find_seat(parley_private.find_session(session_id));
    select s into v_seat.session from parley.sessions s where s.id = (v_seat.session).id for no key update of s;
  end if;

  -- While the lock was waited for, the team may have left.
  select p into v_seat.participant from parley.participants p
  where p.session_id = (v_seat.session).id and p.id = (v_seat.participant).id and p.left_at is null;
  if not found then
    v_seat := parley_private.find_seat(v_seat.session);
  end if;
  if parley_private.was_just_seen(v_seat.participant) then
    perform set_config('parley.just_seen', 'yes', true);
  end if;
  if not even_if_closed then
    perform parley_private.refuse_if_closed(v_seat.session);
  end if;
  return v_seat;
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
