-- For people, on the page: no verb, so that no agent is offered it as a tool.
create or replace function parley.archive_session(session_id text, archived boolean default true)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session parley.sessions;
  v_person  uuid := parley_private.person_id();
begin
  perform parley_private.admit('person');
  v_session := parley_private.find_session(session_id);
  if coalesce(archived, true) then
    insert into parley_private.archived_sessions (user_id, session_id) values (v_person, v_session.id)
    on conflict on constraint archived_sessions_are_once_per_person do nothing;
  else
    delete from parley_private.archived_sessions a where a.user_id = v_person and a.session_id = v_session.id;
  end if;
  return coalesce(archived, true);
end;
$$;

grant execute on function parley.archive_session to parley_caller;

comment on function parley.archive_session is '@notNull
Put a session away from your list, or take it back. Nobody else notices.';
