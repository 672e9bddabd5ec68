-- What teams have really changed, as they last reported it from git: claims are intent.
create table if not exists parley.changed_paths (
  session_id uuid not null,
  participant_id integer not null,
  branch text not null default '',
  path text not null,
  base text collate "C" not null,
  head text,
  reported_at timestamptz not null default clock_timestamp(),
  constraint changed_paths_are_reported_once primary key (session_id, participant_id, branch, path),
  constraint changed_paths_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id),
  constraint changed_paths_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

create index if not exists changed_paths_by_base on parley.changed_paths (session_id, base);

comment on table parley.changed_paths is 'The paths that teams have changed.';
comment on column parley.changed_paths.session_id is 'The session.';
comment on column parley.changed_paths.participant_id is 'The team that has changed it.';
comment on column parley.changed_paths.branch is 'On which branch; empty if it did not say.';
comment on column parley.changed_paths.path is 'The file.';
comment on column parley.changed_paths.base is '@behavior -*
The same with a slash at its end, as held_paths has it.';
comment on column parley.changed_paths.head is 'The commit that the branch was at.';
comment on column parley.changed_paths.reported_at is 'When it was reported.';
comment on constraint changed_paths_belong_to_a_participant on parley.changed_paths is '@fieldName team';

alter table parley.changed_paths enable row level security;
alter table parley.changed_paths force row level security;

drop policy if exists changed_paths_are_readable on parley.changed_paths;
create policy changed_paths_are_readable on parley.changed_paths for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = changed_paths.session_id offset 0)
);
drop policy if exists changed_paths_are_kept_by_the_owner on parley.changed_paths;
create policy changed_paths_are_kept_by_the_owner on parley.changed_paths to parley_owner using (true) with check (true);

grant select on parley.changed_paths to parley_caller;
