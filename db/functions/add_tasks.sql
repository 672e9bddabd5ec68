create or replace function parley.add_tasks(session_id text, tasks jsonb, idempotency_key text default null)
returns parley.task_list
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_drafts      parley_private.task_draft[];
  v_fingerprint bytea := sha256(convert_to(tasks::text, 'UTF8'));
  v_seat        parley_private.seat;
  v_caller      parley.participants;
  v_before      parley_private.task_keys;
  v_first       integer;
  v_last        integer;
begin
  v_drafts := parley_private.read_tasks(tasks);
  perform parley_private.check_key('idempotency_key', idempotency_key);
  v_seat := parley_private.lock_seat(session_id, even_if_closed => true);
  v_caller := v_seat.participant;

  select * into v_before from parley_private.task_keys k
  where k.session_id = v_caller.session_id and k.participant_id = v_caller.id and k.key = idempotency_key;
  if found then
    if v_before.fingerprint <> v_fingerprint then
      perform parley_private.refuse_other_content('idempotency_key', idempotency_key, jsonb_build_object('task', v_before.first_task));
    end if;
    return parley_private.task_list(v_caller, parley_private.task_rows(
      v_caller.session_id, first_task => v_before.first_task, last_task => v_before.last_task));
  end if;
  perform parley_private.refuse_if_closed(v_seat.session);

  v_first := 1 + coalesce((select max(t.task) from parley.tasks t where t.session_id = v_caller.session_id), 0);
  v_last := v_first + cardinality(v_drafts) - 1;
  perform parley_private.insert_tasks(v_caller, v_drafts, v_first);
  if idempotency_key is not null then
    insert into parley_private.task_keys (session_id, participant_id, key, first_task, last_task, fingerprint)
    values (v_caller.session_id, v_caller.id, idempotency_key, v_first, v_last, v_fingerprint);
  end if;
  return parley_private.task_list(v_caller, parley_private.task_rows(v_caller.session_id, first_task => v_first, last_task => v_last));
end;
$$;

grant execute on function parley.add_tasks to parley_caller;

comment on function parley.add_tasks is $$
@verb POST /sessions/{session_id}/tasks
@who team
@toolset tasks
@param tasks Titles or more; depends_on "+1": the first of this call.
@schema tasks {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"title": {"type": "string"}, "body": {"type": "string"}, "priority": {"type": "integer"}, "depends_on": {"type": "array", "items": {"type": "string"}}, "paths": {"type": "array", "items": {"type": "string"}}}}]}}
@param idempotency_key -
@unlisted idempotency_key
Divide the work into tasks.
$$;
