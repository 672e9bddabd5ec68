-- Continues a concluded session in a new one: linked both ways, its document starting from what was left.
create or replace function parley.resume_session(
  session_id text,
  team_name text,
  title text default null,
  description text default null
)
returns parley.resumed_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_old     parley.sessions;
  v_session parley.sessions;
  v_team    record;
  v_author  parley.participants;
begin
  perform parley_private.check_text('team_name', team_name, 'team_name_max');
  if title is not null then
    perform parley_private.check_text('title', title, 'title_max');
  end if;
  if description is not null then
    perform parley_private.check_text('description', description, 'description_max', may_be_blank => true);
  end if;
  v_old := parley_private.find_session(session_id);
  -- The lock makes two teams that resume the same session meet in one.
  select * into v_old from parley.sessions s where s.id = v_old.id for no key update;
  perform parley_private.refuse_if_not_resumable(v_old);

  insert into parley.sessions (ref, title, description, continues)
  values (
    parley_private.new_ref(),
    coalesce(resume_session.title, v_old.title),
    coalesce(resume_session.description, v_old.description),
    v_old.id)
  returning * into v_session;
  v_team := parley_private.admit_team(v_session.id, team_name);
  select * into v_author from parley.participants p where p.session_id = v_session.id and p.id = v_team.participant_id;
  perform parley_private.write_doc(v_author, '', convert_to(parley_private.carried_over(v_old), 'UTF8'));
  select * into v_session from parley.sessions s where s.id = v_session.id;

  return row(
    v_session.id,
    v_session.ref,
    parley_private.public_url() || '/s/' || v_session.ref,
    v_team.team_id,
    v_team.handle,
    0,
    v_session.title,
    v_session.description,
    v_session.session_doc_version,
    parley_private.handoff_of(v_session)
  )::parley.resumed_session;
end;
$$;

grant execute on function parley.resume_session to parley_caller;

comment on function parley.resume_session is $$
@verb POST /sessions/{session_id}/resume
@who open
@toolset sessions
@param session_id The ref of the concluded session.
@param team_name Who you are.
@param title Default: as before.
@param description Default: as before.
Go on where a concluded session ended, in a new one: its document starts with the goals, decisions and conclusion, handoff tells the rest. Keep the team_id.
$$;
