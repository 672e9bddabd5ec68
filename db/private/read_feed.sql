-- The teams that were there when a message came, or have replayed it, and have said that they have read it, whether they
-- are still there or not; null while there is none.
create or replace function parley_private.readers_of(message parley.messages)
returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(p.handle order by p.id)
  from parley.participants p
  where p.session_id = message.session_id
    and p.acked_cursor >= message.sequence
    and p.started_from < message.sequence
    and p.id is distinct from message.posted_by;
$$;

grant execute on function parley_private.readers_of to parley_caller;

-- A list of texts, as JSON has it; null where there is none.
create or replace function parley_private.texts_of(list jsonb)
returns text[]
language sql immutable
return (select array_agg(item order by nth) from jsonb_array_elements_text(list) with ordinality as i (item, nth));

grant execute on function parley_private.texts_of to parley_caller;

-- The messages after one cursor up to another, as one reader sees them. Sequences have no gap, so a page is a
-- range of the primary key, as fast at the millionth message as at the first. Texts longer than text_max are cut;
-- with receipts, the reader's own messages tell who has read them. picked: these of the range alone.
create or replace function parley_private.read_feed(
  session_id uuid,
  after_cursor integer,
  through_cursor integer,
  reader integer,
  text_max integer default null,
  receipts boolean default false,
  picked integer[] default null
)
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
        case when cut.length is null then m.content else jsonb_build_object('text', left(m.content ->> 'text', text_max)) end,
        m.posted_at,
        case when m.type = 'system' then m.content ->> 'event' end,
        case when m.type = 'system' then m.content ->> 'by' end,
        case when m.type = 'system' then m.content -> 'changes' end,
        case when m.type = 'system' then m.content ->> 'reason' end,
        case when m.type = 'system' then (m.content ->> 'doc_version')::integer end,
        case when m.type = 'chat' then m.kind end,
        case when m.reply_to is not null
          then (select q.id from parley.messages q where q.session_id = m.session_id and q.sequence = m.reply_to)
        end,
        m.reply_to,
        m.addressed_to,
        nullif(m.expects_reply, false),
        m.metadata,
        case when cut.length is not null then true end,
        cut.length,
        case when receipts and m.posted_by = reader then parley_private.readers_of(m) end,
        null,
        null,
        case when m.type = 'system' then m.content ->> 'ref' end,
        case when m.type = 'system' then m.content ->> 'title' end,
        case when m.type = 'system' then m.content ->> 'conclusion' end,
        case when m.type = 'system' then (m.content ->> 'task')::integer end,
        case when m.type = 'system' then m.content -> 'tasks' end,
        case when m.type = 'system' then m.content ->> 'result' end,
        case when m.type = 'system' then (m.content ->> 'passed')::boolean end,
        case when m.type = 'system' then parley_private.texts_of(m.content -> 'paths') end,
        case when m.type = 'system' then parley_private.texts_of(m.content -> 'teams') end,
        nullif(p.guest, false),
        case when m.type = 'system' then m.content ->> 'answer' end,
        case when m.type = 'system' then (m.content ->> 'expired')::boolean end,
        null
      )::parley.feed_message
      order by m.sequence
    ),
    '{}'
  )
  from parley.messages m
  left join parley.participants p on p.session_id = m.session_id and p.id = m.posted_by
  left join lateral (select char_length(m.content ->> 'text')) as cut (length)
    on text_max is not null and m.type = 'chat' and cut.length > text_max
  where m.session_id = read_feed.session_id
    and m.sequence > after_cursor
    and m.sequence <= through_cursor
    and (picked is null or m.sequence = any (picked));
$$;

grant execute on function parley_private.read_feed to parley_caller;
