-- The key of npx parley admin key, on the server's own machine: whoever reaches the database may make any.
create or replace function parley_private.admin_key(
  name text,
  scopes text[],
  session text default null,
  expires_in text default null,
  out secret text,
  out key parley_private.keys
)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_session parley.sessions;
  v_made    record;
begin
  perform parley_private.check_text('name', name, 'team_name_max');
  if session is not null then
    perform set_config('parley.sight', 'all', true);
    v_session := parley_private.find_session(session);
  end if;
  v_made := parley_private.make_key(
    name, parley_private.check_scopes(scopes), v_session.id, parley_private.check_duration('--expires', expires_in));
  secret := v_made.secret;
  key := v_made.key;
end;
$$;
