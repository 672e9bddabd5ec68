-- How far what was said has got with a team: handed to it, a turn of it begun, acted upon. What is kept are the last few steps of each,
-- newest first, in the row of the team, which is written then anyway: to which message, and when.

-- A turn of its agent has begun with what was said up to a message; it was handed over, then, too.
create or replace function parley_private.note_turn(reader parley.participants, turn_cursor integer)
returns void
language sql volatile
set search_path = ''
as $$
  update parley.participants p set
    turn_through = (note_turn.turn_cursor || p.turn_through)[1:8],
    turn_times = (clock_timestamp() || p.turn_times)[1:8],
    cursor = greatest(p.cursor, note_turn.turn_cursor)
  where p.session_id = reader.session_id and p.id = reader.id
    and note_turn.turn_cursor > coalesce(p.turn_through[1], -1);
$$;

-- When a message was reached, by the last few steps of a team, newest first: the oldest of them that went as far. Null if none did, or if
-- that may have been one that is forgotten.
create or replace function parley_private.reached_at(through integer[], times timestamptz[], message integer, kept integer)
returns timestamptz
language sql immutable
set search_path = ''
as $$
  select case when r.step < kept then times[r.step] end
  from (select max(s) as step from generate_subscripts(through, 1) s where through[s] >= message) r;
$$;

-- When a team first did something after a message was said to it: it has replied, posted with it in mind (heard), moved a task, or said
-- that it has read it. Each is looked up by an index, from the message on.
create or replace function parley_private.acted_at(team parley.participants, message parley.messages, since timestamptz)
returns timestamptz
language sql stable
set search_path = ''
as $$
  select least(
    (
      select m.posted_at from parley.messages m
      where m.session_id = team.session_id and m.posted_by = team.id and m.sequence > message.sequence
        and (m.heard >= message.sequence or m.reply_to = message.sequence)
      order by m.sequence
      limit 1
    ),
    (
      select m.posted_at from parley.messages m
      where m.session_id = team.session_id and m.posted_by is null and m.caused_by = team.id and m.sequence > message.sequence
        and m.content ->> 'event' like 'task%' and m.posted_at >= since
      order by m.sequence
      limit 1
    ),
    case when team.acked_cursor >= message.sequence then greatest(team.acked_at, message.posted_at) end);
$$;

-- Of each team that a message is meant for, and by its handle; people are no teams.
create or replace function parley_private.delivery_of(message parley.messages)
returns parley.delivery[]
language sql stable
set search_path = ''
as $$
  select array_agg(
    row(
      p.handle,
      case when acted.at is not null then 'acted' when turn.at is not null or p.turn_through[1] >= message.sequence then 'turn'
        when greatest(p.cursor, p.handed_cursor) >= message.sequence then 'handed' else 'stored' end,
      message.posted_at, handed.at, turn.at, acted.at
    )::parley.delivery
    order by p.id)
  from parley.participants p
  cross join lateral (select parley_private.reached_at(p.handed_through, p.handed_times, message.sequence, 4)) as handed (at)
  cross join lateral (select parley_private.reached_at(p.turn_through, p.turn_times, message.sequence, 8)) as turn (at)
  cross join lateral (select case when greatest(p.cursor, p.handed_cursor, p.acked_cursor) >= message.sequence
    then parley_private.acted_at(p, message, coalesce(turn.at, handed.at, message.posted_at)) end) as acted (at)
  where p.session_id = message.session_id and p.handle = any (message.addressed_to) and p.kind = 'agent' and p.id is distinct from message.posted_by;
$$;

-- The runs of a session that live: each team with when it was last heard of.
create or replace function parley_private.runs_in(session_id uuid)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_object_agg(r.participant_id, r.updated_at) from parley.runs r
    where r.session_id = runs_in.session_id and r.ended_at is null and r.status <> 'queued' and parley_private.is_alive(r)
  );
end;
$$;

-- How a team would hear what is said now. A runner or a hook is one only while it is seen to be there: what died is none as soon as its
-- lease is over, whatever it said of itself.
create or replace function parley_private.reachable_by(
  team parley.participants, waits_by text, run_heard_of timestamptz, active_since timestamptz)
returns parley.reachable
language sql immutable
return row(
  case
    when team.left_at is not null then 'none'
    when run_heard_of is not null then 'runner'
    when waits_by is not null then waits_by
    when team.last_seen_at >= active_since then 'wait'
    else 'none'
  end,
  greatest(team.last_seen_at, run_heard_of)
)::parley.reachable;

-- Of one team.
create or replace function parley_private.reachable(team parley.participants)
returns parley.reachable
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.reachable_by(
    team, parley_private.listeners_in(team.session_id) ->> team.id::text, (parley_private.runs_in(team.session_id) ->> team.id::text)::timestamptz,
    parley_private.since('presence_active_seconds', clock_timestamp()));
end;
$$;

grant execute on function
  parley_private.reachable,
  parley_private.reached_at, parley_private.acted_at, parley_private.delivery_of, parley_private.runs_in, parley_private.reachable_by
to parley_caller;

create or replace function parley_private.check_waiter(by text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if by is null or by not in ('wait', 'hook', 'runner') then
    perform parley_private.refuse_argument('by', 'by must be wait, hook or runner.', 'Leave it out, unless a hook or a runner waits.');
  end if;
end;
$$;
