-- Fields of the GraphQL type Session that are derived, not stored, and the list that the page shows.
create or replace function parley.sessions_state(session parley.sessions)
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_since timestamptz := parley_private.since('live_seconds', clock_timestamp());
begin
  return case
    when session.status = 'closed' then 'concluded'
    when exists (
      select from parley.participants p where p.session_id = session.id and p.left_at is null and p.last_seen_at > v_since
    ) then 'live'
    when exists (
      select from jsonb_object_keys(parley_private.listeners_in(session.id)) as listener (id)
      join parley.participants p on p.session_id = session.id and p.id = listener.id::integer
      where p.left_at is null
    ) then 'live'
    else 'quiet'
  end;
end;
$$;

comment on function parley.sessions_state is '@notNull
live while a team has called lately, concluded after the close, else quiet.';

-- They are counted 1, 2, 3 … and stay: the last one tells.
create or replace function parley.sessions_team_count(session parley.sessions)
returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce((select max(p.id) from parley.participants p where p.session_id = session.id), 0);
end;
$$;

comment on function parley.sessions_team_count is '@notNull
How many teams have joined, whether still there or not.';

create or replace function parley.sessions_last_activity_at(session parley.sessions)
returns timestamptz
language sql stable
return greatest(session.updated_at, session.last_message_at);

comment on function parley.sessions_last_activity_at is '@notNull
When something was last posted or written.';

-- What pages are read from has no search_path of its own: so it becomes part of the statement that asks for the page, and
-- that reads no more than the page. With one it would be run to its end first, whatever it finds.

-- Sequences have no gap, so any stretch of the feed is a range of the primary key: the page jumps to a message
-- in a feed of a hundred thousand as fast as to the last one.
create or replace function parley.sessions_feed(session parley.sessions, from_cursor integer, to_cursor integer)
returns setof parley.messages
language sql stable
as $$
  select m.* from parley.messages m
  where m.session_id = session.id and m.sequence between from_cursor and to_cursor
  order by m.sequence;
$$;

comment on function parley.sessions_feed is 'The messages from one cursor to another, both included.';

-- For a picture of a long feed: the primary key finds each of them, however many lie between.
create or replace function parley.sessions_sample(session parley.sessions, most integer)
returns setof parley.messages
language sql stable
as $$
  select m.* from (
    select distinct (1 + n * (session.last_sequence - 1)::bigint / greatest(least(most, session.last_sequence, 500) - 1, 1))::integer as sequence
    from generate_series(0, least(most, session.last_sequence, 500) - 1) n
  ) s
  join parley.messages m on m.session_id = session.id and m.sequence = s.sequence
  order by m.sequence;
$$;

comment on function parley.sessions_sample is '@cost 500
Messages at equal distances, from the first to the newest, 500 at most.';

create or replace function parley.sessions_task_events(session parley.sessions)
returns setof parley.messages
language sql stable
as $$
  select m.* from parley.messages m
  where m.session_id = session.id and m.posted_by is null and starts_with(m.content ->> 'event', 'task_')
  order by m.sequence desc;
$$;

comment on function parley.sessions_task_events is '@cost 500
What became of its tasks, as the feed told it, newest first.';

create or replace function parley.sessions_find_messages(
  session parley.sessions,
  search text default null,
  team text default null,
  kind text default null,
  addressees text[] default null,
  before_cursor integer default null
)
returns setof parley.messages
language sql stable
as $$
  select m.* from parley.messages m
  where m.session_id = session.id
    and (before_cursor is null or m.sequence < before_cursor)
    and (addressees is null or m.addressed_to && addressees)
    and (team is null or m.posted_by = (
      select p.id from parley.participants p where p.session_id = session.id and p.handle = team))
    and (sessions_find_messages.kind is null or m.type = 'chat' and m.kind = sessions_find_messages.kind)
    and (search is null or strpos(lower(m.content ->> 'text'), (select parley_private.part_to_find('search', search))) > 0)
  order by m.sequence desc;
$$;

comment on function parley.sessions_find_messages is '@cost 1000
The messages that hold a text, newest first; of one team, if its handle is given; of one kind; to one of these; before a cursor.';

create or replace function parley.sessions_messages_at(session parley.sessions, cursors integer[])
returns setof parley.messages
language sql stable
as $$
  select m.* from parley.messages m
  where m.session_id = session.id and m.sequence = any (cursors)
  order by m.sequence;
$$;

comment on function parley.sessions_messages_at is 'The messages with these cursors.';

create or replace function parley.sessions_digest(session parley.sessions, since_cursor integer default 0)
returns parley.digest
language sql stable
set search_path = ''
as $$
  select parley_private.digest(session, since_cursor, null);
$$;

comment on function parley.sessions_digest is '@cost 200
@notNull
Who did what, open questions, decisions and document changes after a cursor.';

create or replace function parley.sessions_open_questions(session parley.sessions)
returns integer[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(q.sequence order by q.sequence), '{}') from parley_private.open_questions(session.id) q;
$$;

comment on function parley.sessions_open_questions is '@cost 50
@notNull
The cursors of the questions that nobody has answered.';

create or replace function parley.messages_read_by(message parley.messages)
returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce(parley_private.readers_of(message), '{}');
$$;

comment on function parley.messages_read_by is '@notNull
The handles of the teams that have said they have read it.';

create or replace function parley.find_sessions(status text default null, search text default null)
returns setof parley.sessions
language sql stable
as $$
  select s.* from parley.sessions s
  where (find_sessions.status is null or s.status = find_sessions.status)
    and (search is null
      or strpos(lower(concat_ws(' ', s.ref, s.title, s.description)), (select parley_private.part_to_find('search', search))) > 0)
  order by s.active_minute desc, greatest(s.updated_at, s.last_message_at) desc, s.id;
$$;

comment on function parley.find_sessions is '@cost 100
The sessions, those with the newest activity first; of one status (active, closed), or with a text in ref, title or description.';

-- Beside the list: to count what is in order would put it in order first.
create or replace function parley.count_sessions(status text default null, search text default null)
returns integer
language sql stable
set search_path = ''
as $$
  select count(*) from parley.sessions s
  where (count_sessions.status is null or s.status = count_sessions.status)
    and (search is null
      or strpos(lower(concat_ws(' ', s.ref, s.title, s.description)), (select parley_private.part_to_find('search', search))) > 0);
$$;

comment on function parley.count_sessions is '@cost 100
@notNull
How many sessions findSessions has for these arguments.';

grant execute on function
  parley.sessions_state,
  parley.sessions_team_count,
  parley.sessions_last_activity_at,
  parley.sessions_feed,
  parley.sessions_sample,
  parley.sessions_task_events,
  parley.sessions_find_messages,
  parley.sessions_messages_at,
  parley.sessions_digest,
  parley.sessions_open_questions,
  parley.messages_read_by,
  parley.find_sessions,
  parley.count_sessions
to parley_caller;
