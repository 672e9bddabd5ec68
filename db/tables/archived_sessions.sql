-- What a person has put away from their list of sessions. It concerns nobody else, and the session not at all.
create table if not exists parley_private.archived_sessions (
  user_id uuid not null,
  session_id uuid not null,
  archived_at timestamptz not null default now(),
  constraint archived_sessions_are_once_per_person primary key (user_id, session_id),
  constraint archived_sessions_are_of_a_person foreign key (user_id) references parley_private.users (id),
  constraint archived_sessions_are_sessions foreign key (session_id) references parley.sessions (id) on delete cascade
);

create index if not exists archived_sessions_by_session on parley_private.archived_sessions (session_id);

comment on table parley_private.archived_sessions is 'What a person has put away from their list.';
comment on column parley_private.archived_sessions.user_id is 'The person.';
comment on column parley_private.archived_sessions.session_id is 'The session.';
comment on column parley_private.archived_sessions.archived_at is 'Since when.';

alter table parley_private.archived_sessions enable row level security;
alter table parley_private.archived_sessions force row level security;

drop policy if exists archived_sessions_are_kept_by_the_owner on parley_private.archived_sessions;
create policy archived_sessions_are_kept_by_the_owner on parley_private.archived_sessions to parley_owner using (true) with check (true);
