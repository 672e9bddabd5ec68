-- The work that a session is divided into. A claim is a lease (private/leases.sql): claimed_by says whose it is, when it ends
-- is derived from the presence of that team.
create table if not exists parley.tasks (
  session_id uuid not null,
  task integer not null,
  title text not null,
  body text not null default '',
  status text not null default 'open',
  claimed_by integer,
  priority integer not null default 0,
  depends_on integer[] not null default '{}',
  paths text[] not null default '{}',
  "check" text,
  result text,
  evidence jsonb,
  proof text,
  done_by integer,
  branch text,
  commit text,
  verified_by integer,
  verified_at timestamptz,
  verified_commit text,
  carried_session uuid,
  carried_task integer,
  created_by integer not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  version integer not null default 1,
  readiness text not null default 'ready',
  constraint tasks_are_counted_per_session primary key (session_id, task),
  constraint tasks_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint tasks_have_a_known_status check (status in ('open', 'claimed', 'blocked', 'done', 'dropped')),
  constraint claimed_tasks_have_a_holder check ((status = 'claimed') = (claimed_by is not null)),
  constraint done_tasks_have_a_proof check (
    (status = 'done') = (proof is not null) and proof in ('reported', 'verified', 'refuted', 'stale')),
  constraint tasks_have_a_known_readiness check (readiness in ('ready', 'unverified', 'waiting'))
)
with (fillfactor = 80);
-- No foreign keys to participants: who writes holds the lock of the session and has found them under it, and none is deleted.

-- What claim_task looks through, in its order, and what it would give out if others were finished.
create index if not exists tasks_that_are_free on parley.tasks (session_id, priority desc, task) where status = 'open' and readiness <> 'waiting';
create index if not exists tasks_that_wait on parley.tasks (session_id, priority desc, task)
  where status = 'blocked' or status = 'open' and readiness <> 'ready';
create index if not exists tasks_that_depend on parley.tasks (session_id, task) where depends_on <> '{}';
create index if not exists tasks_that_are_blocked on parley.tasks (session_id, task) where status = 'blocked';
create index if not exists tasks_of_a_team on parley.tasks (session_id, claimed_by) where claimed_by is not null;

comment on table parley.tasks is '@foreignKey (session_id, claimed_by) references parley.participants (session_id, id)|@fieldName holder|@foreignFieldName claimedTasks
@foreignKey (session_id, done_by) references parley.participants (session_id, id)|@fieldName doer|@behavior -manyRelation:resource:connection -manyRelation:resource:list
@foreignKey (session_id, verified_by) references parley.participants (session_id, id)|@fieldName verifier|@behavior -manyRelation:resource:connection -manyRelation:resource:list
@foreignKey (session_id, created_by) references parley.participants (session_id, id)|@fieldName author|@behavior -manyRelation:resource:connection -manyRelation:resource:list
The tasks that a session is divided into.';
comment on column parley.tasks.session_id is 'The session.';
comment on column parley.tasks.task is '1, 2, 3 … in the order in which they were added.';
comment on column parley.tasks.title is 'What is to be done, in a line.';
comment on column parley.tasks.body is 'What is to be done, in full.';
comment on column parley.tasks.status is '@behavior -*
open, claimed, blocked, done or dropped, without regard to what it depends on.';
comment on column parley.tasks.claimed_by is '@behavior -*
The team that has claimed it; null unless one has.';
comment on column parley.tasks.priority is 'The highest goes first.';
comment on column parley.tasks.depends_on is 'The tasks that have to be finished before.';
comment on column parley.tasks.paths is 'The paths that whoever has claimed it holds.';
comment on column parley.tasks."check" is 'The name of the check that proves it, among the checks of the parley.json of its repository.';
comment on column parley.tasks.result is 'What came of it; while it is blocked, what stands in its way.';
comment on column parley.tasks.evidence is 'What was brought forward that it is done: checks, commits, links.';
comment on column parley.tasks.proof is 'Of a task that is done: reported, verified, refuted, or stale when its branch has moved on since.';
comment on column parley.tasks.done_by is '@behavior -*
The team that has done it.';
comment on column parley.tasks.branch is 'The branch that it was done on.';
comment on column parley.tasks.commit is 'The commit that it was done with.';
comment on column parley.tasks.verified_by is '@behavior -*
The team that has verified or refuted it.';
comment on column parley.tasks.verified_at is 'When that was.';
comment on column parley.tasks.verified_commit is 'The commit that was looked at.';
comment on column parley.tasks.carried_session is '@behavior -*
The session that it was carried over from.';
comment on column parley.tasks.carried_task is 'Its number in the session that it was carried over from.';
comment on column parley.tasks.created_by is '@behavior -*
The team that has added it.';
comment on column parley.tasks.created_at is 'When it was added.';
comment on column parley.tasks.updated_at is 'When it last changed.';
comment on column parley.tasks.version is 'How often it was written.';
comment on column parley.tasks.readiness is '@behavior -*
Of what it depends on: ready, if all is finished; unverified, if all is done and not all verified; else waiting. Kept by a trigger.';

alter table parley.tasks enable row level security;
alter table parley.tasks force row level security;

drop policy if exists tasks_are_readable on parley.tasks;
create policy tasks_are_readable on parley.tasks for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = tasks.session_id offset 0)
);
drop policy if exists tasks_are_kept_by_the_owner on parley.tasks;
create policy tasks_are_kept_by_the_owner on parley.tasks to parley_owner using (true) with check (true);

grant select on parley.tasks to parley_caller;

-- A task that depends on others knows whether they are finished, so that nobody has to ask them: it is found out when it is added or
-- edited, and when one of them is done, or proven, or opened again. Whether done is enough is asked later (only_verified_counts).
create or replace function parley_private.tg_tasks__keep_readiness()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
declare
  v_session uuid;
  v_edited  integer[];
  v_moved   integer[];
begin
  if tg_op = 'INSERT' then
    perform parley_private.keep_readiness(c.session_id, array_agg(c.task)) from changed c where c.depends_on <> '{}' group by c.session_id;
    return null;
  end if;
  for v_session, v_edited, v_moved in
    select n.session_id, array_agg(n.task) filter (where n.edited), array_agg(n.task) filter (where n.moved)
    from (
      select c.session_id, c.task, c.depends_on <> w.depends_on as edited,
        parley_private.is_finished(c.status, c.proof, true) <> parley_private.is_finished(w.status, w.proof, true)
          or parley_private.is_finished(c.status, c.proof, false) <> parley_private.is_finished(w.status, w.proof, false) as moved
      from changed c join was w on w.session_id = c.session_id and w.task = c.task
    ) n
    where n.edited or n.moved
    group by n.session_id
  loop
    perform parley_private.keep_readiness(v_session, v_edited || array(
      select d.task from parley.tasks d where d.session_id = v_session and d.depends_on <> '{}' and d.depends_on && v_moved));
  end loop;
  return null;
end;
$$;

drop trigger if exists _100_keep_readiness_insert on parley.tasks;
create trigger _100_keep_readiness_insert after insert on parley.tasks
  referencing new table as changed for each statement execute function parley_private.tg_tasks__keep_readiness();
drop trigger if exists _100_keep_readiness_update on parley.tasks;
create trigger _100_keep_readiness_update after update on parley.tasks
  referencing old table as was new table as changed for each statement execute function parley_private.tg_tasks__keep_readiness();

-- Whoever waits for work waits for this topic: once for each session that a statement has changed.
create or replace function parley_private.tg_tasks__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('tasks ' || c.session_id) from (select distinct session_id from changed) c;
  return null;
end;
$$;

drop trigger if exists _500_notify_insert on parley.tasks;
create trigger _500_notify_insert after insert on parley.tasks
  referencing new table as changed for each statement execute function parley_private.tg_tasks__notify();
drop trigger if exists _500_notify_update on parley.tasks;
create trigger _500_notify_update after update on parley.tasks
  referencing new table as changed for each statement execute function parley_private.tg_tasks__notify();

-- The roster shows what each team has claimed.
create or replace function parley_private.tg_tasks__notify_roster()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('roster ' || new.session_id);
  return null;
end;
$$;

drop trigger if exists _500_notify_roster on parley.tasks;
create trigger _500_notify_roster after update on parley.tasks
  for each row when (old.claimed_by is distinct from new.claimed_by) execute function parley_private.tg_tasks__notify_roster();
