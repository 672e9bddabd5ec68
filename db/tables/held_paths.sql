-- The paths that teams have said they will change: claimed by themselves, or held by a task that is claimed. Leases, as claims
-- of tasks are.
create table if not exists parley.held_paths (
  session_id uuid not null,
  participant_id integer not null,
  task integer not null default 0,
  path text not null,
  base text collate "C" not null,
  note text,
  held_since timestamptz not null default clock_timestamp(),
  constraint held_paths_are_held_once primary key (session_id, participant_id, task, path),
  constraint held_paths_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id),
  constraint held_paths_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

-- Two patterns can only collide when the fixed part of one begins with that of the other: the plain case is found by it alone.
create index if not exists held_paths_by_base on parley.held_paths (session_id, base);

comment on table parley.held_paths is 'The paths that teams have claimed.';
comment on column parley.held_paths.session_id is 'The session.';
comment on column parley.held_paths.participant_id is 'The team that holds it.';
comment on column parley.held_paths.task is 'The task that it is held for; 0 when it was claimed by itself.';
comment on column parley.held_paths.path is 'A file, a folder (it ends with /) or a pattern with * and **.';
comment on column parley.held_paths.base is '@behavior -*
Its part before the first wildcard, up to a slash; all of it, with one, if it has none.';
comment on column parley.held_paths.note is 'What for, in the words of the team.';
comment on column parley.held_paths.held_since is 'Since when.';
comment on constraint held_paths_belong_to_a_participant on parley.held_paths is '@fieldName holder';

alter table parley.held_paths enable row level security;
alter table parley.held_paths force row level security;

drop policy if exists held_paths_are_readable on parley.held_paths;
create policy held_paths_are_readable on parley.held_paths for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = held_paths.session_id offset 0)
);
drop policy if exists held_paths_are_kept_by_the_owner on parley.held_paths;
create policy held_paths_are_kept_by_the_owner on parley.held_paths to parley_owner using (true) with check (true);

grant select on parley.held_paths to parley_caller;

-- A path that is let go may make a task free.
drop trigger if exists _500_notify_insert on parley.held_paths;
create trigger _500_notify_insert after insert on parley.held_paths
  referencing new table as changed for each statement execute function parley_private.tg_tasks__notify();
drop trigger if exists _500_notify_delete on parley.held_paths;
create trigger _500_notify_delete after delete on parley.held_paths
  referencing old table as changed for each statement execute function parley_private.tg_tasks__notify();
