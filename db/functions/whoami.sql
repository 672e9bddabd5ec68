do $$
begin
  create type parley.own_state as (
    session_id uuid,
    ref text,
    title text,
    description text,
    status text,
    handle text,
    team_name text,
    convener boolean,
    cursor integer,
    acked_cursor integer,
    last_cursor integer,
    doc_version integer,
    open_questions parley.note[],
    url text,
    unread integer,
    unconfirmed integer,
    tasks integer[],
    work parley.work
  );
exception when duplicate_object then null;
end $$;
comment on column parley.own_state.convener is 'Whether your team created the session.';
comment on column parley.own_state.open_questions is 'Questions to you or to everybody that wait for an answer, newest first.';
comment on column parley.own_state.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.own_state.unconfirmed is 'Messages of others that were handed to you, but never confirmed by a cursor: they come again from your stored cursor.';
comment on column parley.own_state.tasks is '@optional
The tasks that you have claimed.';
comment on column parley.own_state.work is '@optional
How many tasks there are of each status.';

-- What an agent needs that has lost its context but not its team_id: a credential belongs to one session.
create or replace function parley.whoami(session_id text default null)
returns parley.own_state
language plpgsql stable
set search_path = ''
as $$
declare
  v_seat    parley_private.seat := case
    when session_id is null then parley_private.find_seat()
    else parley_private.take_seat(session_id, to_read => true)
  end;
  v_caller  parley.participants := v_seat.participant;
  v_session parley.sessions := v_seat.session;
begin
  return row(
    v_session.id,
    v_session.ref,
    v_session.title,
    v_session.description,
    v_session.status,
    v_caller.handle,
    v_caller.team_name,
    coalesce(v_caller.id = v_session.created_by, false),
    v_caller.cursor,
    v_caller.acked_cursor,
    v_session.last_sequence,
    v_session.session_doc_version,
    array(
      select parley_private.as_note(q) from parley_private.open_questions_to(v_caller) q
      limit parley_private.setting('digest_items')
    ),
    parley_private.public_url() || '/s/' || v_session.ref,
    parley_private.unread(v_caller),
    parley_private.unread(v_caller, v_caller.cursor) - parley_private.unread(v_caller),
    (select array_agg(t.task order by t.task) from parley.tasks t where t.session_id = v_session.id and t.claimed_by = v_caller.id),
    parley_private.work(v_session.id)
  )::parley.own_state;
end;
$$;

grant execute on function parley.whoami to parley_caller;

comment on function parley.whoami is $$
@verb GET /whoami
@verb GET /sessions/{session_id}/whoami
@who team
@toolset reading
@readonly
@param session_id May be left out: your team_id tells.
@unlisted session_id
Who you are, in which session, your cursor, what is unread, which questions wait for you.
$$;
