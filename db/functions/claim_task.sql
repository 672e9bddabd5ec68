-- The work queue: of those who ask at once each gets another task. Nobody queues for the session who would get nothing, and
-- who waits for work does so without a connection (private/waiting_for_work.sql).
create or replace function parley.claim_task(session_id text, task integer default null, wait double precision default 0)
returns parley.task_details
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds double precision;
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_task    parley.tasks;
begin
  if wait < 0 then
    perform parley_private.refuse_argument('wait', 'wait must be 0 or more seconds.', '0 answers at once; 30 is the most.');
  end if;
  v_seconds := least(wait, parley_private.setting('wait_max_seconds'));
  if claim_task.task is null then
    v_seat := parley_private.take_seat(session_id);
    v_caller := v_seat.participant;
    if (v_seat.session).status = 'active' and (parley_private.next_task(v_caller)).task is null
      and not exists (select from parley_private.lapsed_teams(v_caller.session_id, v_caller.id, clock_timestamp())) then
      perform parley_private.write_presence_only();
      perform parley_private.hold(v_caller, v_caller.cursor, v_seconds, 'claim_task', topic => 'tasks', ask_again => true);
      return parley_private.no_task(v_caller);
    end if;
  end if;

  v_seat := parley_private.lock_seat(session_id);
  v_caller := v_seat.participant;
  perform parley_private.free_lapsed(v_caller.session_id, v_caller.id);
  if claim_task.task is not null then
    v_task := parley_private.find_task(v_caller.session_id, claim_task.task);
    if v_task.claimed_by = v_caller.id then
      return parley_private.task_details(v_task, v_caller);
    end if;
    perform parley_private.refuse_if_taken(v_task, v_caller);
  else
    v_task := parley_private.next_task(v_caller);
    if v_task.task is null then
      perform parley_private.hold(v_caller, v_caller.cursor, v_seconds, 'claim_task', topic => 'tasks', ask_again => true);
      return parley_private.no_task(v_caller);
    end if;
  end if;
  return parley_private.task_details(parley_private.take_task(v_task, v_caller), v_caller);
end;
$$;

grant execute on function parley.claim_task to parley_caller;

comment on function parley.claim_task is $$
@verb POST /sessions/{session_id}/tasks/claim
@who team
@toolset tasks
@clamped
@blocking
@behavior +mutationField
@param task Default: the next.
@param wait Seconds, at most 30.
Take a task: yours while you are here. Then update_task.
$$;
