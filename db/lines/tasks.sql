-- Tasks: a line each in lists, in full by their number.

create or replace function parley_private.numbers_as_text(numbers integer[])
returns text
language sql immutable
set search_path = ''
as $$
  select nullif(array_to_string(numbers, ', '), '');
$$;

create or replace function parley_private.task_facts_as_lines(task parley.task_details)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    'title: ' || parley_private.on_one_line(task.title),
    'body: ' || parley_private.indented(nullif(task.body, '')),
    'claimed by ' || task.claimed_by || ' until ' || parley_private.time_as_text(task.claim_expires_at),
    'done by ' || task.done_by,
    'depends on ' || parley_private.numbers_as_text(task.depends_on),
    'waits for ' || parley_private.numbers_as_text(task.blocked_by),
    'paths: ' || parley_private.on_one_line(nullif(array_to_string(task.paths, ', '), ''), 1000),
    'check: ' || task."check",
    'result: ' || parley_private.indented(task.result),
    (task.proof || case when (task.verified).at is null then '' else format(' by %s%s', (task.verified).by, ' at ' || (task.verified).commit) end),
    'evidence: ' || parley_private.on_one_line(task.evidence::text, 2000),
    case when (task.carried_from).task is not null
      then format('carried from task %s of %s', (task.carried_from).task, (task.carried_from).ref)
    end)
  where task.task is not null;
$$;

create or replace function parley_private.task_as_text(answer parley.task_details)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'task ' || coalesce(answer.task::text, 'none'),
      'status ' || answer.status,
      'version ' || answer.version,
      'priority ' || nullif(answer.priority, 0),
      'open ' || answer.open, 'blocked ' || answer.blocked, 'claimed ' || answer.claimed,
      'unread ' || answer.unread),
    parley_private.task_facts_as_lines(answer));
$$;

-- task 7 claimed amber p5 waits for 3: title
create or replace function parley_private.task_as_line(task json)
returns text
language sql stable
set search_path = ''
as $$
  select format('task %s: %s',
    concat_ws(' ',
      task ->> 'task', task ->> 'status', task ->> 'claimed_by', task ->> 'proof',
      'p' || nullif(task ->> 'priority', '0'),
      'waits for ' || (select string_agg(b, ', ') from json_array_elements_text(task -> 'blocked_by') as b)),
    parley_private.on_one_line(task ->> 'title', 120));
$$;

create or replace function parley_private.task_list_as_text(answer parley.task_list)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      format('open %s · blocked %s · claimed %s · done %s · dropped %s · unread %s',
        answer.open, answer.blocked, answer.claimed, answer.done, answer.dropped, answer.unread),
      -- Of those that are shown here.
      case when json_array_length(answer.tasks) > 100 then 'next_after ' || (answer.tasks -> 99 ->> 'task') end),
    (
      select string_agg(concat_ws(E'\n', parley_private.task_as_line(t.task),
        case when t.task ->> 'body' is not null
          then parley_private.task_facts_as_lines(json_populate_record(null::parley.task_details, t.task))
        end), E'\n' order by t.nth)
      from json_array_elements(answer.tasks) with ordinality as t (task, nth)
      where t.nth <= 100
    ),
    case when json_array_length(answer.tasks) > 100
      then format('left out: %s%s; list_tasks with a status has fewer', json_array_length(answer.tasks) - 100,
        case when answer.next_after is null then ' more' else ' or more' end)
    end);
$$;

create or replace function parley_private.claimed_paths_as_text(answer parley.claimed_paths)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('claimed %s · expires_at %s · unread %s',
      cardinality(answer.claimed), parley_private.time_as_text(answer.expires_at), answer.unread),
    'paths: ' || parley_private.on_one_line(array_to_string(answer.claimed, ', ')));
$$;

create or replace function parley_private.released_paths_as_text(answer parley.released_paths)
returns text
language sql stable
set search_path = ''
as $$
  select format('released %s · unread %s', cardinality(answer.released), answer.unread);
$$;

create or replace function parley_private.path_list_as_text(answer parley.path_list)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('paths %s · unread %s', cardinality(answer.paths), answer.unread),
    (
      select string_agg(format('held %s: %s', concat_ws(' ', p.claimed_by, 'task ' || p.task),
        concat_ws(' — ', parley_private.on_one_line(p.path), parley_private.on_one_line(p.note))), E'\n' order by p.nth)
      from unnest(answer.paths) with ordinality as p (path, claimed_by, task, note, expires_at, nth)
      where p.nth <= 100
    ),
    (
      select string_agg(format('changed %s %s: %s', c.handle, c.paths, concat_ws(' at ', parley_private.on_one_line(coalesce(c.branch, 'files')), parley_private.on_one_line(c.head))), E'\n' order by c.nth)
      from unnest(answer.changes) with ordinality as c (handle, branch, head, paths, at, nth)
      where c.nth <= 50
    ),
    case when cardinality(answer.paths) > 100 then format('left out: %s more', cardinality(answer.paths) - 100) end);
$$;

create or replace function parley_private.reported_changes_as_text(answer parley.reported_changes)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('changed %s · overlaps %s · unread %s', answer.changed, cardinality(answer."overlaps"), answer.unread),
    (
      select string_agg(format('overlap %s: %s', concat_ws(' ', o.handle, 'task ' || o.task),
        concat_ws(' ', parley_private.on_one_line(o.path), '(claimed ' || parley_private.on_one_line(o.claimed) || ')', 'on ' || parley_private.on_one_line(o.branch))), E'\n' order by o.nth)
      from unnest(answer."overlaps") with ordinality as o (path, handle, claimed, task, branch, nth)
      where o.nth <= 50
    ));
$$;

grant execute on function
  parley_private.numbers_as_text,
  parley_private.task_facts_as_lines,
  parley_private.task_as_text,
  parley_private.task_as_line,
  parley_private.task_list_as_text,
  parley_private.claimed_paths_as_text,
  parley_private.released_paths_as_text,
  parley_private.path_list_as_text,
  parley_private.reported_changes_as_text
to parley_caller;

comment on type parley.task_details is '@text parley_private.task_as_text
A task, in full.';
comment on type parley.task_list is '@text parley_private.task_list_as_text
The tasks of a session.';
comment on type parley.claimed_paths is '@text parley_private.claimed_paths_as_text';
comment on type parley.released_paths is '@text parley_private.released_paths_as_text';
comment on type parley.path_list is '@text parley_private.path_list_as_text';
comment on type parley.reported_changes is '@text parley_private.reported_changes_as_text';
