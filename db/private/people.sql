create or replace function parley_private.check_role(role text)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if role is null or role not in ('owner', 'member', 'viewer') then
    perform parley_private.refuse_argument('role', 'role must be owner, member or viewer.',
      'owner: everything; member: reads and takes part; viewer: reads.');
  end if;
  return role;
end;
$$;

-- By id, or by a name that one person alone has.
create or replace function parley_private.find_person(person text)
returns parley_private.users
language plpgsql stable
set search_path = ''
as $$
declare
  v_found parley_private.users[];
begin
  v_found := array(select u from parley_private.users u where u.id::text = lower(find_person.person));
  if cardinality(v_found) = 0 then
    v_found := array(select u from parley_private.users u where u.name = find_person.person and u.removed_at is null limit 2);
  end if;
  if cardinality(v_found) <> 1 then
    perform parley_private.fail(404, 'person_not_found',
      case cardinality(v_found) when 0 then 'There is nobody of this name or id.' else 'Several people have this name.' end,
      'Give the id of the person; list_people has them all.');
  end if;
  return v_found[1];
end;
$$;

create or replace function parley_private.has_owner()
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (select from parley_private.users u where u.role = 'owner' and u.removed_at is null);
$$;

-- Whoever makes or changes people comes one after the other, so that the last owner stays.
create or replace function parley_private.lock_people()
returns void
language sql volatile
return pg_advisory_xact_lock(hashtextextended('parley people', 0));

create or replace function parley_private.refuse_last_owner(person parley_private.users)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if person.role = 'owner' and person.removed_at is null and not exists (
    select from parley_private.users u where u.role = 'owner' and u.removed_at is null and u.id <> person.id) then
    perform parley_private.fail(409, 'last_owner', 'This is the last owner: somebody has to be one.', 'Make somebody else an owner first.');
  end if;
end;
$$;

-- Nobody gives more than they have; and a key that is bound to one session has no say over the people of the server.
create or replace function parley_private.refuse_to_give(role text)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_scopes text[] := parley_private.scopes_of(parley_private.actor());
begin
  if not parley_private.may_give(parley_private.scopes_of_role(role)) then
    perform parley_private.fail(403, 'forbidden', 'Nobody can make somebody who may do more than themselves.',
      format('A person who is %s has %s; you have %s.', role, array_to_string(parley_private.scopes_of_role(role), ', '), array_to_string(v_scopes, ', ')),
      jsonb_build_object('scope', (select s from unnest(parley_private.scopes_of_role(role)) s where s <> all (v_scopes) limit 1)));
  end if;
end;
$$;

create or replace function parley_private.refuse_bound_key()
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if ((parley_private.actor()).key).session_id is not null then
    perform parley_private.fail(403, 'forbidden', 'Your key is bound to one session: it has no say over this server.',
      'Ask an owner for a key with the scope admin that is bound to none.', jsonb_build_object('scope', 'admin'));
  end if;
end;
$$;
