-- Done is what one team says; verified is what another has seen.
create or replace function parley.verify_task(session_id text, task integer, passed boolean, evidence jsonb default null)
returns parley.task_details
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat   parley_private.seat;
  v_caller parley.participants;
  v_before parley.tasks;
  v_after  parley.tasks;
begin
  if passed is null then
    perform parley_private.refuse_argument('passed', 'passed is required.', 'true if the check held, false if it did not.');
  end if;
  perform parley_private.check_evidence(evidence);
  v_seat := parley_private.lock_seat(session_id);
  v_caller := v_seat.participant;
  v_before := parley_private.find_task(v_caller.session_id, verify_task.task);
  if v_before.status <> 'done' then
    perform parley_private.refuse_argument('task', format('Task %s is %s, not done.', v_before.task, parley_private.task_status(v_before)),
      'Only what is done can be verified.');
  elsif v_before.done_by = v_caller.id then
    perform parley_private.fail(403, 'own_work', 'You have done this task yourself.', 'Another team, or a person, verifies it.');
  end if;

  v_after := v_before;
  v_after.proof := case when passed then 'verified' else 'refuted' end;
  v_after.verified_by := v_caller.id;
  v_after.verified_at := clock_timestamp();
  -- Where none was named it is the one that the branch was last reported at: so it is known when that moves on.
  v_after.verified_commit := coalesce(parley_private.commit_of(evidence), v_before.commit, (
    select c.head from parley.changed_paths c
    where c.session_id = v_before.session_id and c.participant_id = v_before.done_by and c.branch = v_before.branch limit 1
  ));
  v_after.evidence := parley_private.with_evidence(v_before.evidence, evidence, v_caller.handle);
  v_after := parley_private.store_task(v_before, v_after);
  perform parley_private.announce_task(v_after, 'task_verified', v_caller.handle,
    jsonb_build_object('by', v_caller.team_name, 'passed', passed));
  return parley_private.task_details(v_after, v_caller);
end;
$$;

grant execute on function parley.verify_task to parley_caller;

comment on function parley.verify_task is $$
@verb POST /sessions/{session_id}/tasks/{task}/verify
@who team
@toolset tasks
@param passed -
@param evidence -
@schema evidence {"type": "array", "items": {"type": "object", "properties": {"kind": {"type": "string"}}}}
@unlisted evidence
Say whether the work of another team holds.
$$;
