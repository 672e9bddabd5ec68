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
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = task_counts.session_id offset 0)
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
