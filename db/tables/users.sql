-- The people of this server. Nobody has a password: they come by a link, or by OpenID Connect.
create table if not exists parley_private.users (
  id uuid not null default gen_random_uuid(),
  name text not null,
  role text not null,
  email text,
  subject text,
  created_at timestamptz not null default now(),
  removed_at timestamptz,
  constraint users_have_an_id primary key (id),
  constraint users_have_a_known_role check (role in ('owner', 'member', 'viewer'))
);

create unique index if not exists users_are_found_by_their_subject on parley_private.users (subject);

comment on table parley_private.users is 'The people of this server.';
comment on column parley_private.users.id is 'Tells people apart.';
comment on column parley_private.users.name is 'What they are called in sessions.';
comment on column parley_private.users.role is 'owner: everything; member: reads and takes part; viewer: reads.';
comment on column parley_private.users.email is 'As their provider tells it; null for those who came by a link.';
comment on column parley_private.users.subject is 'Issuer and subject of OpenID Connect; null for those who came by a link.';
comment on column parley_private.users.created_at is 'When they first came.';
comment on column parley_private.users.removed_at is 'When an owner removed them: from then on nothing of theirs opens a door.';

alter table parley_private.users enable row level security;
alter table parley_private.users force row level security;

drop policy if exists users_are_kept_by_the_owner on parley_private.users;
create policy users_are_kept_by_the_owner on parley_private.users to parley_owner using (true) with check (true);
