-- Whether the caller may do what needs the scope admin, without a refusal: for what is shown to some and not to others.
create or replace function parley_private.may_administer()
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select 'admin' = any (parley_private.scopes_of(parley_private.actor()))
    or not parley_private.asks_for_keys() and parley_private.caller_shows('local') is not distinct from 'on';
$$;

grant execute on function parley_private.may_administer to parley_caller;
