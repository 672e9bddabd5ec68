do $$
begin
  create type parley.work as (open integer, blocked integer, claimed integer, done integer, dropped integer);
exception when duplicate_object then null;
end $$;
comment on type parley.work is 'How many tasks there are of each status.';

do $$
begin
  create type parley.verification as (by text, at timestamptz, commit text);
exception when duplicate_object then null;
end $$;
comment on type parley.verification is 'Who has looked whether a task is done.';
comment on column parley.verification.commit is 'The commit that was looked at.';

do $$
begin
  create type parley.carried_task as (ref text, task integer);
exception when duplicate_object then null;
end $$;
comment on type parley.carried_task is 'The task of a concluded session that this one goes on with.';

do $$
begin
  create type parley.task_details as (
    task integer,
    title text,
    body text,
    status text,
    claimed_by text,
    claim_expires_at timestamptz,
    priority integer,
    depends_on integer[],
    blocked_by integer[],
    paths text[],
    result text,
    created_by text,
    created_at timestamptz,
    updated_at timestamptz,
    version integer,
    proof text,
    "check" text,
    evidence jsonb,
    done_by text,
    verified parley.verification,
    carried_from parley.carried_task,
    open integer,
    blocked integer,
    claimed integer,
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.task_details.task is 'Its number; null when there is none to take.';
comment on column parley.task_details.status is 'open, claimed, blocked, done or dropped.';
comment on column parley.task_details.claimed_by is 'The handle of the team that has claimed it.';
comment on column parley.task_details.claim_expires_at is 'When the claim ends if nothing is heard of that team any more.';
comment on column parley.task_details.blocked_by is 'Those of depends_on that are not finished.';
comment on column parley.task_details.proof is 'Of a task that is done: reported, verified, refuted or stale.';
comment on column parley.task_details."check" is '@optional
The name of the check that proves it.';
comment on column parley.task_details.evidence is '@optional
@schema {"type": "array", "items": {"type": "object", "properties": {"kind": {"type": "string"}}}}
What was brought forward that it is done.';
comment on column parley.task_details.done_by is '@optional
The handle of the team that has done it.';
comment on column parley.task_details.verified is '@optional
Who has verified or refuted it.';
comment on column parley.task_details.carried_from is '@optional
Where it was left unfinished.';
comment on column parley.task_details.open is '@optional
How many are open, though not for you; when there is none to take.';
comment on column parley.task_details.blocked is '@optional
And how many are blocked.';
comment on column parley.task_details.claimed is '@optional
And how many are claimed.';
comment on column parley.task_details.unread is '@optional
Messages of others that no answer has handed to you yet.';

-- Whether done is not enough for those that depend on it.
create or replace function parley_private.only_verified_counts()
returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return (select s.value in ('1', 'true') from parley.settings s where s.name = 'verified_only');
end;
$$;

-- What no longer holds up those that depend on it. A branch that moves on does not make undone what was verified.
create or replace function parley_private.is_finished(status text, proof text, only_verified boolean)
returns boolean
language sql immutable
return status = 'dropped' or status = 'done' and (not only_verified or proof in ('verified', 'stale'));

-- Finds out anew how far those are that these tasks depend on.
create or replace function parley_private.keep_readiness(session_id uuid, tasks integer[])
returns void
language sql volatile
set search_path = ''
as $$
  update parley.tasks t set readiness = now.readiness
  from parley.tasks d
  cross join lateral (
    select case
        when bool_or(not parley_private.is_finished(n.status, n.proof, false)) then 'waiting'
        when bool_or(not parley_private.is_finished(n.status, n.proof, true)) then 'unverified'
        else 'ready'
      end as readiness
    from parley.tasks n where n.session_id = d.session_id and n.task = any (d.depends_on)
  ) now
  where d.session_id = keep_readiness.session_id and d.task = any (tasks) and d.readiness <> now.readiness
    and t.session_id = d.session_id and t.task = d.task;
$$;

-- Whether one that is ready so far can be taken.
create or replace function parley_private.is_free(readiness text, only_verified boolean)
returns boolean
language sql immutable
return readiness = 'ready' or readiness = 'unverified' and not only_verified;

-- Those of its dependencies that are not finished.
create or replace function parley_private.blockers(task parley.tasks)
returns integer[]
language plpgsql stable
set search_path = ''
as $$
begin
  if task.depends_on = '{}' then
    return '{}';
  end if;
  return array(
    select n.task from parley.tasks n
    where n.session_id = blockers.task.session_id and n.task = any (blockers.task.depends_on)
      and not parley_private.is_finished(n.status, n.proof, (select parley_private.only_verified_counts()))
    order by n.task
  );
end;
$$;

-- As callers see it: what waits for another task is blocked.
create or replace function parley_private.task_status(task parley.tasks)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case when task.status = 'open' and parley_private.blockers(task) <> '{}' then 'blocked' else task.status end;
end;
$$;

create or replace function parley_private.handle_of(session_id uuid, participant_id integer)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return (select p.handle from parley.participants p where p.session_id = handle_of.session_id and p.id = participant_id);
end;
$$;

grant execute on function
  parley_private.only_verified_counts, parley_private.is_finished, parley_private.is_free, parley_private.blockers, parley_private.task_status, parley_private.handle_of
to parley_caller;

create or replace function parley_private.task_details(task parley.tasks, reader parley.participants default null)
returns parley.task_details
language plpgsql stable
set search_path = ''
as $$
declare
  v_details parley.task_details;
begin
  v_details.task := task.task;
  v_details.title := task.title;
  v_details.body := task.body;
  v_details.status := parley_private.task_status(task);
  select p.handle, parley_private.lease_ends(p) into v_details.claimed_by, v_details.claim_expires_at
  from parley.participants p where p.session_id = task.session_id and p.id = task.claimed_by;
  v_details.priority := task.priority;
  v_details.depends_on := task.depends_on;
  v_details.blocked_by := parley_private.blockers(task);
  v_details.paths := task.paths;
  v_details.result := task.result;
  v_details.created_by := parley_private.handle_of(task.session_id, task.created_by);
  v_details.created_at := task.created_at;
  v_details.updated_at := task.updated_at;
  v_details.version := task.version;
  v_details.proof := task.proof;
  v_details."check" := task."check";
  v_details.evidence := task.evidence;
  v_details.done_by := parley_private.handle_of(task.session_id, task.done_by);
  if task.verified_at is not null then
    v_details.verified := row(parley_private.handle_of(task.session_id, task.verified_by), task.verified_at, task.verified_commit);
  end if;
  if task.carried_task is not null then
    v_details.carried_from := row((select s.ref from parley.sessions s where s.id = task.carried_session), task.carried_task);
  end if;
  if reader.id is not null then
    v_details.unread := parley_private.unread(reader);
  end if;
  return v_details;
end;
$$;

grant execute on function parley_private.task_details to parley_caller;

-- The state of the work; null where nobody has divided it.
create or replace function parley_private.work(session_id uuid)
returns parley.work
language sql stable
set search_path = ''
as $$
  select row(
    coalesce(sum(k.number) filter (where k.free), 0),
    coalesce(sum(k.number) filter (where k.kind in ('blocked', 'waiting', 'unverified') and not k.free), 0),
    coalesce(sum(k.number) filter (where k.kind = 'claimed'), 0),
    coalesce(sum(k.number) filter (where k.kind = 'done'), 0),
    coalesce(sum(k.number) filter (where k.kind = 'dropped'), 0)
  )::parley.work
  from (
    select c.kind, c.number, parley_private.is_free(c.kind, (select parley_private.only_verified_counts())) as free
    from parley.task_counts c where c.session_id = work.session_id
  ) k
  having sum(k.number) > 0;
$$;

grant execute on function parley_private.work to parley_caller;

create or replace function parley_private.find_task(session_id uuid, task integer)
returns parley.tasks
language plpgsql stable
set search_path = ''
as $$
declare
  v_task parley.tasks;
begin
  select * into v_task from parley.tasks t where t.session_id = find_task.session_id and t.task = find_task.task;
  if not found then
    perform parley_private.fail(404, 'task_not_found', format('This session has no task %s.', find_task.task),
      'list_tasks names them.', jsonb_build_object('field', 'task'));
  end if;
  return v_task;
end;
$$;

grant execute on function parley_private.find_task to parley_caller;

-- The next task for a team: open, waiting for no other, its paths held by nobody else; the highest priority, then the oldest.
create or replace function parley_private.next_task(team parley.participants)
returns parley.tasks
language plpgsql stable
set search_path = ''
as $$
declare
  v_only_verified boolean := parley_private.only_verified_counts();
  v_task          parley.tasks;
begin
  select * into v_task from parley.tasks t
  where t.session_id = team.session_id and t.status = 'open' and t.readiness <> 'waiting'
    and parley_private.is_free(t.readiness, v_only_verified)
    and (t.paths = '{}' or not exists (select from parley_private.collisions(team.session_id, team.id, t.paths, most => 1)))
  order by t.priority desc, t.task
  limit 1;
  return v_task;
end;
$$;

-- Makes a task that is free the team's. The caller holds the lock of the session.
create or replace function parley_private.take_task(task parley.tasks, team parley.participants)
returns parley.tasks
language plpgsql volatile
set search_path = ''
as $$
declare
  v_task parley.tasks;
begin
  update parley.tasks t set status = 'claimed', claimed_by = team.id, updated_at = clock_timestamp(), version = t.version + 1
  where t.session_id = take_task.task.session_id and t.task = take_task.task.task
  returning * into v_task;
  if v_task.paths <> '{}' then
    perform parley_private.hold_paths(team, v_task.paths, v_task.task);
  end if;
  perform parley_private.announce_task(v_task, 'task_claimed', team.handle, jsonb_build_object('by', team.team_name));
  return v_task;
end;
$$;

-- Why a task that was asked for cannot be taken; nothing if it can.
create or replace function parley_private.refuse_if_taken(task parley.tasks, team parley.participants)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_holder   parley.participants;
  v_blockers integer[] := parley_private.blockers(task);
begin
  if task.status = 'claimed' then
    select * into v_holder from parley.participants p where p.session_id = task.session_id and p.id = task.claimed_by;
    perform parley_private.fail(409, 'already_claimed', format('Task %s is claimed by %s.', task.task, v_holder.handle),
      'Take another: claim_task without a task gives you the next one.',
      jsonb_build_object('task', task.task, 'by', v_holder.handle, 'until', parley_private.lease_ends(v_holder)));
  elsif task.status <> 'open' then
    perform parley_private.fail(409, 'not_open', format('Task %s is %s.', task.task, task.status),
      'If there is more to do, say so and open it again: update_task with status open.',
      jsonb_build_object('task', task.task, 'status', task.status));
  elsif v_blockers <> '{}' then
    perform parley_private.fail(409, 'not_open',
      format('Task %s waits for %s.', task.task, array_to_string(v_blockers, ', ')),
      'Finish those first, or take another: claim_task without a task gives you the next one.',
      jsonb_build_object('task', task.task, 'status', 'blocked', 'blocked_by', v_blockers));
  end if;
  perform parley_private.refuse_collisions(team, task.paths);
end;
$$;
