-- Who is calling, as far as it has shown itself: a team, an access key, a person, or nobody.
--
-- A surface hands over hashes and decides nothing: parley.team_hash and parley.shown are set by begin_call (REST, MCP) or as
-- settings of the transaction (GraphQL). PARLEY_ACCESS is parley.access, set on every connection of the server.
do $$
begin
  create type parley_private.actor as (
    key parley_private.keys,
    person parley_private.users,
    invite parley_private.invites,
    team parley.participants
  );
exception when duplicate_object then null;
end $$;

create or replace function parley_private.asks_for_keys()
returns boolean
language sql stable
return coalesce(current_setting('parley.access', true) = 'keys', false);

create or replace function parley_private.is_alive(key parley_private.keys)
returns boolean
language sql stable
return key.revoked_at is null and (key.expires_at is null or key.expires_at > clock_timestamp());

create or replace function parley_private.is_alive(invite parley_private.invites)
returns boolean
language sql stable
return invite.revoked_at is null and invite.expires_at > clock_timestamp() and invite.uses_left > 0;

-- Whoever has only typed a name is somebody with open access alone.
create or replace function parley_private.is_alive(sign_in parley_private.sign_ins)
returns boolean
language sql stable
return sign_in.revoked_at is null and sign_in.expires_at > clock_timestamp() and (sign_in.by <> 'name' or not parley_private.asks_for_keys());

-- What begin_call was told of the caller: key, cookie, address, local, origin, invite, runner; null where it has shown nothing.
create or replace function parley_private.caller_shows(what text)
returns text
language sql stable
return nullif(split_part(current_setting('parley.shown', true), ' ', array_position(array['key', 'cookie', 'address', 'local', 'origin', 'invite', 'runner'], what)), '');

grant execute on function parley_private.caller_shows to parley_caller;

-- A secret that was shown, as its hash.
create or replace function parley_private.shown_hash(what text)
returns bytea
language sql stable
return decode(case what when 'team' then nullif(current_setting('parley.team_hash', true), '') else parley_private.caller_shows(what) end, 'hex');

create or replace function parley_private.shown_key()
returns parley_private.keys
language sql stable
set search_path = ''
as $$
  select k from parley_private.keys k where k.hash = parley_private.shown_hash('key') and parley_private.is_alive(k);
$$;

create or replace function parley_private.shown_person()
returns parley_private.users
language sql stable
set search_path = ''
as $$
  select u
  from parley_private.sign_ins i
  join parley_private.users u on u.id = i.user_id and u.removed_at is null
  where i.hash = parley_private.shown_hash('cookie') and parley_private.is_alive(i);
$$;

-- Whether a team is still there, and what it was opened under still opens doors: it dies with its key, or with its person, and the
-- team of a person who only views is dead for as long.
create or replace function parley_private.is_alive(team parley.participants)
returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return team.left_at is null
    and (team.key_id is null or exists (
      select from parley_private.keys k where k.id = team.key_id and parley_private.is_alive(k)))
    and (team.user_id is null or exists (
      select from parley_private.users u where u.id = team.user_id and u.removed_at is null and (team.kind is distinct from 'agent' or u.role <> 'viewer')));
end;
$$;

create or replace function parley_private.shown_team()
returns parley.participants
language sql stable
set search_path = ''
as $$
  select p
  from parley_private.credentials c
  join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
  where c.hash = parley_private.shown_hash('team') and parley_private.is_alive(p);
$$;

create or replace function parley_private.actor()
returns parley_private.actor
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_actor parley_private.actor;
begin
  if parley_private.shown_hash('key') is not null then
    v_actor.key := parley_private.shown_key();
  end if;
  -- To a session: a sign-in link opens nothing before somebody has signed in with it.
  if parley_private.shown_hash('key') is not null or parley_private.shown_hash('invite') is not null then
    v_actor.invite := parley_private.shown_invite();
    if not parley_private.is_alive(v_actor.invite) then
      v_actor.invite := null;
    end if;
  end if;
  if parley_private.shown_hash('cookie') is not null then
    v_actor.person := parley_private.shown_person();
  end if;
  if parley_private.shown_hash('team') is not null then
    v_actor.team := parley_private.shown_team();
  end if;
  return v_actor;
end;
$$;

create or replace function parley_private.scopes_of_role(role text)
returns text[]
language sql immutable
return case role
  when 'owner' then array['read', 'team', 'run', 'admin']
  when 'member' then array['read', 'team', 'run']
  when 'viewer' then array['read']
  else '{}'
end;

-- What an actor may do beside what it may do as a team: the scopes of its key, those of its role, or both.
create or replace function parley_private.scopes_of(actor parley_private.actor)
returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce((actor.key).scopes, '{}') || parley_private.scopes_of_role((actor.person).role);
$$;

-- Under what its doings are written down, and counted where something is limited.
create or replace function parley_private.name_of(actor parley_private.actor)
returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    (actor.person).name,
    (actor.key).prefix,
    (select (actor.team).handle || ' in ' || s.ref from parley.sessions s where s.id = (actor.team).session_id),
    parley_private.caller_shows('address'),
    'this machine');
$$;

-- Whoever has one IPv6 address has the 2⁶⁴ of its network.
create or replace function parley_private.network_of(address text)
returns text
language sql immutable
set search_path = ''
return case when address like '%:%' then network(set_masklen(address::inet, 64))::text else address end;

-- Whom a limit per caller counts against: the key, else the person, else the address. Null for plain SQL: nothing is counted.
create or replace function parley_private.door()
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_actor parley_private.actor := parley_private.actor();
begin
  return coalesce(
    'key ' || (v_actor.key).id,
    'person ' || (v_actor.person).id,
    'address ' || parley_private.network_of(parley_private.caller_shows('address')));
end;
$$;
