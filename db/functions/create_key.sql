do $$
begin
  create type parley.access_key as (
    key text,
    name text,
    scopes text[],
    session text,
    created_at timestamptz,
    created_by text,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    secret text
  );
exception when duplicate_object then null;
end $$;
comment on column parley.access_key.name is '@notNull
What it is for.';
comment on column parley.access_key.scopes is '@notNull
Of read, team, run, admin.';
comment on column parley.access_key.created_at is '@notNull
When it was made.';
comment on column parley.access_key.created_by is '@notNull
Who made it.';
comment on column parley.access_key.key is '@notNull
Its prefix, by which it is known and revoked: pk_ and eight characters.';
comment on column parley.access_key.session is 'The ref of the one session that it opens; null for all.';
comment on column parley.access_key.expires_at is 'When it ends by itself; null: never.';
comment on column parley.access_key.last_used_at is 'When it last opened a door, to the minute.';
comment on column parley.access_key.secret is '@optional
The key itself, for the header Authorization: Bearer. It is shown once.';

create or replace function parley_private.as_access_key(key parley_private.keys, secret text default null)
returns parley.access_key
language sql stable
set search_path = ''
as $$
  select row(
    key.prefix, key.name, key.scopes, (select s.ref from parley.sessions s where s.id = key.session_id),
    key.created_at, key.made_by, key.expires_at, key.last_used_at, key.revoked_at, secret
  )::parley.access_key;
$$;

-- A key never makes one that opens more than itself: no other scope, no other session, not for longer.
create or replace function parley.create_key(name text, scopes text[], session text default null, expires_in parley.duration default null)
returns parley.access_key
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_actor   parley_private.actor;
  v_scopes  text[];
  v_expires interval;
  v_session parley.sessions;
  v_made    record;
begin
  perform parley_private.check_text('name', name, 'team_name_max');
  v_scopes := parley_private.check_scopes(scopes);
  v_expires := parley_private.check_duration('expires_in', expires_in);
  if session is not null then
    v_session := parley_private.find_session(session);
  end if;
  v_actor := parley_private.actor();
  if not parley_private.may_give(v_scopes)
    or (v_actor.key).session_id <> coalesce(v_session.id, '00000000-0000-0000-0000-000000000000') then
    perform parley_private.fail(403, 'forbidden', 'A key cannot make one that opens more than itself.',
      format('Yours has %s%s.', array_to_string(parley_private.scopes_of(v_actor), ', '), ' in ' || (select s.ref from parley.sessions s where s.id = (v_actor.key).session_id)),
      jsonb_build_object('scope', (select s from unnest(v_scopes) s where s <> all (parley_private.scopes_of(v_actor)) limit 1)));
  end if;
  perform parley_private.refuse_too_many_keys();

  v_made := parley_private.make_key(name, v_scopes, v_session.id,
    least(v_expires, (v_actor.key).expires_at - clock_timestamp()), parley_private.name_of(v_actor), (v_actor.person).id);
  return parley_private.as_access_key(v_made.key, v_made.secret);
end;
$$;

-- Whoever has got hold of an admin key cannot make thousands before somebody notices.
create or replace function parley_private.refuse_too_many_keys()
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_most  integer := parley_private.setting('keys_per_hour');
  v_first timestamptz;
  v_count integer;
begin
  if v_most = 0 then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('parley keys', 0));
  select count(*), min(k.created_at) into v_count, v_first from parley_private.keys k where k.created_at > clock_timestamp() - interval '1 hour';
  if v_count >= v_most then
    perform parley_private.fail(429, 'rate_limited', format('%s keys were made within an hour; no more than %s are allowed.', v_count, v_most),
      'Revoke what is not needed and try again later, or raise the setting keys_per_hour.',
      jsonb_build_object('retry_after_seconds', ceil(extract(epoch from v_first + interval '1 hour' - clock_timestamp()))));
  end if;
end;
$$;

grant execute on function parley.create_key to parley_caller;

comment on function parley.create_key is $$
@verb POST /keys
@who key admin
@toolset admin
@param name What it is for.
@param scopes Of read, team, run, admin.
@param session Ref: opens this one alone.
@param expires_in 12h, 30d; default never.
Make an access key; its secret is shown once.
$$;
