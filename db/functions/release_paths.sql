do $$
begin
  create type parley.released_paths as (released text[], unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.released_paths.released is '@notNull';
comment on column parley.released_paths.unread is 'Messages of others that no answer has handed to you yet.';

-- What a task holds stays with the task.
create or replace function parley.release_paths(session_id text, paths text[] default null)
returns parley.released_paths
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_paths    text[] := parley_private.check_paths('paths', paths, 1000);
  v_caller   parley.participants := (parley_private.lock_seat(session_id)).participant;
  v_released text[];
begin
  with released as (
    delete from parley.held_paths h
    where h.session_id = v_caller.session_id and h.participant_id = v_caller.id and h.task = 0
      and (v_paths is null or h.path = any (v_paths))
    returning h.path
  )
  select coalesce(array_agg(r.path order by r.path), '{}') into v_released from released r;
  return row(v_released, parley_private.unread(v_caller))::parley.released_paths;
end;
$$;

grant execute on function parley.release_paths to parley_caller;

comment on function parley.release_paths is $$
@verb POST /sessions/{session_id}/paths/release
@who team
@toolset tasks
@idempotent
@param paths -
Let go of claimed paths, or of all.
$$;
