-- How much of the feed a team has yet to see after a cursor: what others have said, and what the server has said of them.
create or replace function parley_private.unread(reader parley.participants, after_cursor integer default null)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_after integer := coalesce(after_cursor, reader.cursor);
begin
  return (
    select s.last_sequence - v_after from parley.sessions s where s.id = reader.session_id
  ) - (
    select count(*) from parley.messages m
    where m.session_id = reader.session_id and m.posted_by = reader.id and m.sequence > v_after
  ) - (
    select count(*) from parley.messages m
    where m.session_id = reader.session_id and m.posted_by is null and m.sequence > v_after
      and m.content ->> 'handle' = reader.handle
  );
end;
$$;

grant execute on function parley_private.unread to parley_caller;
