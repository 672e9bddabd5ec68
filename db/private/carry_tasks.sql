-- How many tasks of a session are neither done nor dropped.
create or replace function parley_private.unfinished(session_id uuid)
returns integer
language sql stable
set search_path = ''
as $$
  select coalesce(sum(k.number), 0) from parley.task_counts k where k.session_id = unfinished.session_id and k.kind not in ('done', 'dropped');
$$;

-- The session is over: nobody is at work in it, and whoever waits for work need not.
create or replace function parley_private.end_claims(session_id uuid)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  update parley.tasks t set status = 'open', claimed_by = null where t.session_id = end_claims.session_id and t.claimed_by is not null;
  delete from parley.held_paths h where h.session_id = end_claims.session_id;
  perform parley_private.notify('tasks ' || end_claims.session_id);
end;
$$;

-- What a concluded session has left undone goes on in the next, counted anew; what it depended on and is finished is left out.
create or replace function parley_private.carry_tasks(old parley.sessions, author parley.participants)
returns void
language sql volatile
set search_path = ''
as $$
  with carried as (
    select t.*, (row_number() over (order by t.task))::integer as nth
    from parley.tasks t where t.session_id = old.id and t.status not in ('done', 'dropped')
  ),
  needs as (
    select c.task, array_agg(n.nth order by n.nth) as tasks
    from carried c cross join unnest(c.depends_on) as d join carried n on n.task = d
    group by c.task
  )
  insert into parley.tasks (
    session_id, task, title, body, status, priority, depends_on, paths, "check", result, carried_session, carried_task, created_by)
  select author.session_id, c.nth, c.title, c.body, c.status, c.priority,
    coalesce(n.tasks, '{}'), c.paths, c."check", c.result, old.id, c.task, author.id
  from carried c left join needs n on n.task = c.task;
$$;
