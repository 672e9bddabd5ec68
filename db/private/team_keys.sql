-- What a key is known by; null without one.
create or replace function parley_private.team_key_hash(verb text, session_id uuid, idempotency_key text)
returns bytea
language sql immutable
set search_path = ''
as $$
  select sha256(convert_to(concat_ws(' ', verb, session_id, idempotency_key), 'UTF8')) where idempotency_key is not null;
$$;

-- Whoever comes second with the same one waits here for the first.
create or replace function parley_private.take_team_key(verb text, session_id uuid, idempotency_key text)
returns bytea
language plpgsql volatile
set search_path = ''
as $$
declare
  v_hash bytea := parley_private.team_key_hash(verb, session_id, idempotency_key);
begin
  if v_hash is null then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(encode(v_hash, 'hex'), 0));
  return v_hash;
end;
$$;

create or replace function parley_private.fingerprint_of(variadic arguments text[])
returns bytea
language sql immutable
set search_path = ''
as $$
  select sha256(convert_to(to_jsonb(arguments)::text, 'UTF8'));
$$;

-- The team that was opened under a key, with a new team_id: the one before is dead from here on. Nulls if there is none, or
-- if it has left or ended with its key; who was removed is refused. Sent with other arguments, the key is a mistake.
create or replace function parley_private.team_again(
  key_hash bytea,
  fingerprint bytea,
  out session_id uuid,
  out handle text,
  out team_id text,
  out participant_id integer,
  out cursor integer
)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_fingerprint bytea;
  v_removed_at  timestamptz;
begin
  select p.session_id, p.handle, p.id, p.cursor, k.fingerprint, p.removed_at
  into team_again.session_id, team_again.handle, team_again.participant_id, team_again.cursor, v_fingerprint, v_removed_at
  from parley_private.team_keys k
  join parley.participants p on p.session_id = k.session_id and p.id = k.participant_id
  where k.hash = key_hash and (parley_private.is_alive(p) or p.removed_at is not null);
  if not found then
    return;
  elsif v_removed_at is not null then
    perform parley_private.refuse_removed(team_again.handle);
  elsif v_fingerprint <> team_again.fingerprint then
    perform parley_private.fail(409, 'idempotency_conflict', 'This idempotency_key was used before, with other arguments.',
      'Nothing was done. To get the same team again, send exactly the same; for a new one, use a new key.',
      jsonb_build_object('field', 'idempotency_key'));
  end if;
  team_id := parley_private.renew_team_id(team_again.session_id, team_again.participant_id);
end;
$$;

create or replace function parley_private.refuse_removed(handle text)
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(403, 'forbidden', format('%s was removed from this session, and does not come back.', handle),
    'Tell your human; the people of the session can say why.');
$$;

-- Whether a team was opened under the same key, or by the same person where no key was shown.
create or replace function parley_private.opened_by(team parley.participants, actor parley_private.actor)
returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce(team.key_id = (actor.key).id, (actor.key).id is null and team.user_id = (actor.person).id, false);
$$;

-- Another secret for a team that is there: the one before is dead from here on.
create or replace function parley_private.renew_team_id(session_id uuid, participant_id integer)
returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_team_id text := 'pt_' || parley_private.new_secret();
begin
  update parley_private.credentials c set hash = parley_private.hash_of(v_team_id)
  where c.session_id = renew_team_id.session_id and c.participant_id = renew_team_id.participant_id;
  update parley.participants p set last_seen_at = clock_timestamp(), known_status = 'active'
  where p.session_id = renew_team_id.session_id and p.id = renew_team_id.participant_id;
  return v_team_id;
end;
$$;

-- The team of a name that was opened under the same key, or by the same person: whoever has lost its team_id gets another.
create or replace function parley_private.rejoin_team(
  session_id uuid,
  team_name text,
  out handle text,
  out team_id text,
  out participant_id integer
)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_actor      parley_private.actor := parley_private.actor();
  v_removed_at timestamptz;
begin
  if num_nonnulls((v_actor.key).id, (v_actor.person).id) = 0 then
    perform parley_private.refuse_argument('rejoin', 'rejoin needs an access key, or a person who is signed in: they tell which team is yours.',
      'Without one, repeat the call with the idempotency_key that you joined with.');
  end if;
  select p.handle, p.id, p.removed_at into rejoin_team.handle, rejoin_team.participant_id, v_removed_at
  from parley.participants p
  where p.session_id = rejoin_team.session_id and p.team_name = rejoin_team.team_name
    and p.kind = 'agent' and (p.left_at is null or p.removed_at is not null)
    and parley_private.opened_by(p, v_actor)
  order by p.removed_at is not null, p.id desc
  limit 1;
  if v_removed_at is not null then
    perform parley_private.refuse_removed(handle);
  elsif found then
    team_id := parley_private.renew_team_id(session_id, participant_id);
  end if;
end;
$$;

create or replace function parley_private.keep_team_key(key_hash bytea, fingerprint bytea, session_id uuid, participant_id integer)
returns void
language sql volatile
set search_path = ''
as $$
  insert into parley_private.team_keys (hash, session_id, participant_id, fingerprint)
  select key_hash, keep_team_key.session_id, keep_team_key.participant_id, keep_team_key.fingerprint where key_hash is not null
  on conflict on constraint team_keys_are_used_once do update set
    session_id = excluded.session_id,
    participant_id = excluded.participant_id,
    fingerprint = excluded.fingerprint;
$$;
