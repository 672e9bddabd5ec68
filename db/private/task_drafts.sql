-- A task that is about to be added. In depends_on, -2 is the second task of the same call.
do $$
begin
  create type parley_private.task_draft as (title text, body text, priority integer, depends_on integer[], paths text[], "check" text);
exception when duplicate_object then null;
end $$;

-- A check has a name, never a command: what it runs stands in the repository of whoever runs it.
create or replace function parley_private.check_check(field text, name text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if name !~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$' then
    perform parley_private.refuse_argument(field, format('%s must be the name of a check: letters, digits, . _ : and -, at most 64.', field),
      'What it runs stands in the parley.json of the repository: {"checks": {"test": "npm test"}}.');
  end if;
end;
$$;

-- Numbers of tasks, or "+1", "+2" for tasks of the same call.
create or replace function parley_private.read_dependencies(field text, list jsonb, tasks_in_call integer)
returns integer[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_item text;
  v_read integer[] := '{}';
begin
  if jsonb_array_length(list) > 100 then
    perform parley_private.refuse_argument(field, 'A task depends on at most 100 others.',
      'Put a task between: it depends on some of them, and this one on it.');
  end if;
  for v_item in select i.item from jsonb_array_elements_text(list) as i (item) loop
    if v_item is null or v_item !~ '^\+?[1-9][0-9]{0,8}$' or v_item ~ '^\+' and v_item::integer > tasks_in_call then
      perform parley_private.refuse_argument(field, format('%s names tasks by their number, or tasks of the same call as "+1" to "+%s".', field, tasks_in_call),
        '[3, "+1"] is task 3 and the first task of this call.');
    end if;
    v_read := v_read || case when v_item ~ '^\+' then - v_item::integer else v_item::integer end;
  end loop;
  return v_read;
end;
$$;

-- The tasks of a call, checked; a plain string is a title.
create or replace function parley_private.read_tasks(tasks jsonb)
returns parley_private.task_draft[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_drafts parley_private.task_draft[] := '{}';
  v_draft  parley_private.task_draft;
  v_item   jsonb;
  v_place  text;
  v_field  text;
begin
  if jsonb_typeof(tasks) is distinct from 'array' or jsonb_array_length(tasks) not between 1 and 100 then
    perform parley_private.refuse_argument('tasks', 'tasks must be a list of 1 to 100 tasks.',
      'Send ["A title"] or [{"title": "…", "depends_on": ["+1"], "paths": ["src/api/"]}].');
  end if;
  for n in 0 .. jsonb_array_length(tasks) - 1 loop
    v_place := format('tasks[%s].', n);
    v_item := case when jsonb_typeof(tasks -> n) = 'object' then tasks -> n else jsonb_build_object('title', tasks -> n) end;
    select key into v_field from jsonb_object_keys(v_item) as key
    where key not in ('title', 'body', 'priority', 'depends_on', 'paths', 'check');
    if found then
      perform parley_private.refuse_secrets(v_place || 'title', v_field);
      perform parley_private.refuse_argument(v_place || left(v_field, 100), format('A task has no field %s.', to_json(left(v_field, 100))),
        'It has title, body, priority, depends_on, paths and check.');
    end if;
    perform
      parley_private.check_type(v_place, v_item, 'title', '{string}'),
      parley_private.check_type(v_place, v_item, 'body', '{string}'),
      parley_private.check_type(v_place, v_item, 'priority', '{number}'),
      parley_private.check_type(v_place, v_item, 'depends_on', '{array}'),
      parley_private.check_type(v_place, v_item, 'paths', '{array}'),
      parley_private.check_type(v_place, v_item, 'check', '{string}');
    if exists (select from jsonb_array_elements(nullif(v_item -> 'paths', 'null')) as p (path) where jsonb_typeof(p.path) <> 'string') then
      perform parley_private.refuse_argument(v_place || 'paths', 'paths must be texts.', 'src/api/ is a folder, src/api/*.ts a pattern.');
    end if;

    v_draft := row(v_item ->> 'title', coalesce(v_item ->> 'body', ''), 0, '{}', '{}', v_item ->> 'check');
    perform parley_private.check_text(v_place || 'title', v_draft.title, 'title_max');
    perform parley_private.check_text(v_place || 'body', v_draft.body, 'description_max', may_be_blank => true);
    perform parley_private.check_check(v_place || 'check', v_draft."check");
    if v_item ->> 'priority' !~ '^-?[0-9]{1,9}$' then
      perform parley_private.refuse_argument(v_place || 'priority', 'priority must be a whole number of at most nine digits.',
        'The higher comes first; leave it out for 0.');
    end if;
    v_draft.priority := coalesce((v_item ->> 'priority')::integer, 0);
    v_draft.depends_on := parley_private.read_dependencies(
      v_place || 'depends_on', coalesce(nullif(v_item -> 'depends_on', 'null'), '[]'), jsonb_array_length(tasks));
    v_draft.paths := parley_private.check_paths(
      v_place || 'paths', array(select path from jsonb_array_elements_text(nullif(v_item -> 'paths', 'null')) as path), 100);
    perform parley_private.refuse_too_many_patterns(v_place || 'paths', v_draft.paths);
    v_drafts := v_drafts || v_draft;
  end loop;
  return v_drafts;
end;
$$;

-- What a task depends on is there, each once.
create or replace function parley_private.check_dependencies(field text, session_id uuid, depends_on integer[])
returns integer[]
language plpgsql stable strict
set search_path = ''
as $$
declare
  v_needed  integer[] := array(select distinct d from unnest(depends_on) as d order by d);
  v_missing integer;
begin
  select d into v_missing from unnest(v_needed) as d
  where not exists (select from parley.tasks t where t.session_id = check_dependencies.session_id and t.task = d)
  order by d limit 1;
  if found then
    perform parley_private.refuse_argument(field, format('There is no task %s.', v_missing), 'list_tasks names them.');
  end if;
  return v_needed;
end;
$$;

-- Whether one of these tasks waits for itself. Under the lock of the session: two changes at once cannot close a circle.
-- since: what came before it depends on none of them.
create or replace function parley_private.refuse_circles(session_id uuid, tasks integer[], since integer default 1)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_task integer;
begin
  with recursive needs (task, needed) as (
    select t.task, d from parley.tasks t, unnest(t.depends_on) as d
    where t.session_id = refuse_circles.session_id and t.task = any (tasks) and d >= since
    union
    select n.task, d from needs n
    join parley.tasks t on t.session_id = refuse_circles.session_id and t.task = n.needed,
    unnest(t.depends_on) as d
    where d >= since
  )
  select n.task into v_task from needs n where n.needed = n.task order by n.task limit 1;
  if found then
    perform parley_private.fail(400, 'circular_dependency', format('Task %s would have to wait for itself.', v_task),
      'Nothing was changed. Leave out one of the dependencies that lead back to it.', jsonb_build_object('field', 'depends_on', 'task', v_task));
  end if;
end;
$$;

-- Adds checked tasks from a number on, and tells it in one message. The caller holds the lock of the session.
create or replace function parley_private.insert_tasks(author parley.participants, drafts parley_private.task_draft[], first_task integer)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into parley.tasks (session_id, task, title, body, priority, depends_on, paths, "check", created_by)
  select author.session_id, first_task + d.nth - 1, d.title, d.body, d.priority,
    array(select distinct case when n < 0 then first_task - n - 1 else n end as needed from unnest(d.depends_on) as n order by needed),
    d.paths, d."check", author.id
  from unnest(drafts) with ordinality as d (title, body, priority, depends_on, paths, "check", nth);
  for n in 1 .. cardinality(drafts) loop
    perform parley_private.check_dependencies(
      format('tasks[%s].depends_on', n - 1), author.session_id, array(select d from unnest(drafts[n].depends_on) as d where d > 0));
  end loop;
  perform parley_private.refuse_circles(
    author.session_id, array(select generate_series(first_task, first_task + cardinality(drafts) - 1)), since => first_task);
  perform parley_private.announce(author.session_id, 'tasks_added', jsonb_build_object(
    'by', author.team_name,
    'handle', author.handle,
    'tasks', (
      select jsonb_agg(jsonb_build_object('task', first_task + d.nth - 1, 'title', d.title) order by d.nth)
      from unnest(drafts) with ordinality as d (title, body, priority, depends_on, paths, "check", nth)
    )));
end;
$$;
