--! Previous: sha1:5ddcb0e860e798f7684beaa0a38eaaae7b570eeb
--! Hash: sha1:4835b1dd9084261134bba9b7a385fc73ad08e455
--! Message: work

--! Included private/sees.sql
-- What the policies of the tables ask, before any of them stands: db/private/sight.sql knows the answers.
create or replace function parley_private.sees_public()
returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.sight() <> 'some';
end;
$$;

create or replace function parley_private.sees_own()
returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  perform parley_private.sight();
  return current_setting('parley.own_sessions', true)::uuid[];
end;
$$;

-- Whether every session there is can be seen: then nothing has to be asked row by row.
create or replace function parley_private.sees_all()
returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return case parley_private.sight()
    when 'all' then true
    when 'public' then not exists (select from parley.sessions s where s.visibility = 'members')
    else false
  end;
end;
$$;

-- Where that is not so. Its cost is said to be small, so that no plan is chosen to ask it less often.
create or replace function parley_private.sees_session(session_id uuid)
returns boolean
language plpgsql stable security definer cost 1
set search_path = ''
as $$
begin
  return exists (select from parley.sessions s where s.id = sees_session.session_id and parley_private.sees(s));
end;
$$;

grant execute on function parley_private.sees_session, parley_private.sees_public, parley_private.sees_own, parley_private.sees_all to parley_caller;
--! EndIncluded private/sees.sql
alter table parley.participants add column if not exists about jsonb not null default '{}';
alter table parley.participants add column if not exists doing text;

--! Included tables/tasks.sql
-- The work that a session is divided into. A claim is a lease (private/leases.sql): claimed_by says whose it is, when it ends
-- is derived from the presence of that team.
create table if not exists parley.tasks (
  session_id uuid not null,
  task integer not null,
  title text not null,
  body text not null default '',
  status text not null default 'open',
  claimed_by integer,
  priority integer not null default 0,
  depends_on integer[] not null default '{}',
  paths text[] not null default '{}',
  "check" text,
  result text,
  evidence jsonb,
  proof text,
  done_by integer,
  branch text,
  commit text,
  verified_by integer,
  verified_at timestamptz,
  verified_commit text,
  carried_session uuid,
  carried_task integer,
  created_by integer not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  version integer not null default 1,
  constraint tasks_are_counted_per_session primary key (session_id, task),
  constraint tasks_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint tasks_have_a_known_status check (status in ('open', 'claimed', 'blocked', 'done', 'dropped')),
  constraint claimed_tasks_have_a_holder check ((status = 'claimed') = (claimed_by is not null)),
  constraint done_tasks_have_a_proof check (
    (status = 'done') = (proof is not null) and proof in ('reported', 'verified', 'refuted', 'stale'))
)
with (fillfactor = 80);
-- No foreign keys to participants: who writes holds the lock of the session and has found them under it, and none is deleted.

-- What claim_task looks through, in its order.
create index if not exists tasks_to_take on parley.tasks (session_id, priority desc, task) where status = 'open';
create index if not exists tasks_of_a_team on parley.tasks (session_id, claimed_by) where claimed_by is not null;

comment on table parley.tasks is '@foreignKey (session_id, claimed_by) references parley.participants (session_id, id)|@fieldName holder|@foreignFieldName claimedTasks
@foreignKey (session_id, done_by) references parley.participants (session_id, id)|@fieldName doer|@behavior -manyRelation:resource:connection -manyRelation:resource:list
@foreignKey (session_id, verified_by) references parley.participants (session_id, id)|@fieldName verifier|@behavior -manyRelation:resource:connection -manyRelation:resource:list
@foreignKey (session_id, created_by) references parley.participants (session_id, id)|@fieldName author|@behavior -manyRelation:resource:connection -manyRelation:resource:list
The tasks that a session is divided into.';
comment on column parley.tasks.session_id is 'The session.';
comment on column parley.tasks.task is '1, 2, 3 … in the order in which they were added.';
comment on column parley.tasks.title is 'What is to be done, in a line.';
comment on column parley.tasks.body is 'What is to be done, in full.';
comment on column parley.tasks.status is '@behavior -*
open, claimed, blocked, done or dropped, without regard to what it depends on.';
comment on column parley.tasks.claimed_by is '@behavior -*
The team that has claimed it; null unless one has.';
comment on column parley.tasks.priority is 'The highest goes first.';
comment on column parley.tasks.depends_on is 'The tasks that have to be finished before.';
comment on column parley.tasks.paths is 'The paths that whoever has claimed it holds.';
comment on column parley.tasks."check" is 'The name of the check that proves it, among the checks of the parley.json of its repository.';
comment on column parley.tasks.result is 'What came of it; while it is blocked, what stands in its way.';
comment on column parley.tasks.evidence is 'What was brought forward that it is done: checks, commits, links.';
comment on column parley.tasks.proof is 'Of a task that is done: reported, verified, refuted, or stale when its branch has moved on since.';
comment on column parley.tasks.done_by is '@behavior -*
The team that has done it.';
comment on column parley.tasks.branch is 'The branch that it was done on.';
comment on column parley.tasks.commit is 'The commit that it was done with.';
comment on column parley.tasks.verified_by is '@behavior -*
The team that has verified or refuted it.';
comment on column parley.tasks.verified_at is 'When that was.';
comment on column parley.tasks.verified_commit is 'The commit that was looked at.';
comment on column parley.tasks.carried_session is '@behavior -*
The session that it was carried over from.';
comment on column parley.tasks.carried_task is 'Its number in the session that it was carried over from.';
comment on column parley.tasks.created_by is '@behavior -*
The team that has added it.';
comment on column parley.tasks.created_at is 'When it was added.';
comment on column parley.tasks.updated_at is 'When it last changed.';
comment on column parley.tasks.version is 'How often it was written.';

alter table parley.tasks enable row level security;
alter table parley.tasks force row level security;

drop policy if exists tasks_are_readable on parley.tasks;
create policy tasks_are_readable on parley.tasks for select to parley_caller using (
  (select parley_private.sees_all()) or parley_private.sees_session(session_id)
);
drop policy if exists tasks_are_kept_by_the_owner on parley.tasks;
create policy tasks_are_kept_by_the_owner on parley.tasks to parley_owner using (true) with check (true);

grant select on parley.tasks to parley_caller;

-- Whoever waits for work waits for this topic: once for each session that a statement has changed.
create or replace function parley_private.tg_tasks__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('tasks ' || c.session_id) from (select distinct session_id from changed) c;
  return null;
end;
$$;

drop trigger if exists _500_notify_insert on parley.tasks;
create trigger _500_notify_insert after insert on parley.tasks
  referencing new table as changed for each statement execute function parley_private.tg_tasks__notify();
drop trigger if exists _500_notify_update on parley.tasks;
create trigger _500_notify_update after update on parley.tasks
  referencing new table as changed for each statement execute function parley_private.tg_tasks__notify();

-- The roster shows what each team has claimed.
create or replace function parley_private.tg_tasks__notify_roster()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('roster ' || new.session_id);
  return null;
end;
$$;

drop trigger if exists _500_notify_roster on parley.tasks;
create trigger _500_notify_roster after update on parley.tasks
  for each row when (old.claimed_by is distinct from new.claimed_by) execute function parley_private.tg_tasks__notify_roster();
--! EndIncluded tables/tasks.sql
--! Included tables/task_keys.sql
-- The calls of add_tasks that were sent with a key: a retry finds its tasks here instead of adding them again.
create table if not exists parley_private.task_keys (
  session_id uuid not null,
  participant_id integer not null,
  key text not null,
  first_task integer not null,
  last_task integer not null,
  fingerprint bytea not null,
  constraint task_keys_are_used_once primary key (session_id, participant_id, key),
  constraint task_keys_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id)
);

comment on table parley_private.task_keys is 'The calls of add_tasks that were sent with a key.';
comment on column parley_private.task_keys.session_id is 'The session.';
comment on column parley_private.task_keys.participant_id is 'The team that sent it.';
comment on column parley_private.task_keys.key is 'What it was sent with.';
comment on column parley_private.task_keys.first_task is 'The first of the tasks that it added.';
comment on column parley_private.task_keys.last_task is 'And the last.';
comment on column parley_private.task_keys.fingerprint is 'SHA-256 of what was to be added, to tell a retry from a mistake.';

alter table parley_private.task_keys enable row level security;
alter table parley_private.task_keys force row level security;

drop policy if exists task_keys_are_read_by_the_owner on parley_private.task_keys;
create policy task_keys_are_read_by_the_owner on parley_private.task_keys for select to parley_owner using (true);
drop policy if exists task_keys_are_appended_by_the_owner on parley_private.task_keys;
create policy task_keys_are_appended_by_the_owner on parley_private.task_keys for insert to parley_owner with check (true);
--! EndIncluded tables/task_keys.sql
--! Included tables/held_paths.sql
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
  (select parley_private.sees_all()) or parley_private.sees_session(session_id)
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
--! EndIncluded tables/held_paths.sql
--! Included tables/changed_paths.sql
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
  (select parley_private.sees_all()) or parley_private.sees_session(session_id)
);
drop policy if exists changed_paths_are_kept_by_the_owner on parley.changed_paths;
create policy changed_paths_are_kept_by_the_owner on parley.changed_paths to parley_owner using (true) with check (true);

grant select on parley.changed_paths to parley_caller;
--! EndIncluded tables/changed_paths.sql
--! Included tables/known_overlaps.sql
-- Where two teams were found at the same path: each is told in the feed once, for as long as it lasts.
create table if not exists parley_private.known_overlaps (
  session_id uuid not null,
  one_team integer not null,
  other_team integer not null,
  path text not null,
  constraint known_overlaps_are_told_once primary key (session_id, one_team, other_team, path),
  constraint known_overlaps_name_the_older_team_first check (one_team < other_team),
  constraint known_overlaps_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

comment on table parley_private.known_overlaps is 'Where two teams were found at the same path.';
comment on column parley_private.known_overlaps.session_id is 'The session.';
comment on column parley_private.known_overlaps.one_team is 'The one that joined first.';
comment on column parley_private.known_overlaps.other_team is 'The other.';
comment on column parley_private.known_overlaps.path is 'What was changed by one and changed or claimed by the other.';

alter table parley_private.known_overlaps enable row level security;
alter table parley_private.known_overlaps force row level security;

drop policy if exists known_overlaps_are_kept_by_the_owner on parley_private.known_overlaps;
create policy known_overlaps_are_kept_by_the_owner on parley_private.known_overlaps to parley_owner using (true) with check (true);
--! EndIncluded tables/known_overlaps.sql

-- Types.
do $$
begin
  create type parley.work as (open integer, blocked integer, claimed integer, done integer, dropped integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.verification as (by text, at timestamptz, commit text);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.carried_task as (ref text, task integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.task_details as (
    task integer,
    title text,
    body text,
    status text,
    claimed_by text,
    claim_expires_at timestamptz,
    priority integer,
    depends_on integer[],
    blocked_by integer[],
    paths text[],
    result text,
    created_by text,
    created_at timestamptz,
    updated_at timestamptz,
    version integer,
    proof text,
    "check" text,
    evidence jsonb,
    done_by text,
    verified parley.verification,
    carried_from parley.carried_task,
    open integer,
    blocked integer,
    claimed integer,
    unread integer
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.task_list as (
    tasks json,
    open integer,
    blocked integer,
    claimed integer,
    done integer,
    dropped integer,
    unread integer
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley_private.task_draft as (title text, body text, priority integer, depends_on integer[], paths text[], "check" text);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.overlap as (path text, handle text, claimed text, task integer, branch text);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.claimed_paths as (claimed text[], expires_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.released_paths as (released text[], unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.path_claim as (path text, claimed_by text, task integer, note text, expires_at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.changed_branch as (handle text, branch text, head text, paths integer, at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.path_list as (paths parley.path_claim[], changes parley.changed_branch[], unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.reported_changes as (changed integer, "overlaps" parley.overlap[], unread integer);
exception when duplicate_object then null;
end $$;

-- Fields.
do $$
declare
  v_field record;
begin
  for v_field in
    select * from (values
      ('roster_entry', 'about', 'jsonb'),
      ('roster_entry', 'doing', 'text'),
      ('roster_entry', 'tasks', 'integer[]'),
      ('roster_entry', 'unread', 'integer'),
      ('feed_message', 'task', 'integer'),
      ('feed_message', 'title', 'text'),
      ('feed_message', 'tasks', 'jsonb'),
      ('feed_message', 'result', 'text'),
      ('feed_message', 'passed', 'boolean'),
      ('feed_message', 'paths', 'text[]'),
      ('feed_message', 'teams', 'text[]'),
      ('digest_team', 'doing', 'text'),
      ('digest_team', 'tasks', 'integer[]'),
      ('digest', 'work', 'parley.work'),
      ('own_state', 'tasks', 'integer[]'),
      ('own_state', 'work', 'parley.work'),
      ('handoff', 'open_tasks', 'integer'),
      ('concluded_session', 'open_tasks', 'integer')
    ) as f (type, name, type_of_field)
  loop
    if not exists (
      select from pg_catalog.pg_attribute a
      where a.attrelid = ('parley.' || v_field.type)::regclass and a.attname = v_field.name and not a.attisdropped
    ) then
      execute format('alter type parley.%I add attribute %I %s', v_field.type, v_field.name, v_field.type_of_field);
    end if;
  end loop;
end $$;
