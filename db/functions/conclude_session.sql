do $$
begin
  create type parley.concluded_session as (session_id uuid, status text, closed_at timestamptz, doc_version integer, unread integer, open_tasks integer);
exception when duplicate_object then null;
end $$;
comment on column parley.concluded_session.open_tasks is 'How many tasks are left unfinished; resume_session carries them over.';
comment on column parley.concluded_session.unread is 'Messages of others that no answer has handed to you yet.';

-- Closes the session with a hand-off, in one transaction. Again and again: a repeated conclusion starts from the
-- document as it was before the first one, so that the earlier summary leaves nothing behind.
create or replace function parley.conclude_session(session_id text, summary_section text, even_so boolean default false)
returns parley.concluded_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_session parley.sessions;
  v_doc     bytea;
  v_written parley.session_doc_history;
begin
  perform parley_private.check_text('summary_section', summary_section, 'summary_max');
  v_seat := parley_private.lock_seat(session_id, even_if_closed => true);
  perform parley_private.refuse_if_not_convener(v_seat);
  v_caller := v_seat.participant;
  if (v_seat.session).status = 'active' and not coalesce(even_so, false) then
    perform parley_private.refuse_if_children_are_open(v_seat.session);
  end if;

  update parley.sessions s set
    status = 'closed',
    closed_at = coalesce(s.closed_at, clock_timestamp()),
    paused_at = null,
    pause_reason = null,
    conclusion = parley_private.conclusion_in_short(summary_section),
    version_before_close = coalesce(s.version_before_close, s.session_doc_version)
  where s.id = v_caller.session_id
  returning * into v_session;

  v_doc := convert_to(parley_private.with_conclusion(
    parley_private.doc_text_at(v_session.id, v_session.version_before_close), summary_section), 'UTF8');
  perform parley_private.check_doc_size('summary_section', length(v_doc), room => 4096);
  v_written := parley_private.write_doc(
    v_caller, parley_private.doc_at(v_session.id, v_session.session_doc_version), v_doc, parley_private.sections_of(summary_section, 'Conclusion'));
  perform parley_private.end_claims(v_session.id);
  perform parley_private.announce(v_session.id, 'session_concluded',
    jsonb_build_object('by', v_caller.team_name, 'handle', v_caller.handle, 'doc_version', v_written.version));
  perform parley_private.tell_parent(v_session.id);

  return row(v_session.id, v_session.status, v_session.closed_at, v_written.version, parley_private.unread(v_caller),
    parley_private.unfinished(v_session.id))::parley.concluded_session;
end;
$$;

grant execute on function parley.conclude_session to parley_caller;

comment on function parley.conclude_session is $$
@verb POST /sessions/{session_id}/conclude
@who team
@toolset core
@param summary_section -
@param even_so Close it though sessions that were spawned here are open.
@unlisted even_so
Close the session for everyone; what was done and is left goes under ## Conclusion.
$$;
