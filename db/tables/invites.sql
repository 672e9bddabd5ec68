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
  made_under_key uuid,
  made_by_user uuid,
  constraint invites_are_found_by_their_hash primary key (hash),
  constraint invites_are_sha256 check (length(hash) = 32),
  constraint invites_lead_to_a_session foreign key (session_id) references parley.sessions (id) on delete cascade,
  constraint invites_sign_a_person_in foreign key (user_id) references parley_private.users (id),
  constraint invites_are_made_under_a_key foreign key (made_under_key) references parley_private.keys (id),
  constraint invites_are_made_by_a_person foreign key (made_by_user) references parley_private.users (id),
  constraint invites_are_not_overused check (uses_left >= 0),
  constraint invites_lead_somewhere check (session_id is not null or user_id is not null or role in ('owner', 'member', 'viewer'))
);

create index if not exists invites_to_a_session on parley_private.invites (session_id) where session_id is not null;
create index if not exists invites_of_a_person on parley_private.invites (user_id) where user_id is not null;
create index if not exists invites_made_under_a_key on parley_private.invites (made_under_key) where made_under_key is not null;
create index if not exists invites_made_by_a_person on parley_private.invites (made_by_user) where made_by_user is not null;

comment on table parley_private.invites is '@backup seeded
Invitations to a session, and sign-in links.';
comment on column parley_private.invites.hash is 'SHA-256 of the secret in the link, which is kept nowhere.';
comment on column parley_private.invites.session_id is 'The session that it leads to; null for a sign-in link.';
comment on column parley_private.invites.user_id is 'Whom a sign-in link is for, if they are known already.';
comment on column parley_private.invites.role is 'What somebody new becomes by a sign-in link.';
comment on column parley_private.invites.name is 'What somebody new is called.';
comment on column parley_private.invites.uses_left is 'How often it still works.';
comment on column parley_private.invites.made_by is 'Who made it.';
comment on column parley_private.invites.made_under_key is 'The access key that it was made under: it ends with it.';
comment on column parley_private.invites.made_by_user is 'The person who made it, or whose team did: it ends with them.';
comment on column parley_private.invites.created_at is 'When it was made.';
comment on column parley_private.invites.expires_at is 'When it ends by itself.';
comment on column parley_private.invites.revoked_at is 'When somebody ended it.';

alter table parley_private.invites enable row level security;
alter table parley_private.invites force row level security;

drop policy if exists invites_are_kept_by_the_owner on parley_private.invites;
create policy invites_are_kept_by_the_owner on parley_private.invites to parley_owner using (true) with check (true);
