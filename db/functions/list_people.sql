do $$
begin
  create type parley.browser as (by text, signed_in_at timestamptz, last_used_at timestamptz, expires_at timestamptz);
exception when duplicate_object then null;
end $$;
comment on type parley.browser is 'A browser in which a person is signed in.';
comment on column parley.browser.by is '@notNull
link, oidc or name: how they signed in there.';
comment on column parley.browser.signed_in_at is '@notNull
When they signed in there.';
comment on column parley.browser.expires_at is '@notNull
When it ends by itself.';
comment on column parley.browser.last_used_at is '@notNull
When it was last seen, to the minute.';

do $$
begin
  create type parley.person as (
    person uuid,
    name text,
    role text,
    email text,
    you boolean,
    created_at timestamptz,
    removed_at timestamptz,
    browsers parley.browser[]
  );
exception when duplicate_object then null;
end $$;
comment on column parley.person.person is '@notNull
Their id.';
comment on column parley.person.name is '@notNull
What they are called in sessions.';
comment on column parley.person.created_at is '@notNull
When they first came.';
comment on column parley.person.role is '@notNull
owner: everything; member: reads and takes part; viewer: reads.';
comment on column parley.person.email is 'As their provider tells it; null for those who came by a link.';
comment on column parley.person.you is '@notNull
Whether this is the calling person.';
comment on column parley.person.removed_at is 'When an owner removed them; null while they belong here.';
comment on column parley.person.browsers is '@notNull
Where they are signed in, the last used first.';

do $$
begin
  create type parley.people as (people parley.person[]);
exception when duplicate_object then null;
end $$;
comment on column parley.people.people is '@notNull
Owners first, then by name; those who were removed come last.';

create or replace function parley_private.as_person(person parley_private.users, you uuid default null)
returns parley.person
language sql stable
set search_path = ''
as $$
  select row(
    person.id, person.name, person.role, person.email, person.id is not distinct from you, person.created_at, person.removed_at,
    array(
      select row(i.by, i.created_at, i.last_used_at, i.expires_at)::parley.browser
      from parley_private.sign_ins i
      where i.user_id = person.id and person.removed_at is null and parley_private.is_alive(i)
      order by i.last_used_at desc, i.created_at desc
      limit 100)
  )::parley.person;
$$;

create or replace function parley.list_people()
returns parley.people
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_you uuid := ((parley_private.actor()).person).id;
begin
  perform parley_private.refuse_bound_key();
  return row(array(
    select parley_private.as_person(u, v_you)
    from parley_private.users u
    order by u.removed_at is not null, array_position(array['owner', 'member', 'viewer'], u.role), lower(u.name), u.id
    limit 1000
  ))::parley.people;
end;
$$;

grant execute on function parley.list_people to parley_caller;

comment on function parley.list_people is $$
@verb GET /people
@who key admin
@toolset admin
@readonly
The people of this server, and where they are signed in.
$$;
