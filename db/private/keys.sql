-- Makes a key. The secret leaves the database once, in the answer; what stays is its hash. Who may is asked by whoever calls this:
-- create_key, or the command line on the server's own machine.
create or replace function parley_private.make_key(
  name text,
  scopes text[],
  session_id uuid default null,
  expires_in interval default null,
  made_by text default 'this machine',
  made_by_user uuid default null,
  out secret text,
  out key parley_private.keys
)
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into parley_private.keys (prefix, hash, name, scopes, session_id, expires_at, made_by, made_by_user)
  values (
    -- Letters and digits only, so that an underline ends it.
    'pk_' || left(translate(parley_private.new_secret(), '-_', ''), 8),
    sha256(''), make_key.name, make_key.scopes, make_key.session_id, clock_timestamp() + expires_in, made_by, made_by_user)
  returning * into key;
  secret := key.prefix || '_' || parley_private.new_secret();
  update parley_private.keys k set hash = parley_private.hash_of(secret) where k.id = (make_key.key).id returning * into key;
  perform parley_private.audit('key_created', session_id,
    jsonb_build_object('key', key.prefix, 'name', key.name, 'scopes', key.scopes, 'expires_at', key.expires_at), made_by);
end;
$$;

create or replace function parley_private.check_scopes(scopes text[])
returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  if coalesce(cardinality(scopes), 0) = 0 or cardinality(scopes) > 10 or not scopes <@ array['read', 'team', 'run', 'admin'] then
    perform parley_private.refuse_argument('scopes', 'scopes must be a list of read, team, run and admin, at least one of them.',
      'read: lists and pages; team: create, join, act as a team; run: be a runner; admin: settings, keys, people, removal.');
  end if;
  return array(select s from unnest(array['read', 'team', 'run', 'admin']) s where s = any (scopes));
end;
$$;

-- 90m, 12h, 30d, or a number of seconds. Null stays null: for ever.
create or replace function parley_private.check_duration(field text, duration text, longest interval default '10 years')
returns interval
language plpgsql stable
set search_path = ''
as $$
declare
  v_parts    text[] := regexp_match(left(duration, 20), '^([1-9][0-9]{0,7})\s*([smhd]?)$');
  v_interval interval;
begin
  if duration is null then
    return null;
  end if;
  v_interval := v_parts[1]::integer * case v_parts[2] when 's' then '1 second' when '' then '1 second' when 'm' then '1 minute' when 'h' then '1 hour' else '1 day' end::interval;
  if v_interval is null or v_interval > longest then
    perform parley_private.refuse_argument(field, format('%s must be a number and s, m, h or d, such as 12h or 30d, at most %s days.',
      field, extract(epoch from longest)::integer / 86400),
      'Leave it out for the usual time.');
  end if;
  return v_interval;
end;
$$;

-- Ends what was opened under a key, or by a person: invitations, and whoever waits is answered 401 at once. Whatever was acknowledged before has
-- committed before: keep_door holds the lock until then.
create or replace function parley_private.end_waits_of(key_id uuid default null, user_id uuid default null)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_session uuid;
begin
  update parley_private.invites i set revoked_at = clock_timestamp()
  where (i.made_under_key = end_waits_of.key_id or i.made_by_user = end_waits_of.user_id) and parley_private.is_alive(i);
  for v_session in
    with ended as (
      delete from parley_private.waits w using parley.participants p
      where p.session_id = w.session_id and p.id = w.participant_id
        and (p.key_id = end_waits_of.key_id or p.user_id = end_waits_of.user_id)
      returning w.session_id
    )
    select distinct e.session_id from ended e
  loop
    perform parley_private.notify('feed ' || v_session);
  end loop;
  perform parley_private.notify('doors');
end;
$$;
