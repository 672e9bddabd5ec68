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

grant execute on function
  parley.tasks_status,
  parley.tasks_blocked_by,
  parley.tasks_claim_expires_at,
  parley.held_paths_expires_at
to parley_caller;
