do $$
begin
  create type parley.access_keys as (keys parley.access_key[]);
exception when duplicate_object then null;
end $$;
comment on column parley.access_keys.keys is '@notNull
Newest first; without their secrets, which are kept nowhere.';

create or replace function parley.list_keys()
returns parley.access_keys
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_actor parley_private.actor := parley_private.actor();
begin
  return row(array(
    select parley_private.as_access_key(k)
    from parley_private.keys k
    where (v_actor.key).session_id is null or k.session_id = (v_actor.key).session_id
    order by k.created_at desc, k.prefix
    limit 1000
  ))::parley.access_keys;
end;
$$;

grant execute on function parley.list_keys to parley_caller;

comment on function parley.list_keys is $$
@verb GET /keys
@who key admin
@toolset admin
@readonly
The access keys, with when each was last used.
$$;
