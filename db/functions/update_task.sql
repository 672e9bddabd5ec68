-- Moves a task on, or edits it. Moves are told in the feed, edits are silent.
create or replace function parley.update_task(
  session_id text,
  task integer,
  status text default null,
  title text default null,
  body text default null,
  priority integer default null,
  depends_on integer[] default null,
  paths text[] default null,
  result text default null,
  evidence jsonb default null,
  expected_version integer default null
)
returns parley.task_details
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat   parley_private.seat;
  v_paths  text[];
  v_before parley.tasks;
  v_after  parley.tasks;
begin
  perform parley_private.check_task_change(status, title, body, result, evidence);
  v_paths := parley_private.check_paths('paths', paths, 100);
  perform parley_private.refuse_too_many_patterns('paths', v_paths);
  v_seat := parley_private.lock_seat(session_id);
  perform parley_private.free_lapsed((v_seat.session).id, (v_seat.participant).id);
  v_before := parley_private.find_task((v_seat.session).id, update_task.task);
  if expected_version <> v_before.version then
    perform parley_private.fail(409, 'version_conflict',
      format('Task %s is at version %s, not %s.', v_before.task, v_before.version, expected_version),
      'Look at it again with list_tasks, then send its version, or none.',
      jsonb_build_object('current_version', v_before.version, 'expected_version', expected_version));
  end if;
  if coalesce(status, result) is not null or paths is not null then
    perform parley_private.refuse_if_not_yours(v_before, v_seat, coalesce(status, v_before.status));
  end if;

  v_after := case
    when status is null or status = v_before.status and status <> 'done' then v_before
    else parley_private.with_status(v_before, status, v_seat, evidence)
  end;
  v_after.title := coalesce(title, v_after.title);
  v_after.body := coalesce(body, v_after.body);
  v_after.priority := coalesce(priority, v_after.priority);
  v_after.depends_on := coalesce(
    parley_private.check_dependencies('depends_on', v_before.session_id, update_task.depends_on), v_after.depends_on);
  v_after.paths := coalesce(v_paths, v_after.paths);
  v_after.result := coalesce(result, v_after.result);
  v_after := parley_private.store_task(v_before, v_after);
  perform parley_private.announce_move(v_before, v_after, v_seat.participant);
  return parley_private.task_details(v_after, v_seat.participant);
end;
$$;

grant execute on function parley.update_task to parley_caller;

comment on function parley.update_task is $$
@verb POST /sessions/{session_id}/tasks/{task}
@who team
@toolset tasks
@param status done (with a result), blocked, dropped, open.
@param title -
@param body -
@param priority -
@param depends_on -
@param paths -
@param result What came of it.
@param evidence kind: commit, check or link.
@schema evidence {"type": "array", "items": {"type": "object", "properties": {"kind": {"type": "string"}}}}
@param expected_version -
@unlisted title, body, priority, depends_on, paths, evidence, expected_version
Finish a task, block it, or give it back.
$$;
