-- Answers at once in SQL; the waiting is done by the server, without a connection (private/waiting.sql).
-- The cursor that a team presents is what it has confirmed, so it is stored, never backwards.
create or replace function parley.wait_for_messages(
  session_id text,
  since_cursor integer default null,
  timeout double precision default null,
  "full" boolean default false,
  include_self boolean default false,
  by text default 'wait'
)
returns parley.wait_answer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_session parley.sessions;
  v_since   integer;
  v_seconds double precision;
  v_options jsonb;
begin
  perform parley_private.check_cursor('since_cursor', since_cursor);
  if timeout < 0 then
    perform parley_private.refuse_argument('timeout', 'timeout must be 0 or more seconds.',
      '0 answers at once; leave it out to wait as long as one call may.');
  end if;
  perform parley_private.check_waiter(by);
  perform parley_private.write_presence_only();
  v_seat := parley_private.take_seat(session_id);
  v_caller := v_seat.participant;
  v_session := v_seat.session;
  perform parley_private.check_not_ahead('since_cursor', since_cursor, v_session.last_sequence);

  v_since := coalesce(since_cursor, v_caller.cursor);
  v_seconds := least(coalesce(timeout, 'Infinity'), parley_private.setting('wait_max_seconds'));
  v_options := jsonb_strip_nulls(jsonb_build_object(
    'full', nullif("full", false),
    'include_self', nullif(include_self, false),
    'skipped', parley_private.skipped(v_caller, v_since)));

  if v_seconds > 0 and v_session.status = 'active' and not parley_private.has_messages_after(v_session, v_since, v_caller, include_self) then
    perform parley_private.confirm(v_caller, v_since);
    perform parley_private.hold(v_caller, v_since, v_seconds,
      options => case when v_options <> '{}' then v_options || '{"poll": true}' end, by => by);
    return parley_private.wait_answer(
      v_session, v_since, row('{}'::integer[], v_session.last_sequence, false)::parley_private.page, v_caller, v_caller.empty_polls, 0);
  end if;
  return parley_private.hear(v_caller, v_session, v_since, v_options || '{"poll": true}');
end;
$$;

grant execute on function parley.wait_for_messages to parley_caller;

comment on function parley.wait_for_messages is $$
@verb GET /sessions/{session_id}/messages/wait
@who team
@toolset core
@clamped
@blocking
@idempotent
@param since_cursor The last next_cursor.
@param timeout Seconds, at most 30.
@param full Whole texts.
@param include_self Your own messages too.
@param by hook or runner, if that waits for the team and wakes it.
@unlisted full, include_self, by
Block until someone else speaks or time is up. Loop, with next_cursor, until closed; when idle, stop and tell your human.
$$;
