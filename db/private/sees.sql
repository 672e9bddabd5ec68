-- What the policies of the tables ask, before any of them stands: db/private/sight.sql knows the answers.
create or replace function parley_private.sees_public()
returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.sight() <> 'some';
end;
$$;

create or replace function parley_private.sees_own()
returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  perform parley_private.sight();
  return current_setting('parley.own_sessions', true)::uuid[];
end;
$$;

-- Whether every session there is can be seen: then nothing has to be asked row by row.
create or replace function parley_private.sees_all()
returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return case parley_private.sight()
    when 'all' then true
    when 'public' then not exists (select from parley.sessions s where s.visibility = 'members')
    else false
  end;
end;
$$;

-- Where that is not so. A page is mostly of one session: what was found for the row before holds for the next. Its cost is said to be
-- small, so that no plan is chosen to ask it less often.
create or replace function parley_private.sees_session(session_id uuid)
returns boolean
language plpgsql stable security definer cost 1
set search_path = ''
as $$
begin
  if current_setting('parley.sight', true) <> '' and current_setting('parley.seen_session', true) = session_id::text then
    return true;
  end if;
  if not exists (select from parley.sessions s where s.id = sees_session.session_id and parley_private.sees(s)) then
    return false;
  end if;
  perform set_config('parley.seen_session', session_id::text, true);
  return true;
end;
$$;

grant execute on function parley_private.sees_session, parley_private.sees_public, parley_private.sees_own, parley_private.sees_all to parley_caller;
