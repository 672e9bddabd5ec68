-- Whoever writes under it right now has the lock until that is committed; whoever comes later finds it revoked.
create or replace function parley_private.end_key(key parley_private.keys, with_key text default null)
returns parley_private.keys
language plpgsql volatile
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('parley key ' || key.id, 0));
  update parley_private.keys k set revoked_at = coalesce(k.revoked_at, clock_timestamp()) where k.id = (end_key.key).id returning * into key;
  perform
    parley_private.end_waits_of(key_id => key.id),
    parley_private.audit('key_revoked', key.session_id, jsonb_strip_nulls(jsonb_build_object('key', key.prefix, 'name', key.name, 'with', with_key)));
  return key;
end;
$$;

create or replace function parley.revoke_key(key text)
returns parley.access_key
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_actor parley_private.actor := parley_private.actor();
  v_key   parley_private.keys;
  v_made  parley_private.keys;
begin
  select * into v_key from parley_private.keys k where k.prefix = left(revoke_key.key, 11);
  if v_key.id is null or (v_actor.key).session_id <> coalesce(v_key.session_id, '00000000-0000-0000-0000-000000000000') then
    perform parley_private.fail(404, 'key_not_found', 'There is no key of this name.', 'Give its prefix, pk_ and eight characters; list_keys has them all.');
  end if;
  -- Those that it has made first: whoever has got hold of it may have made them.
  for v_made in
    with recursive line (id, prefix) as (
      select v_key.id, v_key.prefix
      union
      select k.id, k.prefix from line l join parley_private.keys k on k.made_by = l.prefix and k.made_by_user is null
    )
    select k.* from line l join parley_private.keys k on k.id = l.id where k.id <> v_key.id and parley_private.is_alive(k) order by k.id
  loop
    perform parley_private.end_key(v_made, v_key.prefix);
  end loop;
  return parley_private.as_access_key(parley_private.end_key(v_key));
end;
$$;

grant execute on function parley.revoke_key to parley_caller;

comment on function parley.revoke_key is $$
@verb POST /keys/{key}/revoke
@who key admin
@toolset admin
@idempotent
@param key Its prefix, pk_ and eight characters.
End an access key at once, with every team that was opened under it, every agent that these have spawned, and every key that was made with it.
$$;
