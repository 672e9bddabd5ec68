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
