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
