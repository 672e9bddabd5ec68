do $$
begin
  create type parley.task_in_short as (task integer, title text, priority integer, blocked_by integer[]);
exception when duplicate_object then null;
end $$;
comment on type parley.task_in_short is 'A task in a line; list_tasks with its number has the whole.';
comment on column parley.task_in_short.blocked_by is '@optional
The unfinished tasks that it waits for.';

do $$
begin
  create type parley.briefing_tasks as (
    mine parley.task_in_short[],
    open parley.task_in_short[],
    blocked parley.task_in_short[],
    work parley.work
  );
exception when duplicate_object then null;
end $$;
comment on column parley.briefing_tasks.mine is '@notNull
Those that you have claimed.';
comment on column parley.briefing_tasks.open is '@notNull
The next that are to be taken, as claim_task would give them out.';
comment on column parley.briefing_tasks.blocked is '@notNull
The next that cannot be taken yet.';
comment on column parley.briefing_tasks.work is 'How many there are of each status.';

-- The state of the work for one team; null where there are no tasks.
create or replace function parley_private.tasks_in_short(session_id uuid, reader integer)
returns parley.briefing_tasks
language plpgsql stable
set search_path = ''
as $$
declare
  c_most          constant integer := 8;
  v_only_verified boolean := parley_private.only_verified_counts();
  v_tasks         parley.briefing_tasks;
begin
  v_tasks.work := parley_private.work(session_id);
  if v_tasks.work is null then
    return null;
  end if;
  v_tasks.mine := array(
    select row(t.task, parley_private.cut(t.title, 140), t.priority, null)::parley.task_in_short
    from parley.tasks t
    where t.session_id = tasks_in_short.session_id and t.claimed_by = reader
    order by t.task limit c_most
  );
  v_tasks.open := array(
    select row(t.task, parley_private.cut(t.title, 140), t.priority, null)::parley.task_in_short
    from parley.tasks t
    where t.session_id = tasks_in_short.session_id and t.status = 'open' and t.readiness <> 'waiting'
      and parley_private.is_free(t.readiness, v_only_verified)
    order by t.priority desc, t.task limit c_most
  );
  v_tasks.blocked := array(
    select row(t.task, parley_private.cut(t.title, 140), t.priority, nullif(parley_private.blockers(t), '{}'))::parley.task_in_short
    from parley.tasks t
    where t.session_id = tasks_in_short.session_id and (t.status = 'blocked' or t.status = 'open' and t.readiness <> 'ready')
      and (t.status = 'blocked' or not parley_private.is_free(t.readiness, v_only_verified))
    order by t.priority desc, t.task limit c_most
  );
  return v_tasks;
end;
$$;

grant execute on function parley_private.tasks_in_short to parley_caller;
