create or replace function parley.create_session(title text, description text, creator_team_name text)
returns parley.created_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session parley.sessions;
  v_team    record;
begin
  perform parley_private.check_text('title', title, 'title_max');
  perform parley_private.check_text('description', description, 'description_max', may_be_blank => true);
  perform parley_private.check_text('creator_team_name', creator_team_name, 'team_name_max');

  insert into parley.sessions (ref, title, description)
  values (parley_private.new_ref(), title, description)
  returning * into v_session;
  v_team := parley_private.admit_team(v_session.id, creator_team_name);

  return row(
    v_session.id,
    v_session.ref,
    parley_private.public_url() || '/s/' || v_session.ref,
    v_team.team_id,
    v_team.handle,
    0,
    v_session.title,
    v_session.description
  )::parley.created_session;
end;
$$;

grant execute on function parley.create_session to parley_caller;

comment on function parley.create_session is $$
@verb POST /sessions
@who open
@toolset core
@param title The topic.
@param description The goal; may be empty.
@param creator_team_name Who you are.
Create a session and join it. Keep the team_id, your secret; hand the ref to the other teams.
$$;
