-- The messages after one cursor up to another, as one reader sees them. Sequences have no gap, so a page is a
-- range of the primary key, as fast at the millionth message as at the first.
create or replace function parley_private.read_feed(session_id uuid, after_cursor integer, through_cursor integer, reader integer)
returns parley.feed_message[]
language sql stable
set search_path = ''
as $$
  select coalesce(
    array_agg(
      row(
        m.id,
        m.sequence,
        m.type,
        coalesce(p.team_name, m.content ->> 'team', m.content ->> 'by'),
        coalesce(p.handle, m.content ->> 'handle'),
        coalesce(p.kind, 'system'),
        coalesce(m.posted_by = reader, false),
        m.content,
        m.posted_at,
        case when m.type = 'system' then m.content ->> 'event' end,
        case when m.type = 'system' then m.content ->> 'by' end,
        case when m.type = 'system' then m.content -> 'changes' end,
        case when m.type = 'system' then m.content ->> 'reason' end,
        case when m.type = 'system' then (m.content ->> 'doc_version')::integer end
      )::parley.feed_message
      order by m.sequence
    ),
    '{}'
  )
  from parley.messages m
  left join parley.participants p on p.session_id = m.session_id and p.id = m.posted_by
  where m.session_id = read_feed.session_id
    and m.sequence > after_cursor
    and m.sequence <= through_cursor;
$$;

grant execute on function parley_private.read_feed to parley_caller;
