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
comment on column parley.task_list.tasks is '@notNull
@schema {"type": "array", "items": {"type": "object", "properties": {"task": {"type": "integer"}, "title": {"type": "string"}, "status": {"type": "string"}, "claimed_by": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "priority": {"type": "integer"}, "depends_on": {"type": "array", "items": {"type": "integer"}}, "blocked_by": {"type": "array", "items": {"type": "integer"}}, "proof": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "version": {"type": "integer"}}}}
One row each; list_tasks with its number has the whole of one.';
comment on column parley.task_list.open is 'How many tasks of the session are open.';
comment on column parley.task_list.unread is 'Messages of others that no answer has handed to you yet.';

-- The tasks of a session in a row each; of one status, of one team, or from one number to another. What they wait for is looked
-- up for all of them together.
create or replace function parley_private.task_rows(
  session_id uuid,
  status text default null,
  team integer default null,
  first_task integer default 1,
  last_task integer default 2147483647
)
returns json
language sql stable
set search_path = ''
as $$
  with picked as materialized (
    select * from parley.tasks t
    where t.session_id = task_rows.session_id
      and t.task between first_task and last_task
      and (team is null or t.claimed_by = team)
  ),
  blocked as materialized (
    select p.task, array_agg(n.task order by n.task) as by
    from picked p
    cross join unnest(p.depends_on) as d
    join parley.tasks n on n.session_id = p.session_id and n.task = d
    where not parley_private.is_finished(n.status, n.proof, (select parley_private.only_verified_counts()))
    group by p.task
  )
  select coalesce(json_agg(json_build_object(
    'task', r.task,
    'title', r.title,
    'status', r.status,
    'claimed_by', r.claimed_by,
    'priority', r.priority,
    'depends_on', r.depends_on,
    'blocked_by', r.blocked_by,
    'proof', r.proof,
    'version', r.version
  ) order by r.task), '[]')
  from (
    select p.task, p.title, case when p.status = 'open' and b.by is not null then 'blocked' else p.status end as status,
      h.handle as claimed_by, p.priority, p.depends_on, coalesce(b.by, '{}') as blocked_by, p.proof, p.version
    from picked p
    left join blocked b on b.task = p.task
    left join parley.participants h on h.session_id = p.session_id and h.id = p.claimed_by
  ) r
  where task_rows.status is null or r.status = task_rows.status;
$$;

grant execute on function parley_private.task_rows to parley_caller;

create or replace function parley_private.task_list(reader parley.participants, tasks json)
returns parley.task_list
language plpgsql stable
set search_path = ''
as $$
declare
  v_work parley.work := coalesce(parley_private.work(reader.session_id), row(0, 0, 0, 0, 0)::parley.work);
begin
  return row(tasks, v_work.open, v_work.blocked, v_work.claimed, v_work.done, v_work.dropped, parley_private.unread(reader))::parley.task_list;
end;
$$;

grant execute on function parley_private.task_list to parley_caller;
