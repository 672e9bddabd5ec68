-- What people were notified of, as long as it waits: nobody is told of the same thing twice.
create table if not exists parley_private.notified (
  user_id uuid not null,
  session_id uuid not null,
  need text not null,
  at timestamptz not null default clock_timestamp(),
  constraint notified_is_once_per_need primary key (user_id, session_id, need),
  constraint notified_are_people foreign key (user_id) references parley_private.users (id),
  constraint notified_is_about_a_session foreign key (session_id) references parley.sessions (id) on delete cascade
);

create index if not exists notified_by_session on parley_private.notified (session_id);

comment on table parley_private.notified is '@backup none
What people were notified of.';
comment on column parley_private.notified.user_id is 'The person.';
comment on column parley_private.notified.session_id is 'The session.';
comment on column parley_private.notified.need is 'What waits there: its kind and where it stands.';
comment on column parley_private.notified.at is 'When.';

alter table parley_private.notified enable row level security;
alter table parley_private.notified force row level security;

drop policy if exists notified_is_kept_by_the_owner on parley_private.notified;
create policy notified_is_kept_by_the_owner on parley_private.notified to parley_owner using (true) with check (true);
