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
  return case when parley_private.sight() <> '' then current_setting('parley.own_sessions', true)::uuid[] end;
end;
$$;

-- The boards that its own sessions stand on: all that somebody sees of them who was let into these alone.
create or replace function parley_private.sees_boards()
returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(select p.board from parley.placements p where p.session_id = any (parley_private.sees_own()));
end;
$$;

-- Whether every session there is can be seen: then nothing has to be asked row by row. Found out once per call and kept. Where it
-- is not so, the policies of other tables look for the session itself, and its own policy decides: a look into an index for each
-- row. Without `offset 0` a plan for many rows would begin with reading all sessions.
create or replace function parley_private.sees_all()
returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_sight text := parley_private.sight();
  v_all   text := current_setting('parley.sees_all', true);
begin
  if v_all = '' then
    v_all := case v_sight
      when 'all' then true
      when 'public' then not exists (select from parley.sessions s where s.visibility = 'members')
      else false
    end;
    perform set_config('parley.sees_all', v_all, true);
  end if;
  return v_all;
end;
$$;

-- Whether the caller is of another house: came by an invitation, or has nothing else to show.
create or replace function parley_private.is_guest()
returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select coalesce((a.team).guest, (a.invite).hash is not null) and num_nonnulls((a.key).id, (a.person).id) = 0
    from parley_private.actor() a
  );
end;
$$;

grant execute on function parley_private.is_guest, parley_private.sees_public, parley_private.sees_own, parley_private.sees_boards, parley_private.sees_all to parley_caller;
