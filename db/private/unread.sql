-- What of the feed after a cursor is a team's own: what it said, and what the server said of it. Subtracted, not counted: a team
-- may post for long without ever waiting. posted is how much it has said in all, if that is known.
create or replace function parley_private.own_after(session_id uuid, team integer, after_cursor integer, posted integer default null)
returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  if posted is null then
    posted := coalesce((
      select m.nth_of_author from parley.messages m
      where m.session_id = own_after.session_id and m.posted_by = team
      order by m.sequence desc limit 1
    ), 0);
  end if;
  return posted
    - coalesce((
      select m.nth_of_author from parley.messages m
      where m.session_id = own_after.session_id and m.posted_by = team and m.sequence <= after_cursor
      order by m.sequence desc limit 1
    ), 0)
    + (
      select count(*) from parley.messages m
      where m.session_id = own_after.session_id and m.posted_by is null and m.caused_by = team and m.sequence > after_cursor
    );
end;
$$;

grant execute on function parley_private.own_after to parley_caller;

-- How much of the feed a team has yet to see after a cursor, by default after what it was handed last: all of it, without
-- what is its own. Who has just posted knows the newest message already.
create or replace function parley_private.unread(
  reader parley.participants,
  after_cursor integer default null,
  newest parley.messages default null
)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_last integer := newest.sequence;
begin
  -- Who reads a session that its own one continues is not waited for there.
  if reader.id is null then
    return 0;
  elsif v_last is null then
    select s.last_sequence into v_last from parley.sessions s where s.id = reader.session_id;
  end if;
  after_cursor := coalesce(after_cursor, greatest(reader.cursor, reader.handed_cursor));
  return v_last - after_cursor - parley_private.own_after(reader.session_id, reader.id, after_cursor, newest.nth_of_author);
end;
$$;

grant execute on function parley_private.unread to parley_caller;

-- How many messages of others a cursor jumps over that were never handed to the team; null if none.
create or replace function parley_private.skipped(reader parley.participants, since_cursor integer)
returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  if since_cursor > greatest(reader.cursor, reader.handed_cursor) then
    return nullif(parley_private.unread(reader) - parley_private.unread(reader, since_cursor), 0);
  end if;
  return null;
end;
$$;

-- Whether there is something to hear after a cursor. Mostly the newest message tells: only to its author it says nothing.
create or replace function parley_private.has_messages_after(
  session parley.sessions,
  since_cursor integer,
  reader parley.participants,
  include_self boolean
)
returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  if include_self or session.last_sequence = since_cursor then
    return session.last_sequence > since_cursor;
  end if;
  return exists (
      select from parley.messages m
      where m.session_id = session.id and m.sequence = session.last_sequence and m.caused_by is distinct from reader.id
    )
    or parley_private.unread(reader, since_cursor) > 0;
end;
$$;
