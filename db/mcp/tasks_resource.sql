create or replace function parley.tasks_resource(ref text)
returns json
language sql stable
set search_path = ''
as $$
  select json_build_object('tasks', to_json((parley_private.task_rows(s.id))[:10000]), 'work', parley_private.work(s.id))
  from parley_private.find_session(tasks_resource.ref) s;
$$;

grant execute on function parley.tasks_resource to parley_caller;

comment on function parley.tasks_resource is $$
@resource parley://sessions/{ref}/tasks application/json
@topic tasks {ref}
@behavior -*
@name session-tasks
@title Tasks of a session
The tasks of a session: who has which, and what waits for what.
$$;
