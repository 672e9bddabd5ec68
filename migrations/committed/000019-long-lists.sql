--! Previous: sha1:9c214824a448349d992407c79a12fd1b8395fac3
--! Hash: sha1:f927f609a941f815b63b4acae124ecceac7a5840
--! Message: long-lists

-- Enter migration here
-- A long list of tasks: the state of the work by counts, what is free and what waits by an index.
alter table parley.tasks add column if not exists readiness text not null default 'ready';
alter table parley.tasks drop constraint if exists tasks_have_a_known_readiness;
alter table parley.tasks add constraint tasks_have_a_known_readiness check (readiness in ('ready', 'unverified', 'waiting'));
do $$
begin
  -- Where there are none, neither are the functions that its triggers call.
  if exists (select from parley.tasks) then
    update parley.tasks t set readiness = r.readiness
    from (
      select d.session_id, d.task, case
          when bool_or(n.status not in ('done', 'dropped')) then 'waiting'
          when bool_or(n.status = 'done' and n.proof not in ('verified', 'stale')) then 'unverified'
          else 'ready'
        end as readiness
      from parley.tasks d
      join parley.tasks n on n.session_id = d.session_id and n.task = any (d.depends_on)
      where d.depends_on <> '{}'
      group by d.session_id, d.task
    ) r
    where t.session_id = r.session_id and t.task = r.task and t.readiness <> r.readiness;
  end if;
end $$;
drop index if exists parley.tasks_to_take;
create index if not exists tasks_that_are_free on parley.tasks (session_id, priority desc, task) where status = 'open' and readiness <> 'waiting';
create index if not exists tasks_that_wait on parley.tasks (session_id, priority desc, task)
  where status = 'blocked' or status = 'open' and readiness <> 'ready';
create index if not exists tasks_that_depend on parley.tasks (session_id, task) where depends_on <> '{}';
--! Included tables/task_counts.sql
-- How many tasks a session has of each kind, kept with every change: the state of the work is a few rows, however much there was to
-- do. No foreign key: a row comes with its tasks, which belong to a session.
create table if not exists parley.task_counts (
  session_id uuid not null,
  kind text not null,
  number integer not null,
  constraint tasks_are_counted_by_kind primary key (session_id, kind)
);

comment on table parley.task_counts is '@behavior -*
How many tasks a session has of each kind.';
comment on column parley.task_counts.session_id is 'The session.';
comment on column parley.task_counts.kind is 'blocked, claimed, done or dropped; of those that are open: ready, unverified or waiting.';
comment on column parley.task_counts.number is 'How many.';

alter table parley.task_counts enable row level security;
alter table parley.task_counts force row level security;

drop policy if exists task_counts_are_readable on parley.task_counts;
create policy task_counts_are_readable on parley.task_counts for select to parley_caller using (
  (select parley_private.sees_all()) or parley_private.sees_session(session_id)
);
drop policy if exists task_counts_are_kept_by_the_owner on parley.task_counts;
create policy task_counts_are_kept_by_the_owner on parley.task_counts to parley_owner using (true) with check (true);

grant select on parley.task_counts to parley_caller;

create or replace function parley_private.tg_tasks__count()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into parley.task_counts as k (session_id, kind, number)
    select c.session_id, case c.status when 'open' then c.readiness else c.status end as kind, count(*)
    from changed c
    group by 1, 2
    on conflict on constraint tasks_are_counted_by_kind do update set number = k.number + excluded.number;
  elsif tg_op = 'UPDATE' then
    insert into parley.task_counts as k (session_id, kind, number)
    select n.session_id, case n.status when 'open' then n.readiness else n.status end as kind, sum(n.number)
    from (
      select c.session_id, c.status, c.readiness, 1 as number from changed c
      union all
      select w.session_id, w.status, w.readiness, -1 from was w
    ) n
    group by 1, 2
    having sum(n.number) <> 0
    on conflict on constraint tasks_are_counted_by_kind do update set number = k.number + excluded.number;
  else
    -- Not made anew: when a session is removed, its counts may have gone before its tasks.
    update parley.task_counts k set number = k.number - n.number
    from (
      select w.session_id, case w.status when 'open' then w.readiness else w.status end as kind, count(*) as number
      from was w
      group by 1, 2
    ) n
    where k.session_id = n.session_id and k.kind = n.kind;
  end if;
  return null;
end;
$$;

drop trigger if exists _100_count_insert on parley.tasks;
create trigger _100_count_insert after insert on parley.tasks
  referencing new table as changed for each statement execute function parley_private.tg_tasks__count();
drop trigger if exists _100_count_update on parley.tasks;
create trigger _100_count_update after update on parley.tasks
  referencing old table as was new table as changed for each statement execute function parley_private.tg_tasks__count();
drop trigger if exists _100_count_delete on parley.tasks;
create trigger _100_count_delete after delete on parley.tasks
  referencing old table as was for each statement execute function parley_private.tg_tasks__count();
--! EndIncluded tables/task_counts.sql
insert into parley.task_counts as k (session_id, kind, number)
select t.session_id, case t.status when 'open' then t.readiness else t.status end, count(*)
from parley.tasks t
group by 1, 2
on conflict on constraint tasks_are_counted_by_kind do update set number = excluded.number;
do $$
begin
  alter type parley.task_list add attribute next_after integer;
exception when duplicate_column then null;
end $$;
drop function if exists parley.list_tasks(text, text, boolean, integer);
drop function if exists parley_private.task_rows(uuid, text, integer, integer, integer);
drop function if exists parley_private.task_list(parley.participants, json);
