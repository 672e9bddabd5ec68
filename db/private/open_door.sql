-- An invitation to a session that was shown: as the argument invite, of which SQL is told the hash, or as the key, since MCP clients
-- have nothing else to show before they join. Also one that is used up: whoever came by it may have lost the answer.
create or replace function parley_private.shown_invite()
returns parley_private.invites
language sql stable
set search_path = ''
as $$
  select i from parley_private.invites i
  where i.hash = coalesce(parley_private.shown_hash('invite'), parley_private.shown_hash('key'))
    and i.session_id is not null and i.revoked_at is null and i.expires_at > clock_timestamp();
$$;

-- Who comes into a session by itself: with a key that may join, or with an invitation, which opens this one session.
create or replace function parley_private.open_door()
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_key    parley_private.keys := parley_private.shown_key();
  v_invite parley_private.invites := parley_private.shown_invite();
begin
  if v_invite.hash is null and parley_private.shown_hash('invite') is not null then
    perform parley_private.refuse_invite();
  end if;
  -- A key that is bound to a session joins that one; no other is in its sight.
  if v_invite.hash is null and not coalesce(v_key.session_id is not null and 'team' = any (v_key.scopes), false) then
    perform parley_private.admit('key team');
  end if;
end;
$$;

create or replace function parley_private.refuse_invite()
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(401, 'unauthorized', 'This invitation does not open this session: it is unknown, used up, expired or revoked.',
    'Ask whoever invited you for another one.');
$$;

-- The session to join. Whoever was let in before finds it again, whoever sees it by now: by the key of its join, by rejoin, or by an
-- invitation that is used up since.
create or replace function parley_private.find_session_to_join(session_id text, team_name text, idempotency_key text, rejoin boolean)
returns parley.sessions
language plpgsql stable
set search_path = ''
as $$
declare
  v_ref     text := lower(left(session_id, 100));
  v_actor   parley_private.actor := parley_private.actor();
  v_session parley.sessions;
begin
  select * into v_session from parley.sessions s
  where s.ref = v_ref or s.id = case when replace(v_ref, '-', '') ~ '^[0-9a-f]{32}$' then replace(v_ref, '-', '')::uuid end;
  -- All of it is asked of a session that is not there, too: time must not tell.
  if (
    exists (
      select from parley_private.team_keys k
      join parley.participants p on p.session_id = k.session_id and p.id = k.participant_id
      where k.hash = parley_private.team_key_hash('join_session', v_session.id, idempotency_key)
        and (parley_private.is_alive(p) or p.removed_at is not null))
    or coalesce(rejoin, false) and exists (
      select from parley.participants p
      where p.session_id = v_session.id and p.team_name = find_session_to_join.team_name and p.kind = 'agent'
        and (p.left_at is null or p.removed_at is not null) and parley_private.opened_by(p, v_actor))
    or (parley_private.shown_invite()).session_id = v_session.id
  ) then
    return v_session;
  end if;
  return parley_private.find_session(session_id);
end;
$$;

-- One use of the invitation that was shown: of two who come with its last one, one comes in. Without one, the session must be in
-- sight by now.
create or replace function parley_private.use_invite(session parley.sessions)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_invite parley_private.invites := parley_private.shown_invite();
begin
  if v_invite.hash is null then
    perform parley_private.find_session(session.id::text);
    return;
  end if;
  update parley_private.invites i set uses_left = i.uses_left - 1
  where i.hash = v_invite.hash and i.session_id = session.id and parley_private.is_alive(i);
  if not found then
    perform parley_private.refuse_invite();
  end if;
end;
$$;
