-- Answers at once in SQL; the waiting is done by the server, without a connection (private/waiting.sql).
-- The cursor that a team presents is what it has confirmed, so it is stored, never backwards.
create or replace function parley.wait_for_messages(
  session_id text,
  since_cursor integer default null,
  timeout double precision default null,
  "full" boolean default false
)
returns parley.news
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller  parley.participants;
  v_session parley.sessions;
  v_since   integer;
  v_seconds double precision;
begin
  perform parley_private.check_cursor('since_cursor', since_cursor);
  if timeout < 0 then
    perform parley_private.refuse_argument('timeout', 'timeout must be 0 or more seconds.');
  end if;
  perform parley_private.write_presence_only();
  v_caller := parley_private.enter_session(session_id);
  select * into v_session from parley.sessions s where s.id = v_caller.session_id;
  perform parley_private.check_not_ahead('since_cursor', since_cursor, v_session.last_sequence);

  v_since := coalesce(since_cursor, v_caller.cursor);
  v_seconds := least(coalesce(timeout, 'Infinity'), parley_private.setting('wait_max_seconds'));

  if v_seconds > 0 and v_session.status = 'active' and v_session.last_sequence = v_since then
    -- Written only when it says something new: a team that polls in a loop costs no update here.
    update parley.participants p set
      cursor = greatest(p.cursor, v_since),
      last_seen_at = clock_timestamp(),
      known_status = 'active'
    where p.session_id = v_caller.session_id and p.id = v_caller.id and p.left_at is null
      and (p.cursor < v_since or p.known_status <> 'active'
        or p.last_seen_at < clock_timestamp() - parley_private.setting('presence_active_seconds') * interval '1 second');
    perform parley_private.hold(v_caller, v_since, v_seconds, options => case when "full" then '{}'::jsonb end);
  else
    update parley.participants p set
      cursor = greatest(p.cursor, v_since),
      last_seen_at = clock_timestamp(),
      known_status = 'active',
      handed_cursor = greatest(p.handed_cursor, least(v_session.last_sequence, v_since + parley_private.setting('wait_page'))),
      empty_polls = case when v_session.last_sequence > v_since then 0 else p.empty_polls + 1 end
    where p.session_id = v_caller.session_id and p.id = v_caller.id
    returning * into v_caller;
  end if;
  return parley_private.news(v_session, v_since, v_caller.id, v_caller.empty_polls, "full");
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
@param full Whole texts; else long ones are cut.
Block until someone speaks or the time is over (messages: []). Call it in a loop, with next_cursor, until session_closed; on session_idle stop and tell your human.
$$;
