do $$
begin
  create type parley.task_list as (
    tasks json,
    open integer,
    blocked integer,
    claimed integer,
    done integer,
    dropped integer,
    unread integer,
    next_after integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.task_list.tasks is '@notNull
@schema {"type": "array", "items": {"type": "object", "properties": {"task": {"type": "integer"}, "title": {"type": "string"}, "status": {"type": "string"}, "claimed_by": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "priority": {"type": "integer"}, "depends_on": {"type": "array", "items": {"type": "integer"}}, "blocked_by": {"type": "array", "items": {"type": "integer"}}, "proof": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "version": {"type": "integer"}}}}
One row each; list_tasks with its number has the whole of one.';
comment on column parley.task_list.open is 'How many tasks of the session are open.';
comment on column parley.task_list.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.task_list.next_after is '@optional
There are more: list_tasks with this as after has the next ones.';

-- The tasks of a session in a row each, ten thousand at most; of one status, of one team, or from one number to another. Without a
-- join: what a plan that was made for a few rows would do with ten thousand takes seconds.
create or replace function parley_private.task_rows(
  session_id uuid,
  status text default null,
  team integer default null,
  first_task integer default 1,
  last_task integer default 2147483647
)
returns json[]
language sql stable
set search_path = ''
as $$
  select array(
    select row_to_json(r)
    from (
      select t.task, t.title, case when t.status = 'open' and not t.free then 'blocked' else t.status end as status,
        case when t.claimed_by is not null then parley_private.handle_of(t.session_id, t.claimed_by) end as claimed_by,
        t.priority, t.depends_on,
        case when t.free then '{}' else array(
          select n.task from parley.tasks n
          where n.session_id = t.session_id and n.task = any (t.depends_on)
            and not parley_private.is_finished(n.status, n.proof, (select parley_private.only_verified_counts()))
          order by n.task
        ) end as blocked_by,
        t.proof, t.version
      from (
        select o.*, parley_private.is_free(o.readiness, (select parley_private.only_verified_counts())) as free
        from parley.tasks o
        where o.session_id = task_rows.session_id and o.task between first_task and last_task
      ) t
      where (team is null or t.claimed_by = team)
        and (task_rows.status is null or task_rows.status = case when t.status = 'open' and not t.free then 'blocked' else t.status end)
      order by t.task
      limit 10001
    ) r
  );
$$;

grant execute on function parley_private.task_rows to parley_caller;

-- They come with one more than are shown, if there are more.
create or replace function parley_private.task_list(reader parley.participants, tasks json[])
returns parley.task_list
language plpgsql stable
set search_path = ''
as $$
declare
  c_most constant integer := 10000;
  v_work parley.work := parley_private.work(reader.session_id);
  v_list parley.task_list;
begin
  v_list.tasks := to_json(tasks[:c_most]);
  v_list.open := coalesce(v_work.open, 0);
  v_list.blocked := coalesce(v_work.blocked, 0);
  v_list.claimed := coalesce(v_work.claimed, 0);
  v_list.done := coalesce(v_work.done, 0);
  v_list.dropped := coalesce(v_work.dropped, 0);
  v_list.unread := parley_private.unread(reader);
  if cardinality(tasks) > c_most then
    v_list.next_after := tasks[c_most] ->> 'task';
  end if;
  return v_list;
end;
$$;

grant execute on function parley_private.task_list to parley_caller;
