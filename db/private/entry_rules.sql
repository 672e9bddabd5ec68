-- Who may come in, and what is for the convener.

create or replace function parley_private.check_capacity(capacity integer)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_most integer := parley_private.setting('capacity');
begin
  if capacity < 1 or capacity > v_most and v_most > 0 then
    perform parley_private.refuse_argument('capacity',
      format('capacity must be a number of teams from 1%s.', case when v_most > 0 then ' to ' || v_most else ' on' end),
      'Leave it out for as many as this server allows.');
  end if;
end;
$$;

-- The caller holds the lock of the session: however many come at once, they are counted one after the other. Who ended with a key
-- takes no seat.
create or replace function parley_private.refuse_if_full(session parley.sessions)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_capacity integer := least(nullif(parley_private.setting('capacity'), 0), session.capacity);
  v_teams    integer;
begin
  if v_capacity is null then
    return;
  end if;
  select count(*) into v_teams from parley.participants p
  where p.session_id = session.id and p.left_at is null and p.kind = 'agent' and parley_private.still_opens(p);
  if v_teams >= v_capacity then
    perform parley_private.fail(409, 'session_full', format('This session is full: it takes %s teams, and as many are in it.', v_capacity),
      'Wait until one of them leaves, or ask them for a session of your own: create_session.',
      jsonb_build_object('capacity', v_capacity, 'teams', v_teams));
  end if;
end;
$$;

-- Teams under one key are one team; without a key, those of one name are. Whoever comes second waits here for the first.
create or replace function parley_private.refuse_if_busy_elsewhere(session_id uuid, team_name text, key_id uuid)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_elsewhere parley.sessions;
begin
  if not parley_private.is_on('single_session') then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('single_session ' || coalesce(key_id::text, lower(team_name)), 0));
  select s.* into v_elsewhere
  from parley.participants p
  join parley.sessions s on s.id = p.session_id
  where s.status = 'active' and s.id <> refuse_if_busy_elsewhere.session_id
    and p.left_at is null and p.kind = 'agent'
    and (p.key_id = refuse_if_busy_elsewhere.key_id
      or refuse_if_busy_elsewhere.key_id is null and p.key_id is null and lower(p.team_name) = lower(refuse_if_busy_elsewhere.team_name))
  limit 1;
  if found then
    -- A name is no secret: whoever takes one is told no more than that it is taken, if the session is hidden from them.
    if key_id is null and not parley_private.sees(v_elsewhere) then
      v_elsewhere.ref := null;
    end if;
    perform parley_private.fail(409, 'team_busy_elsewhere',
      format('This team is in %s already, and a team may be in one active session at a time.', coalesce(v_elsewhere.ref, 'another session')),
      concat('Leave that one first: leave_session with', ' session_id ' || v_elsewhere.ref || ' and', ' the team_id that you have there; or see that it is concluded.',
        case when key_id is null then ' If you are another team, take another name.' end),
      jsonb_strip_nulls(jsonb_build_object('ref', v_elsewhere.ref)));
  end if;
end;
$$;

create or replace function parley_private.refuse_if_not_convener(seat parley_private.seat)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_convener parley.participants;
begin
  if (seat.participant).id = (seat.session).created_by or (seat.participant).kind = 'human' or not parley_private.is_on('convener_only') then
    return;
  end if;
  select * into v_convener from parley.participants p
  where p.session_id = (seat.session).id and p.id = (seat.session).created_by;
  perform parley_private.fail(403, 'convener_only', 'On this server only the convener or a person may do this.',
    case when v_convener.left_at is null
      then format('Ask %s for it: post_message with to ["%s"].', v_convener.handle, v_convener.handle)
      else format('%s, the convener, has left: ask a person.', v_convener.handle)
    end,
    jsonb_build_object('convener', v_convener.handle));
end;
$$;
