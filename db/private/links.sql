-- Makes a sign-in link for somebody who is known, or for somebody new. The secret leaves the database once; what stays is its hash.
-- It ends with the key or the person that it was made under: whoever was sent away has left no way back.
-- Who may is asked by whoever calls this: invite_person, or the command line on the server's own machine.
create or replace function parley_private.make_link(
  person parley_private.users,
  name text,
  role text,
  expires_in interval,
  made_by text,
  out secret text,
  out invite parley_private.invites
)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_actor parley_private.actor := parley_private.actor();
begin
  secret := 'pl_' || parley_private.new_secret();
  insert into parley_private.invites (hash, user_id, role, name, uses_left, made_by, made_under_key, made_by_user, expires_at)
  values (
    parley_private.hash_of(secret), person.id, coalesce(person.role, make_link.role), coalesce(person.name, make_link.name),
    1, made_by, (v_actor.key).id, (v_actor.person).id, least(clock_timestamp() + expires_in, (v_actor.key).expires_at))
  returning * into invite;
  perform parley_private.audit('link_made', details => jsonb_strip_nulls(jsonb_build_object('name', invite.name, 'role', invite.role)), actor => made_by);
end;
$$;

-- The link that a starting server prints, as long as nobody is owner; null from then on.
create or replace function parley_private.first_link()
returns text
language plpgsql volatile
set search_path = ''
as $$
begin
  if parley_private.has_owner() then
    return null;
  end if;
  return (parley_private.make_link(null, null, 'owner', '1 day', 'the first start')).secret;
end;
$$;

-- The link of npx parley admin link: for the person of that name, else for an owner who is there, else for somebody new.
create or replace function parley_private.admin_link(name text default null, role text default null, out secret text, out invite parley_private.invites)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_role   text := parley_private.check_role(coalesce(role, case when name is null then 'owner' else 'member' end));
  v_person parley_private.users;
  v_made   record;
begin
  if name is not null then
    perform parley_private.check_text('name', name, 'team_name_max');
  end if;
  select * into v_person from parley_private.users u
  where u.removed_at is null
    and case when admin_link.name is null then u.role = 'owner' and v_role = 'owner' else u.name = admin_link.name end
  order by u.created_at
  limit 1;
  if v_person.role <> admin_link.role then
    perform parley_private.fail(409, 'conflict', format('%s is %s already.', v_person.name, v_person.role), 'Leave --role out, or give another name.');
  end if;
  v_made := parley_private.make_link(v_person, name, v_role, '1 day', 'this machine');
  secret := v_made.secret;
  invite := v_made.invite;
end;
$$;

-- What a link leads to. Unknown, used, expired and revoked ones get one and the same answer, and so do those that starting
-- servers have printed once somebody is owner.
create or replace function parley_private.find_link(hash text)
returns parley_private.invites
language plpgsql stable
set search_path = ''
as $$
declare
  v_link parley_private.invites;
begin
  select * into v_link from parley_private.invites i
  where i.hash = decode(find_link.hash, 'hex') and i.session_id is null and i.uses_left > 0 and parley_private.is_alive(i)
    and not exists (select from parley_private.users u where u.id = i.user_id and u.removed_at is not null)
    and not (i.made_by = 'the first start' and parley_private.has_owner());
  if not found then
    perform parley_private.fail(401, 'unauthorized', 'This sign-in link is unknown, used, expired or revoked.',
      'Ask whoever sent it for another one. On the machine of the server: npx parley admin link.');
  end if;
  return v_link;
end;
$$;

-- For the page, before anybody signs in with it.
create or replace function parley_private.look_at_link(hash text)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('name', l.name, 'role', l.role, 'known', l.user_id is not null, 'expires_at', l.expires_at) from parley_private.find_link(hash) l;
$$;

grant execute on function parley_private.look_at_link to parley_caller;
