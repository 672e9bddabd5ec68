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
--!include tables/task_counts.sql
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
