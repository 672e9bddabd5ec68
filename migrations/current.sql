alter table parley.participants add column if not exists about jsonb not null default '{}';
alter table parley.participants add column if not exists doing text;

--!include tables/tasks.sql
--!include tables/task_keys.sql
--!include tables/held_paths.sql
--!include tables/changed_paths.sql
--!include tables/known_overlaps.sql

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
