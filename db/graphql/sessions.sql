-- Fields of the GraphQL type Session that are derived, not stored, and the list that the page shows.
create or replace function parley.sessions_state(session parley.sessions)
returns text
language sql stable
set search_path = ''
as $$
  select case
    when session.status = 'closed' then 'concluded'
    when exists (
      select from parley.participants p
      where p.session_id = session.id and p.left_at is null
        and (p.last_seen_at > clock_timestamp() - parley_private.setting('live_seconds') * interval '1 second'
          or parley_private.is_listening(p.session_id, p.id))
    ) then 'live'
    else 'quiet'
  end;
$$;

comment on function parley.sessions_state is '@notNull
live while a team has called lately, concluded after the close, else quiet.';

create or replace function parley.sessions_last_message(session parley.sessions)
returns parley.messages
language sql stable
set search_path = ''
as $$
  select m from parley.messages m where m.session_id = session.id and m.sequence = session.last_sequence;
$$;

comment on function parley.sessions_last_message is 'The newest message; null while there is none.';

create or replace function parley.sessions_last_activity_at(session parley.sessions)
returns timestamptz
language sql stable
set search_path = ''
as $$
  select greatest(session.updated_at, session.last_message_at);
$$;

comment on function parley.sessions_last_activity_at is '@notNull
When something was last posted or written.';

-- Sequences have no gap, so any stretch of the feed is a range of the primary key: the page jumps to a message
-- in a feed of a hundred thousand as fast as to the last one.
create or replace function parley.sessions_feed(session parley.sessions, from_cursor integer, to_cursor integer)
returns setof parley.messages
language sql stable
set search_path = ''
as $$
  select * from parley.messages m
  where m.session_id = session.id and m.sequence between from_cursor and to_cursor
  order by m.sequence;
$$;

comment on function parley.sessions_feed is 'The messages from one cursor to another, both included.';

create or replace function parley.sessions_find_messages(
  session parley.sessions,
  search text default null,
  team text default null,
  kind text default null
)
returns setof parley.messages
language sql stable
set search_path = ''
as $$
  select m.* from parley.messages m
  left join parley.participants p on p.session_id = m.session_id and p.id = m.posted_by
  cross join parley_private.part_to_find('search', search) as part
  where m.session_id = session.id
    and (team is null or p.handle = team)
    and (sessions_find_messages.kind is null or m.type = 'chat' and m.kind = sessions_find_messages.kind)
    and (search is null or strpos(lower(m.content ->> 'text'), part) > 0)
  order by m.sequence desc;
$$;

comment on function parley.sessions_find_messages is 'The messages that hold a text, newest first; of one team, if its handle is given; of one kind.';

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
set search_path = ''
as $$
  select s.* from parley.sessions s
  cross join parley_private.part_to_find('search', search) as part
  where (find_sessions.status is null or s.status = find_sessions.status)
    and (search is null or strpos(lower(concat_ws(' ', s.ref, s.title, s.description)), part) > 0)
  order by greatest(s.updated_at, s.last_message_at) desc, s.id;
$$;

comment on function parley.find_sessions is 'The sessions, those with the newest activity first; of one status (active, closed), or with a text in ref, title or description.';

grant execute on function
  parley.sessions_state,
  parley.sessions_last_message,
  parley.sessions_last_activity_at,
  parley.sessions_feed,
  parley.sessions_find_messages,
  parley.sessions_digest,
  parley.sessions_open_questions,
  parley.messages_read_by,
  parley.find_sessions
to parley_caller;
