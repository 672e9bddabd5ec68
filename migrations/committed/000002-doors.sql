--! Previous: sha1:a4f988c3c8957b290e75222e2741f6fc94881591
--! Hash: sha1:954cb415bdbb4c9ab9b027cc403bd9c0efa41830
--! Message: doors

--! Included tables/users.sql
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
--! EndIncluded tables/users.sql
--! Included tables/keys.sql
-- Access keys. The secret leaves the database once, in the answer of create_key; what stays is its hash.
create table if not exists parley_private.keys (
  id uuid not null default gen_random_uuid(),
  prefix text not null,
  hash bytea not null,
  name text not null,
  scopes text[] not null,
  session_id uuid,
  made_by text not null,
  made_by_user uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  constraint keys_have_an_id primary key (id),
  constraint keys_are_told_apart_by_their_prefix unique (prefix),
  constraint keys_are_sha256 check (length(hash) = 32),
  constraint keys_have_known_scopes check (scopes <@ array['read', 'team', 'run', 'admin'] and scopes <> '{}'),
  constraint keys_are_bound_to_a_session foreign key (session_id) references parley.sessions (id) on delete cascade,
  constraint keys_are_made_by_a_person foreign key (made_by_user) references parley_private.users (id)
);

create unique index if not exists keys_are_found_by_their_hash on parley_private.keys (hash);
create index if not exists keys_of_a_session on parley_private.keys (session_id) where session_id is not null;
create index if not exists keys_of_a_person on parley_private.keys (made_by_user) where made_by_user is not null;
create index if not exists keys_by_creation on parley_private.keys (created_at desc);

comment on table parley_private.keys is 'Access keys: what opens a door of this server.';
comment on column parley_private.keys.id is 'What teams remember it by.';
comment on column parley_private.keys.prefix is 'How it begins: pk_ and eight characters, its public name.';
comment on column parley_private.keys.hash is 'SHA-256 of the key, which is kept nowhere.';
comment on column parley_private.keys.name is 'What it is for, in the words of whoever made it.';
comment on column parley_private.keys.scopes is 'read, team, run, admin: what it opens.';
comment on column parley_private.keys.session_id is 'The one session that it opens; null for all.';
comment on column parley_private.keys.made_by is 'Who made it.';
comment on column parley_private.keys.made_by_user is 'The person who made it; null if another key or the command line did.';
comment on column parley_private.keys.created_at is 'When it was made.';
comment on column parley_private.keys.expires_at is 'When it ends by itself; null: never.';
comment on column parley_private.keys.last_used_at is 'When it last opened a door, to the minute.';
comment on column parley_private.keys.revoked_at is 'When somebody ended it.';

alter table parley_private.keys enable row level security;
alter table parley_private.keys force row level security;

drop policy if exists keys_are_kept_by_the_owner on parley_private.keys;
create policy keys_are_kept_by_the_owner on parley_private.keys to parley_owner using (true) with check (true);
--! EndIncluded tables/keys.sql
--! Included tables/sign_ins.sql
-- A browser in which somebody is signed in. Its cookie is kept as a hash only.
create table if not exists parley_private.sign_ins (
  hash bytea not null,
  user_id uuid not null,
  by text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  constraint sign_ins_are_found_by_their_hash primary key (hash),
  constraint sign_ins_are_sha256 check (length(hash) = 32),
  constraint sign_ins_belong_to_a_person foreign key (user_id) references parley_private.users (id)
);

create index if not exists sign_ins_of_a_person on parley_private.sign_ins (user_id);

comment on table parley_private.sign_ins is 'Browsers in which somebody is signed in.';
comment on column parley_private.sign_ins.hash is 'SHA-256 of the cookie, which is kept nowhere.';
comment on column parley_private.sign_ins.user_id is 'Who is signed in.';
comment on column parley_private.sign_ins.by is 'link, oidc, or name: how they signed in.';
comment on column parley_private.sign_ins.created_at is 'When they signed in.';
comment on column parley_private.sign_ins.last_used_at is 'When the browser was last seen, to the minute.';
comment on column parley_private.sign_ins.expires_at is 'When it ends by itself.';
comment on column parley_private.sign_ins.revoked_at is 'When it was signed out.';

alter table parley_private.sign_ins enable row level security;
alter table parley_private.sign_ins force row level security;

drop policy if exists sign_ins_are_kept_by_the_owner on parley_private.sign_ins;
create policy sign_ins_are_kept_by_the_owner on parley_private.sign_ins to parley_owner using (true) with check (true);
--! EndIncluded tables/sign_ins.sql
--! Included tables/members.sql
-- The people who see a session that is not for everyone.
create table if not exists parley_private.members (
  session_id uuid not null,
  user_id uuid not null,
  since timestamptz not null default now(),
  constraint members_are_once_in_a_session primary key (session_id, user_id),
  constraint members_belong_to_a_session foreign key (session_id) references parley.sessions (id) on delete cascade,
  constraint members_are_people foreign key (user_id) references parley_private.users (id)
);

create index if not exists members_by_person on parley_private.members (user_id);

comment on table parley_private.members is 'The people who belong to a session.';
comment on column parley_private.members.session_id is 'The session.';
comment on column parley_private.members.user_id is 'The person.';
comment on column parley_private.members.since is 'Since when.';

alter table parley_private.members enable row level security;
alter table parley_private.members force row level security;

drop policy if exists members_are_kept_by_the_owner on parley_private.members;
create policy members_are_kept_by_the_owner on parley_private.members to parley_owner using (true) with check (true);
--! EndIncluded tables/members.sql
--! Included tables/invites.sql
-- Invitations. To a session: a person who opens one becomes a member, an agent that presents one joins. To the server: a person
-- who opens one is signed in.
create table if not exists parley_private.invites (
  hash bytea not null,
  session_id uuid,
  user_id uuid,
  role text,
  name text,
  uses_left integer not null,
  made_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  constraint invites_are_found_by_their_hash primary key (hash),
  constraint invites_are_sha256 check (length(hash) = 32),
  constraint invites_lead_to_a_session foreign key (session_id) references parley.sessions (id) on delete cascade,
  constraint invites_sign_a_person_in foreign key (user_id) references parley_private.users (id),
  constraint invites_are_not_overused check (uses_left >= 0),
  constraint invites_lead_somewhere check (session_id is not null or user_id is not null or role in ('owner', 'member', 'viewer'))
);

create index if not exists invites_to_a_session on parley_private.invites (session_id) where session_id is not null;
create index if not exists invites_of_a_person on parley_private.invites (user_id) where user_id is not null;

comment on table parley_private.invites is 'Invitations to a session, and sign-in links.';
comment on column parley_private.invites.hash is 'SHA-256 of the secret in the link, which is kept nowhere.';
comment on column parley_private.invites.session_id is 'The session that it leads to; null for a sign-in link.';
comment on column parley_private.invites.user_id is 'Whom a sign-in link is for, if they are known already.';
comment on column parley_private.invites.role is 'What somebody new becomes by a sign-in link.';
comment on column parley_private.invites.name is 'What somebody new is called.';
comment on column parley_private.invites.uses_left is 'How often it still works.';
comment on column parley_private.invites.made_by is 'Who made it.';
comment on column parley_private.invites.created_at is 'When it was made.';
comment on column parley_private.invites.expires_at is 'When it ends by itself.';
comment on column parley_private.invites.revoked_at is 'When somebody ended it.';

alter table parley_private.invites enable row level security;
alter table parley_private.invites force row level security;

drop policy if exists invites_are_kept_by_the_owner on parley_private.invites;
create policy invites_are_kept_by_the_owner on parley_private.invites to parley_owner using (true) with check (true);
--! EndIncluded tables/invites.sql
--! Included tables/audit.sql
-- Who changed what about this server. Append-only, without secrets; the worker removes what is older than 90 days.
create table if not exists parley_private.audit (
  id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  event text not null,
  session_ref text,
  details jsonb not null default '{}',
  constraint audit_is_counted primary key (id)
);

create index if not exists audit_by_time on parley_private.audit (at desc, id desc);

comment on table parley_private.audit is 'Who changed what about this server.';
comment on column parley_private.audit.id is '1, 2, 3 … in the order in which it was written.';
comment on column parley_private.audit.at is 'When.';
comment on column parley_private.audit.actor is 'Who: a person, a key by its prefix, a team by its handle, or the machine itself.';
comment on column parley_private.audit.event is 'What: key_created, settings_changed, team_removed …';
comment on column parley_private.audit.session_ref is 'In which session, if in one. A ref, since the session may be gone.';
comment on column parley_private.audit.details is 'What else there is to know; never a secret.';

alter table parley_private.audit enable row level security;
alter table parley_private.audit force row level security;

drop policy if exists audit_is_read_by_the_owner on parley_private.audit;
create policy audit_is_read_by_the_owner on parley_private.audit for select to parley_owner using (true);
drop policy if exists audit_is_appended_by_the_owner on parley_private.audit;
create policy audit_is_appended_by_the_owner on parley_private.audit for insert to parley_owner with check (true);
drop policy if exists audit_ends_after_a_while on parley_private.audit;
create policy audit_ends_after_a_while on parley_private.audit for delete to parley_owner using (at < now() - interval '90 days');
--! EndIncluded tables/audit.sql

alter table parley.sessions
  add column if not exists visibility text not null default 'everyone',
  add column if not exists mode text not null default 'intervention',
  add column if not exists paused_at timestamptz,
  add column if not exists pause_reason text;
alter table parley.participants
  add column if not exists key_id uuid,
  add column if not exists user_id uuid,
  add column if not exists guest boolean not null default false;

alter table parley.sessions
  drop constraint if exists sessions_are_for_everyone_or_members,
  drop constraint if exists sessions_have_a_known_mode,
  add constraint sessions_are_for_everyone_or_members check (visibility in ('everyone', 'members')),
  add constraint sessions_have_a_known_mode check (mode in ('intervention', 'read_only'));
alter table parley.participants
  drop constraint if exists participants_are_opened_under_a_key,
  drop constraint if exists participants_are_opened_by_a_person,
  add constraint participants_are_opened_under_a_key foreign key (key_id) references parley_private.keys (id),
  add constraint participants_are_opened_by_a_person foreign key (user_id) references parley_private.users (id);

create index if not exists sessions_for_members on parley.sessions (id) where visibility = 'members';
create index if not exists participants_of_a_key on parley.participants (key_id) where key_id is not null;
create index if not exists participants_of_a_person on parley.participants (user_id) where user_id is not null;
create unique index if not exists people_sit_once_in_a_session on parley.participants (session_id, user_id) where kind = 'human' and left_at is null;

do $$
begin
  create type parley_private.actor as (key parley_private.keys, person parley_private.users, invite parley_private.invites, team parley.participants);
exception when duplicate_object then null;
end $$;
