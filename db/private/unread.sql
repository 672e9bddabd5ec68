-- How much of the feed a team has yet to see after a cursor: what others have said, and what the server has said of
-- them. Few messages are counted as they come; many team by team, so that a team that posts and never waits does not
-- count its own again and again; and no further than a thousand, which says the same as more.
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
  elsif v_last - v_after <= 200 then
    return (
      select count(*) from parley.messages m
      where m.session_id = reader.session_id and m.sequence > v_after and m.sequence <= v_last
        and (m.posted_by <> reader.id or m.posted_by is null and m.content ->> 'handle' is distinct from reader.handle)
    );
  end if;
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
