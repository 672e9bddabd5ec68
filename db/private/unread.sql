-- How much of the feed a team has yet to see after a cursor, by default after what it was handed last: all of it, without
-- what the team has said itself and what the server has said of it. Subtracted, not counted: a team may post for long
-- without ever waiting.
create or replace function parley_private.unread(reader parley.participants, after_cursor integer default null)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_after integer := coalesce(after_cursor, greatest(reader.cursor, reader.handed_cursor));
begin
  -- Who reads a session that its own one continues is not waited for there.
  if reader.id is null then
    return 0;
  end if;
  return (
    select s.last_sequence - v_after
      - coalesce((
        select m.nth_of_author from parley.messages m
        where m.session_id = s.id and m.posted_by = reader.id
        order by m.sequence desc limit 1
      ), 0)
      + coalesce((
        select m.nth_of_author from parley.messages m
        where m.session_id = s.id and m.posted_by = reader.id and m.sequence <= v_after
        order by m.sequence desc limit 1
      ), 0)
      - (
        select count(*) from parley.messages m
        where m.session_id = s.id and m.posted_by is null and m.sequence > v_after and m.content ->> 'handle' = reader.handle
      )
    from parley.sessions s
    where s.id = reader.session_id
  );
end;
$$;

grant execute on function parley_private.unread to parley_caller;
