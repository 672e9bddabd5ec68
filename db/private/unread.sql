-- How many messages a team has posted up to a cursor.
create or replace function parley_private.posted_through(session_id uuid, participant_id integer, cursor integer)
returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce((
    select m.nth_of_author from parley.messages m
    where m.session_id = posted_through.session_id
      and m.posted_by = posted_through.participant_id
      and m.sequence <= posted_through.cursor
    order by m.sequence desc
    limit 1
  ), 0);
end;
$$;

grant execute on function parley_private.posted_through to parley_caller;

-- How much of the feed a team has yet to see after a cursor: all of it, without what the team has said itself and what
-- the server has said of it. Subtracted, not counted: a team may post for long without ever waiting.
create or replace function parley_private.unread(reader parley.participants, after_cursor integer default null)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_after integer := coalesce(after_cursor, reader.cursor);
  v_last  integer;
begin
  select s.last_sequence into v_last from parley.sessions s where s.id = reader.session_id;
  if v_last <= v_after then
    return 0;
  end if;
  return v_last - v_after
    - parley_private.posted_through(reader.session_id, reader.id, v_last)
    + parley_private.posted_through(reader.session_id, reader.id, v_after)
    - (
      select count(*) from parley.messages m
      where m.session_id = reader.session_id and m.posted_by is null and m.sequence > v_after and m.sequence <= v_last
        and m.content ->> 'handle' = reader.handle
    );
end;
$$;

grant execute on function parley_private.unread to parley_caller;
