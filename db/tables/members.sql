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
