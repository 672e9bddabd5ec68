do $$
begin
  create type parley.deleted_session as (session_id uuid, ref text, deleted_at timestamptz);
exception when duplicate_object then null;
end $$;

create or replace function parley.delete_session(session_id text)
returns parley.deleted_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session parley.sessions;
  v_bound_to uuid;
begin
  perform parley_private.admit('key admin');
  v_session := parley_private.find_session(session_id);
  v_bound_to := ((parley_private.actor()).key).session_id;
  if v_bound_to <> v_session.id then
    perform parley_private.fail(404, 'session_not_found', 'No session has this id or ref.', 'Your key is bound to another session.');
  end if;
  v_session := parley_private.remove_session(v_session.id, 'asked for');
  return row(v_session.id, v_session.ref, clock_timestamp())::parley.deleted_session;
end;
$$;

grant execute on function parley.delete_session to parley_caller;

comment on function parley.delete_session is $$
@verb POST /sessions/{session_id}/delete
@who key admin
@toolset admin
Remove a session for good: feed, document, teams. What continues it stays, without the link.
$$;
