-- A text as lists show it.
create or replace function parley_private.shortened(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select case when char_length(text) > 280 then left(text, 279) || '…' else text end;
$$;

grant execute on function parley_private.shortened to parley_caller;

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
    parley_private.shortened(message.content ->> 'text'),
    message.posted_at
  )::parley.note
  from parley.participants p
  where p.session_id = message.session_id and p.id = message.posted_by;
$$;

grant execute on function parley_private.as_note to parley_caller;

-- Whether a team has answered a question; asking back or telling how far one is answers nothing.
create or replace function parley_private.has_answered(question parley.messages, participant_id integer)
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from parley.messages r
    where r.session_id = question.session_id and r.reply_to = question.sequence
      and r.posted_by = participant_id and r.kind not in ('question', 'status')
  );
$$;

grant execute on function parley_private.has_answered to parley_caller;

-- Which of the teams that were asked by name have yet to answer. Who has left is not waited for; who left after the close
-- was there to the end.
create or replace function parley_private.yet_to_answer(question parley.messages)
returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(p.handle order by p.id)
  from parley.participants p
  join parley.sessions s on s.id = p.session_id
  where p.session_id = question.session_id
    and p.handle = any (question.addressed_to)
    and p.id <> question.posted_by
    and (p.left_at is null or p.left_at > s.closed_at)
    and not parley_private.has_answered(question, p.id);
$$;

grant execute on function parley_private.yet_to_answer to parley_caller;

-- Questions, and whatever else expects a reply: to everybody until the first answer or reply, to some until each of them has
-- answered. Their author may answer them itself, or withdraw them.
create or replace function parley_private.open_questions(session_id uuid, after_cursor integer default 0)
returns setof parley.messages
language sql stable
set search_path = ''
as $$
  select m.* from parley.messages m
  where m.session_id = open_questions.session_id
    and m.sequence > after_cursor
    and m.expects_reply
    and not exists (
      select from parley.messages r
      where r.session_id = m.session_id and r.reply_to = m.sequence
        and (r.posted_by is null
          or r.kind = 'answer' and (m.addressed_to is null or r.posted_by = m.posted_by)
          or m.addressed_to is null and r.posted_by <> m.posted_by and r.kind not in ('question', 'status'))
    )
    and (m.addressed_to is null or parley_private.yet_to_answer(m) is not null)
  order by m.sequence desc;
$$;

grant execute on function parley_private.open_questions to parley_caller;
