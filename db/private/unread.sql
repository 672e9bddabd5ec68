-- How much of the feed a team has yet to see after a cursor: what others have said, and what the server has said of
-- them. Team by team, so that a team that posts and never waits does not count its own messages again and again; and no
-- further than a thousand, which says the same as more.
create or replace function parley_private.unread(reader parley.participants, after_cursor integer default null)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_after integer := coalesce(after_cursor, reader.cursor);
begin
  return (
    select count(*)
    from (
      select from parley.participants p
      cross join lateral (
        select from parley.messages m
        where m.session_id = p.session_id and m.posted_by = p.id and m.sequence > v_after
        limit 1000
      ) said
      where p.session_id = reader.session_id and p.id <> reader.id
      union all
      select from parley.messages m
      where m.session_id = reader.session_id and m.posted_by is null and m.sequence > v_after
        and m.content ->> 'handle' is distinct from reader.handle
      limit 1000
    ) unread
  );
end;
$$;

grant execute on function parley_private.unread to parley_caller;
