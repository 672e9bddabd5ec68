-- A message in a line or two, for lists that are read to get the picture.
create or replace function parley_private.as_note(message parley.messages)
returns parley.note
language sql stable
set search_path = ''
as $$
  select row(
    message.sequence,
    message.id,
    p.handle,
    message.addressed_to,
    case when char_length(message.content ->> 'text') > 280 then left(message.content ->> 'text', 279) || '…' else message.content ->> 'text' end,
    message.posted_at
  )::parley.note
  from parley.participants p
  where p.session_id = message.session_id and p.id = message.posted_by;
$$;

grant execute on function parley_private.as_note to parley_caller;

-- Questions, and whatever else expects a reply, until somebody answers or one of those who were asked replies; asking
-- back or telling how far one is answers nothing.
create or replace function parley_private.open_questions(session_id uuid, after_cursor integer default 0)
returns setof parley.messages
language sql stable
set search_path = ''
as $$
  select m.* from parley.messages m
  where m.session_id = open_questions.session_id
    and m.sequence > after_cursor
    -- As the index messages_of_note says it, so that it is used.
    and (m.kind <> 'message' or m.expects_reply)
    and m.expects_reply
    and not exists (
      select from parley.messages r
      join parley.participants author on author.session_id = r.session_id and author.id = r.posted_by
      where r.session_id = m.session_id and r.reply_to = m.sequence
        and (r.kind = 'answer'
          or r.posted_by <> m.posted_by and r.kind not in ('question', 'status')
            and (m.addressed_to is null or author.handle = any (m.addressed_to)))
    )
  order by m.sequence desc;
$$;

grant execute on function parley_private.open_questions to parley_caller;
