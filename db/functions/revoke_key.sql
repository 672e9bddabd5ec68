create or replace function parley.revoke_key(key text)
returns parley.access_key
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_actor parley_private.actor := parley_private.actor();
  v_key   parley_private.keys;
begin
  select * into v_key from parley_private.keys k where k.prefix = left(revoke_key.key, 11);
  if v_key.id is null or (v_actor.key).session_id <> coalesce(v_key.session_id, '00000000-0000-0000-0000-000000000000') then
    perform parley_private.fail(404, 'key_not_found', 'There is no key of this name.', 'Give its prefix, pk_ and eight characters; list_keys has them all.');
  end if;
  -- Whoever writes under it right now has the lock until that is committed; whoever comes later finds it revoked.
  perform pg_advisory_xact_lock(hashtextextended('parley key ' || v_key.id, 0));
  update parley_private.keys k set revoked_at = coalesce(k.revoked_at, clock_timestamp()) where k.id = v_key.id returning * into v_key;
  perform parley_private.end_waits_of(key_id => v_key.id);
  perform parley_private.audit('key_revoked', v_key.session_id, jsonb_build_object('key', v_key.prefix, 'name', v_key.name));
  return parley_private.as_access_key(v_key);
end;
$$;

grant execute on function parley.revoke_key to parley_caller;

comment on function parley.revoke_key is $$
@verb POST /keys/{key}/revoke
@who key admin
@toolset admin
@idempotent
@param key Its prefix, pk_ and eight characters.
End an access key at once, with every team that was opened under it.
$$;
