-- Fields of the GraphQL type Task that are derived, not stored.
create or replace function parley.tasks_status(task parley.tasks)
returns text
language sql stable
return parley_private.task_status(task);

comment on function parley.tasks_status is '@notNull
open, claimed, blocked (also by tasks that it depends on), done or dropped.';

create or replace function parley.tasks_blocked_by(task parley.tasks)
returns integer[]
language sql stable
return parley_private.blockers(task);

comment on function parley.tasks_blocked_by is '@notNull
Those of dependsOn that are not finished.';

create or replace function parley.tasks_claim_expires_at(task parley.tasks)
returns timestamptz
language sql stable
set search_path = ''
as $$
  select parley_private.lease_ends(p) from parley.participants p where p.session_id = task.session_id and p.id = task.claimed_by;
$$;

comment on function parley.tasks_claim_expires_at is 'When the claim ends if nothing is heard of the team any more.';

create or replace function parley.held_paths_expires_at(held parley.held_paths)
returns timestamptz
language sql stable
set search_path = ''
as $$
  select parley_private.lease_ends(p) from parley.participants p where p.session_id = held.session_id and p.id = held.participant_id;
$$;

comment on function parley.held_paths_expires_at is '@notNull
When the claim ends if nothing is heard of the team any more.';

create or replace function parley.tasks_outcome(task parley.tasks)
returns text
language sql stable
return parley_private.shortened(task.result);

comment on function parley.tasks_outcome is 'The beginning of its result.';

-- For a page that keeps the list: what was written since, and what waits for it, whose status may be another one now. Writers queue
-- for the session, so that nothing is written later with an earlier time.
create or replace function parley.sessions_tasks_since(session parley.sessions, since timestamptz default null)
returns setof parley.tasks
language sql stable
as $$
  select t.* from parley.tasks t
  where t.session_id = session.id
    and (since is null or t.updated_at >= since or t.depends_on && array(
      select c.task from parley.tasks c where c.session_id = session.id and c.updated_at >= since))
  order by t.task;
$$;

comment on function parley.sessions_tasks_since is '@cost 100
The tasks that have changed since a time, and those that depend on them; all of them without a time.';

-- Told once in the feed, and for as long as it lasts here.
create or replace function parley.sessions_overlaps(session parley.sessions)
returns table (path text, teams text[])
language sql stable security definer
set search_path = ''
as $$
  select o.path, array_agg(distinct team.handle order by team.handle)
  from parley_private.known_overlaps o
  join parley.participants team on team.session_id = o.session_id and team.id in (o.one_team, o.other_team)
  where o.session_id = session.id
  group by o.path
  order by o.path;
$$;

comment on function parley.sessions_overlaps is '@cost 100
The paths at which several teams were found.';

grant execute on function
  parley.tasks_outcome,
  parley.sessions_tasks_since,
  parley.sessions_overlaps,
  parley.tasks_status,
  parley.tasks_blocked_by,
  parley.tasks_claim_expires_at,
  parley.held_paths_expires_at
to parley_caller;
