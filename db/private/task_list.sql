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

-- The tasks of a session in a row each; of one status, of one team, or from one number to another. Without a join: what a plan
-- that was made for a few rows would do with ten thousand takes seconds.
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
  select to_json(array(
    select row_to_json(r)
    from (
      select t.task, t.title, case when t.status = 'open' and b.blocked_by <> '{}' then 'blocked' else t.status end as status,
        case when t.claimed_by is not null then parley_private.handle_of(t.session_id, t.claimed_by) end as claimed_by,
        t.priority, t.depends_on, b.blocked_by, t.proof, t.version
      from parley.tasks t
      cross join lateral (
        select case when t.depends_on = '{}' then '{}' else array(
          select n.task from parley.tasks n
          where n.session_id = t.session_id and n.task = any (t.depends_on)
            and not parley_private.is_finished(n.status, n.proof, (select parley_private.only_verified_counts()))
          order by n.task
        ) end as blocked_by
        offset 0
      ) b
      where t.session_id = task_rows.session_id
        and t.task between first_task and last_task
        and (team is null or t.claimed_by = team)
      order by t.task
    ) r
    where task_rows.status is null or r.status = task_rows.status
  ));
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
