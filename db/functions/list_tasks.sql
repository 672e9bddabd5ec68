create or replace function parley.list_tasks(
  session_id text,
  status text default null,
  mine boolean default false,
  task integer default null,
  after integer default null
)
returns parley.task_list
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller parley.participants;
begin
  perform parley_private.check_task_status(status, '{open,claimed,blocked,done,dropped}');
  perform parley_private.check_cursor('after', after);
  v_caller := (parley_private.take_seat(session_id, to_read => true)).participant;
  if task is not null then
    return parley_private.task_list(v_caller, array[
      (to_jsonb(parley_private.task_details(parley_private.find_task(v_caller.session_id, task))) - '{open,blocked,claimed,unread}'::text[])::json]);
  end if;
  return parley_private.task_list(v_caller, parley_private.task_rows(
    v_caller.session_id, status, case when mine then coalesce(v_caller.id, 0) end, first_task => least(coalesce(after, 0), 2147483646) + 1));
end;
$$;

grant execute on function parley.list_tasks to parley_caller;

comment on function parley.list_tasks is $$
@verb GET /sessions/{session_id}/tasks
@who team
@toolset tasks
@clamped
@readonly
@param status open, claimed, done …
@param mine -
@unlisted mine
@param task -
@param after The last next_after.
@unlisted after
Who has which task, what waits for what; one of them whole.
$$;
