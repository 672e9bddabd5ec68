-- What a person wants to be notified of: in general, and in sessions for which they have said otherwise.
create table if not exists parley_private.notices (
  user_id uuid not null,
  session_id uuid,
  kinds text[] not null,
  constraint notices_are_once_per_person_and_session unique nulls not distinct (user_id, session_id),
  constraint notices_are_of_a_person foreign key (user_id) references parley_private.users (id),
  constraint notices_are_about_a_session foreign key (session_id) references parley.sessions (id) on delete cascade,
  constraint notices_are_of_known_kinds check (kinds <@ array['question', 'blocker', 'permission', 'stalled', 'idle'])
);

create index if not exists notices_by_session on parley_private.notices (session_id) where session_id is not null;

comment on table parley_private.notices is 'What people want to be notified of.';
comment on column parley_private.notices.user_id is 'The person.';
comment on column parley_private.notices.session_id is 'The session that it holds for; null: all others.';
comment on column parley_private.notices.kinds is 'question, blocker, permission, stalled, idle; empty: nothing.';

alter table parley_private.notices enable row level security;
alter table parley_private.notices force row level security;

drop policy if exists notices_are_kept_by_the_owner on parley_private.notices;
create policy notices_are_kept_by_the_owner on parley_private.notices to parley_owner using (true) with check (true);
