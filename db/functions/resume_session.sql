do $$
begin
  create type parley.resumed_session as (
    session_id uuid,
    ref text,
    url text,
    team_id text,
    handle text,
    cursor integer,
    title text,
    description text,
    doc_version integer,
    handoff parley.handoff,
    briefing parley.briefing
  );
exception when duplicate_object then null;
end $$;
comment on column parley.resumed_session.team_id is 'The secret of this team in this session. It is shown once.';
comment on column parley.resumed_session.briefing is 'What to know before you begin; catch_up tells it again.';
comment on column parley.resumed_session.doc_version is 'The document starts with what the old one left.';

-- Continues a concluded session in a new one: linked both ways, its document starting from what was left.
create or replace function parley.resume_session(
  session_id text,
  team_name text,
  title text default null,
  description text default null,
  idempotency_key text default null,
  about jsonb default null
)
returns parley.resumed_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key         bytea;
  v_fingerprint bytea;
  v_old         parley.sessions;
  v_session     parley.sessions;
  v_team        record;
  v_caller      parley.participants;
begin
  perform parley_private.check_text('team_name', team_name, 'team_name_max');
  if title is not null then
    perform parley_private.check_text('title', title, 'title_max');
  end if;
  if description is not null then
    perform parley_private.check_text('description', description, 'description_max', may_be_blank => true);
  end if;
  perform parley_private.check_key('idempotency_key', idempotency_key);
  perform parley_private.check_about(about);
  v_fingerprint := parley_private.fingerprint_of(team_name, title, description);
  v_old := parley_private.find_session(session_id);
  -- The lock makes two teams that resume the same session meet in one.
  select * into v_old from parley.sessions s where s.id = v_old.id for no key update;
  v_key := parley_private.take_team_key('resume_session', v_old.id, idempotency_key);

  v_team := parley_private.team_again(v_key, v_fingerprint);
  if v_team.team_id is null then
    perform parley_private.refuse_if_not_resumable(v_old);
    perform parley_private.count_session();
    v_session := parley_private.continue_session(v_old, title, description);
    perform parley_private.inherit_members(v_old.id, v_session.id);
    v_team := parley_private.admit_team(v_session.id, team_name);
    perform parley_private.keep_team_key(v_key, v_fingerprint, v_session.id, v_team.participant_id);
    select * into v_caller from parley.participants p where p.session_id = v_session.id and p.id = v_team.participant_id;
    perform parley_private.write_doc(v_caller, '', convert_to(parley_private.carried_over(v_old), 'UTF8'));
    perform parley_private.carry_tasks(v_old, v_caller);
    perform parley_private.keep_handoff(v_session, v_old);
  else
    select * into v_caller from parley.participants p where p.session_id = v_team.session_id and p.id = v_team.participant_id;
  end if;
  perform parley_private.introduce(v_caller.session_id, v_caller.id, about);
  select * into v_session from parley.sessions s where s.id = v_caller.session_id;

  return row(
    v_session.id,
    v_session.ref,
    parley_private.public_url() || '/s/' || v_session.ref,
    v_team.team_id,
    v_team.handle,
    v_caller.cursor,
    v_session.title,
    v_session.description,
    v_session.session_doc_version,
    parley_private.handoff_of(v_session.id),
    parley_private.briefing(v_session, v_caller, parley_private.doc_in_short(v_session))
  )::parley.resumed_session;
end;
$$;

grant execute on function parley.resume_session to parley_caller;

comment on function parley.resume_session is $$
@verb POST /sessions/{session_id}/resume
@who key team
@toolset sessions
@param session_id -
@param team_name -
@param title Default: as before.
@param description Default: as before.
@param idempotency_key Random secret; repeat to retry.
@param about As in update_team.
@schema about {"type": "object", "properties": {}}
@unlisted about, description, idempotency_key, title
Go on where a concluded session ended, in a new one with its goals, decisions and open tasks. Keep the new team_id.
$$;
