-- How much of the feed a team has yet to see after a cursor, by default after what it was handed last: all of it, without what
-- is its own, which is what it said and what the server said of it. Subtracted, not counted: a team may post for long without
-- ever waiting. Who has just posted knows the newest message already. As the owner, since whoever has a seat may know it: with row
-- security the planner takes a long session for as short as most, and reads the whole of it.
create or replace function parley_private.unread(
  reader parley.participants,
  after_cursor integer default null,
  newest parley.messages default null
)
returns integer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_after  integer := coalesce(after_cursor, greatest(reader.cursor, reader.handed_cursor));
  v_last   integer := newest.sequence;
  v_posted integer := newest.nth_of_author;
begin
  -- Who reads a session that its own one continues is not waited for there.
  if reader.id is null then
    return 0;
  elsif v_last is null then
    select s.last_sequence, (
      select m.nth_of_author from parley.messages m
      where m.session_id = reader.session_id and m.posted_by = reader.id
      order by m.sequence desc limit 1
    ) into v_last, v_posted
    from parley.sessions s where s.id = reader.session_id;
  end if;
  return v_last - v_after - coalesce(v_posted, 0)
    + coalesce((
      select m.nth_of_author from parley.messages m
      where m.session_id = reader.session_id and m.posted_by = reader.id and m.sequence <= v_after
      order by m.sequence desc limit 1
    ), 0)
    - (
      select count(*) from parley.messages m
      where m.session_id = reader.session_id and m.posted_by is null and m.caused_by = reader.id and m.sequence > v_after
    );
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
