-- A session by its uuid, its ref, or a prefix of the uuid that fits no other. For one that the caller does not see the same is done as
-- for one that is not there, up to the row itself (api/tests/access/same-work.test.ts): it runs as the owner and asks sees().
create or replace function parley_private.find_session(session_id text)
returns parley.sessions
language plpgsql stable security definer
set search_path = ''
as $$
declare
  -- No name is longer; what is, is nobody's.
  v_key     text := lower(left(session_id, 100));
  v_hex     text := replace(v_key, '-', '');
  v_found   parley.sessions;
  v_matches parley.sessions[];
  v_hint    text := 'Check the ref with whoever gave it to you; it looks like calm-otter-17.';
begin
  if session_id is null then
    perform parley_private.refuse_argument('session_id', 'session_id is required.',
      'Send the ref of the session, e.g. calm-otter-17; list_sessions has them.');
  end if;
  if v_hex ~ '^[0-9a-f]{32}$' then
    select * into v_found from parley.sessions s where s.id = v_hex::uuid;
  else
    select * into v_found from parley.sessions s where s.ref = v_key;
  end if;

  if v_found.id is null and v_hex ~ '^[0-9a-f]{8,31}$' then
    v_matches := array(
      select s from parley.sessions s
      where s.id between rpad(v_hex, 32, '0')::uuid and rpad(v_hex, 32, 'f')::uuid and parley_private.sees(s)
      limit 2
    );
    if cardinality(v_matches) > 1 then
      v_hint := 'That prefix is ambiguous, it fits several sessions: give more characters of the uuid, or the ref.';
    else
      v_found := v_matches[1];
    end if;
  end if;

  if not coalesce(parley_private.sees(v_found), false) or v_found.id is null then
    perform parley_private.fail(404, 'session_not_found', 'No session has this id or ref.', v_hint);
  end if;
  return v_found;
end;
$$;

grant execute on function parley_private.find_session to parley_caller;
