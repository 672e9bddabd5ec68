-- With open access whoever is on the server's own machine may do everything.
create or replace function parley_private.is_at_home()
returns boolean
language sql stable
return not parley_private.asks_for_keys() and parley_private.caller_shows('local') is not distinct from 'on';

-- Nobody gives another more than they have themselves.
create or replace function parley_private.may_give(scopes text[])
returns boolean
language sql stable
set search_path = ''
as $$
  select parley_private.is_at_home() or may_give.scopes <@ parley_private.scopes_of(parley_private.actor());
$$;

-- Whether the caller may do what needs the scope admin, without a refusal: for what is shown to some and not to others.
create or replace function parley_private.may_administer()
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select 'admin' = any (parley_private.scopes_of(parley_private.actor()))
    or parley_private.is_at_home();
$$;

grant execute on function parley_private.may_administer to parley_caller;
