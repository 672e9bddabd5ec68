-- Signs a person in: a new secret for the cookie, always, and the end of the one that this browser has shown. The secret leaves
-- the database once, in the answer; what stays is its hash.
create or replace function parley_private.open_sign_in(person parley_private.users, by text)
returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  c_lasts constant interval := '30 days';
  v_secret text := parley_private.new_secret();
begin
  perform parley_private.end_sign_ins(null, parley_private.shown_hash('cookie'));
  insert into parley_private.sign_ins (hash, user_id, by, last_used_at, expires_at)
  values (parley_private.hash_of(v_secret), person.id, by, date_trunc('minute', now()), now() + c_lasts);
  perform parley_private.audit('signed_in', details => jsonb_build_object('by', by, 'role', person.role), actor => person.name);
  return jsonb_build_object(
    'secret', v_secret,
    'seconds', extract(epoch from c_lasts),
    'person', parley_private.as_signed_in(person, by));
end;
$$;

create or replace function parley_private.as_signed_in(person parley_private.users, by text)
returns jsonb
language sql stable
return jsonb_build_object('id', person.id, 'name', person.name, 'role', person.role, 'email', person.email, 'by', by);

-- By a link, which works once: of two who come with it at the same time, one is let in. Whoever is new says what they are called,
-- unless the link does.
create or replace function parley_private.sign_in_by_link(hash text, name text default null)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_link   parley_private.invites := parley_private.find_link(hash);
  v_name   text := coalesce(v_link.name, sign_in_by_link.name);
  v_person parley_private.users;
begin
  if v_link.user_id is null then
    perform parley_private.check_text('name', v_name, 'team_name_max');
  end if;
  -- One after the other: whoever comes second finds the link used, or an owner made by another one.
  perform parley_private.lock_people();
  v_link := parley_private.find_link(hash);
  update parley_private.invites i set uses_left = i.uses_left - 1 where i.hash = v_link.hash;

  if v_link.user_id is null then
    insert into parley_private.users (name, role) values (v_name, v_link.role) returning * into v_person;
  else
    select * into v_person from parley_private.users u where u.id = v_link.user_id;
  end if;
  return parley_private.open_sign_in(v_person, 'link');
end;
$$;

-- With open access whoever comes may say who they are, once; saying it again mends it.
create or replace function parley_private.sign_in_by_name(name text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_person parley_private.users;
begin
  perform parley_private.check_text('name', name, 'team_name_max');
  if parley_private.asks_for_keys() then
    perform parley_private.fail(403, 'forbidden', 'On this server a name alone lets nobody in.', 'Ask an owner for a sign-in link.');
  end if;
  update parley_private.users u set name = sign_in_by_name.name
  where u.id = (parley_private.shown_person()).id
    and exists (select from parley_private.sign_ins i where i.hash = parley_private.shown_hash('cookie') and i.by = 'name')
  returning * into v_person;
  if not found then
    perform parley_private.count_against('names_per_hour', parley_private.door(), interval '1 hour', 'People who came by a name');
    insert into parley_private.users (name, role) values (name, 'member') returning * into v_person;
  end if;
  return parley_private.open_sign_in(v_person, 'name');
end;
$$;

-- By OpenID Connect: the provider has said who it is. Somebody new becomes what the setting oidc_role says; whoever was removed stays so.
create or replace function parley_private.sign_in_by_oidc(subject text, name text, email text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_role   text := (select s.value #>> '{}' from parley.settings s where s.name = 'oidc_role');
  v_name   text := left(coalesce(nullif(trim(name), ''), nullif(split_part(email, '@', 1), ''), 'Somebody'), parley_private.setting('team_name_max'));
  v_person parley_private.users;
begin
  -- One after the other: somebody who comes in two browsers at once is one person.
  perform parley_private.lock_people();
  update parley_private.users u set name = v_name, email = left(sign_in_by_oidc.email, 320)
  where u.subject = sign_in_by_oidc.subject
  returning * into v_person;
  if not found and v_role <> 'none' then
    insert into parley_private.users (subject, name, email, role) values (subject, v_name, left(email, 320), v_role)
    returning * into v_person;
  end if;
  if v_person.id is null or v_person.removed_at is not null then
    perform parley_private.fail(403, 'forbidden', 'You are not among the people of this server.', 'Ask an owner to let you in.');
  end if;
  return parley_private.open_sign_in(v_person, 'oidc');
end;
$$;

grant execute on function parley_private.sign_in_by_link, parley_private.sign_in_by_name, parley_private.sign_in_by_oidc to parley_caller;
