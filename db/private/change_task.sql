create or replace function parley_private.check_task_status(status text, known text[])
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if status <> all (known) then
    perform parley_private.refuse_argument('status', format('status must be one of: %s.', array_to_string(known, ', ')),
      case status when 'claimed' then 'To claim a task, call claim_task.' else 'Write one of them as it stands here.' end);
  end if;
end;
$$;

grant execute on function parley_private.check_task_status to parley_caller;

-- What somebody has claimed, only that team, the convener or a person may finish, block or take back. What came of a task
-- that stays done is for whoever has done it to say.
create or replace function parley_private.refuse_if_not_yours(task parley.tasks, seat parley_private.seat, new_status text)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller parley.participants := seat.participant;
  v_owner  parley.participants;
begin
  if v_caller.kind = 'human' or v_caller.id = (seat.session).created_by then
    return;
  end if;
  select * into v_owner from parley.participants p
  where p.session_id = task.session_id and p.id = coalesce(task.claimed_by, case when task.status = 'done' and new_status = 'done' then task.done_by end);
  if v_owner.id <> v_caller.id then
    perform parley_private.fail(403, 'not_your_task',
      format('Task %s is %s by %s.', task.task, task.status, v_owner.handle),
      'Ask that team, or the convener.',
      jsonb_strip_nulls(jsonb_build_object('task', task.task, 'by', v_owner.handle,
        'until', case task.status when 'claimed' then parley_private.lease_ends(v_owner) end)));
  end if;
end;
$$;

-- The task with another status, and what comes with it. Nothing of it is stored yet.
create or replace function parley_private.with_status(task parley.tasks, status text, seat parley_private.seat, evidence jsonb)
returns parley.tasks
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller parley.participants := seat.participant;
  v_doer   parley.participants;
begin
  if status = 'done' then
    select * into v_doer from parley.participants p
    where p.session_id = task.session_id and p.id = coalesce(task.claimed_by, task.done_by, v_caller.id);
    task.done_by := v_doer.id;
    task.evidence := evidence;
    task.commit := parley_private.commit_of(evidence);
    task.branch := coalesce(parley_private.told_by(evidence, 'branch'), v_doer.about ->> 'branch');
    task.proof := 'reported';
  else
    task.done_by := null;
    task.evidence := null;
    task.commit := null;
    task.branch := null;
    task.proof := null;
  end if;
  task.verified_by := null;
  task.verified_at := null;
  task.verified_commit := null;
  task.claimed_by := null;
  task.status := status;
  return task;
end;
$$;

-- How the feed tells that a task has moved; nothing where it has not.
create or replace function parley_private.announce_move(before parley.tasks, after parley.tasks, mover parley.participants)
returns void
language sql volatile
set search_path = ''
as $$
  select parley_private.announce_task(
    after,
    case after.status when 'open' then 'task_freed' else 'task_' || after.status end,
    mover.handle,
    jsonb_build_object(
      'by', mover.team_name,
      'from', case when before.claimed_by <> mover.id then parley_private.handle_of(before.session_id, before.claimed_by) end,
      'result', case when after.status = 'done' then parley_private.shortened(after.result) end,
      'reason', case
        when after.status = 'blocked' then parley_private.shortened(after.result)
        when after.status = 'open' then case before.status
          when 'claimed' then case before.claimed_by when mover.id then 'given back' else 'taken back' end
          when 'blocked' then 'unblocked'
          else 'opened again'
        end
      end))
  where before.status <> after.status;
$$;

create or replace function parley_private.check_task_change(status text, title text, body text, result text, evidence jsonb)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  perform parley_private.check_task_status(status, '{open,blocked,done,dropped}');
  if title is not null then
    perform parley_private.check_text('title', title, 'title_max');
  end if;
  if body is not null then
    perform parley_private.check_text('body', body, 'description_max', may_be_blank => true);
  end if;
  if result is not null then
    perform parley_private.check_text('result', result, 'description_max');
  elsif status = 'done' then
    perform parley_private.refuse_argument('result', 'A task that is done has a result.', 'Say in a sentence or two what came of it.');
  end if;
  if evidence is not null and status is distinct from 'done' then
    perform parley_private.refuse_argument('evidence', 'evidence goes with status done.',
      'Send status done and a result along with it, or leave evidence out.');
  end if;
  perform parley_private.check_evidence(evidence);
end;
$$;

-- Stores a changed task, and what it holds: the paths of a claimed task are those of its team.
create or replace function parley_private.store_task(before parley.tasks, after parley.tasks)
returns parley.tasks
language plpgsql volatile
set search_path = ''
as $$
declare
  v_holder parley.participants;
begin
  if before = after then
    return before;
  end if;
  update parley.tasks t set
    title = after.title,
    body = after.body,
    status = after.status,
    claimed_by = after.claimed_by,
    priority = after.priority,
    depends_on = after.depends_on,
    paths = after.paths,
    "check" = after."check",
    result = after.result,
    evidence = after.evidence,
    proof = after.proof,
    done_by = after.done_by,
    branch = after.branch,
    commit = after.commit,
    verified_by = after.verified_by,
    verified_at = after.verified_at,
    verified_commit = after.verified_commit,
    updated_at = clock_timestamp(),
    version = t.version + 1
  where t.session_id = before.session_id and t.task = before.task
  returning * into after;

  if after.depends_on <> before.depends_on then
    perform parley_private.refuse_circles(after.session_id, array[after.task]);
  end if;
  if before.claimed_by is not null and (after.claimed_by is null or after.paths <> before.paths) then
    delete from parley.held_paths h
    where h.session_id = before.session_id and h.participant_id = before.claimed_by and h.task = before.task;
    if after.claimed_by is not null then
      select * into v_holder from parley.participants p where p.session_id = after.session_id and p.id = after.claimed_by;
      perform parley_private.refuse_collisions(v_holder, after.paths);
      perform parley_private.hold_paths(v_holder, after.paths, after.task);
    end if;
  end if;
  return after;
end;
$$;
