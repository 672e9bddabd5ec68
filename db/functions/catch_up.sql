do $$
begin
  create type parley.caught_up as (
    session_id uuid,
    ref text,
    title text,
    description text,
    status text,
    handle text,
    cursor integer,
    last_cursor integer,
    doc_version integer,
    unread integer,
    teams parley.briefing_team[],
    questions parley.note[],
    decisions parley.note[],
    decided text,
    outline parley.heading[],
    messages parley.feed_message[],
    left_out parley.briefing_rest,
    tasks parley.briefing_tasks
  );
exception when duplicate_object then null;
end $$;
comment on column parley.caught_up.handle is 'Yours.';
comment on column parley.caught_up.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.caught_up.teams is '@notNull
Who is here and doing what, the last seen first.';
comment on column parley.caught_up.questions is '@notNull
The questions that you owe an answer, the newest first.';
comment on column parley.caught_up.decisions is '@notNull
What was decided in the feed, the newest first.';
comment on column parley.caught_up.decided is '@optional
The end of the section Decisions of the document.';
comment on column parley.caught_up.outline is '@notNull
The headings of the document, of three levels.';
comment on column parley.caught_up.messages is '@notNull
The newest of what you have not seen, oldest first, cut; wait_for_messages hands all of it over.';
comment on column parley.caught_up.left_out is '@optional';
comment on column parley.caught_up.tasks is '@optional
The state of the work: yours, open and blocked.';

create or replace function parley.catch_up(session_id text)
returns parley.caught_up
language plpgsql stable
set search_path = ''
as $$
declare
  v_seat     parley_private.seat := parley_private.take_seat(session_id, to_read => true);
  v_session  parley.sessions := v_seat.session;
  v_caller   parley.participants := v_seat.participant;
  v_briefing parley.briefing := parley_private.briefing(v_session, v_caller, parley_private.doc_in_short(v_session));
  v_answer   parley.caught_up;
begin
  v_answer := jsonb_populate_record(null::parley.caught_up, to_jsonb(v_briefing));
  v_answer.session_id := v_session.id;
  v_answer.ref := v_session.ref;
  v_answer.title := v_session.title;
  v_answer.description := parley_private.cut(v_session.description, 1000);
  v_answer.status := v_session.status;
  v_answer.handle := v_caller.handle;
  v_answer.cursor := v_caller.cursor;
  v_answer.last_cursor := v_session.last_sequence;
  v_answer.doc_version := v_session.session_doc_version;
  v_answer.unread := parley_private.unread(v_caller);
  return v_answer;
end;
$$;

grant execute on function parley.catch_up to parley_caller;

comment on function parley.catch_up is $$
@verb GET /sessions/{session_id}/catch-up
@who team
@toolset reading
@readonly
After a break or without context: who does what, tasks, what you owe, decisions, what is unread.
$$;
