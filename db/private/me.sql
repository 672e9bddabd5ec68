-- Who is calling, what that lets them do, and how one can sign in: what a page has to know before it shows anything.
create or replace function parley_private.me()
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_actor parley_private.actor := parley_private.actor();
  v_open  boolean := not parley_private.asks_for_keys();
begin
  perform parley_private.use(v_actor);
  return jsonb_build_object(
    'access', case when v_open then 'open' else 'keys' end,
    'person', case when (v_actor.person).id is not null then parley_private.as_signed_in(v_actor.person,
      (select i.by from parley_private.sign_ins i where i.hash = parley_private.shown_hash('cookie'))) end,
    'key', (v_actor.key).prefix,
    'scopes', array(
      select s from unnest(array['read', 'team', 'run', 'admin']) s
      where s = any (parley_private.scopes_of(v_actor)) or v_open and (s <> 'admin' or parley_private.may_administer())),
    'sign_in', jsonb_build_object('link', true, 'name', v_open));
end;
$$;

grant execute on function parley_private.me to parley_caller;
