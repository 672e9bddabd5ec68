-- A text up to so many characters, with a mark where it was cut.
create or replace function parley_private.cut(text text, longest integer)
returns text
language sql immutable
set search_path = ''
as $$
  select case when char_length(text) > longest then left(text, longest - 1) || '…' else text end;
$$;

-- The end of a text, from the beginning of a line on.
create or replace function parley_private.last_lines(text text, longest integer)
returns text
language sql immutable
set search_path = ''
as $$
  select case when char_length(text) > longest then '…' || regexp_replace(right(text, longest), '^[^\n]*\n', '') else text end;
$$;

-- A text as lists show it.
create or replace function parley_private.shortened(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select parley_private.cut(text, 280);
$$;

grant execute on function parley_private.cut, parley_private.last_lines, parley_private.shortened to parley_caller;

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
    message.posted_at,
    null,
    p.kind,
    nullif(p.guest, false)
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

-- Whether any person has: what humans are asked, one of them answers.
create or replace function parley_private.people_have_answered(question parley.messages)
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from parley.messages r
    join parley.participants p on p.session_id = r.session_id and p.id = r.posted_by and p.kind = 'human'
    where r.session_id = question.session_id and r.reply_to = question.sequence and r.kind not in ('question', 'status')
  );
$$;

grant execute on function parley_private.people_have_answered to parley_caller;

-- Which of the teams that were asked by name have yet to answer. Who has left is not waited for; who left after the close
-- was there to the end. An ask is answered once, whoever was asked.
create or replace function parley_private.yet_to_answer(question parley.messages)
returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(asked.handle order by asked.nth)
  from (
    select p.handle, p.id as nth
    from parley.participants p
    join parley.sessions s on s.id = p.session_id
    where p.session_id = question.session_id
      and p.handle = any (question.addressed_to)
      and p.id <> question.posted_by
      and (p.left_at is null or p.left_at > s.closed_at)
      and not parley_private.has_answered(question, p.id)
    union all
    select 'humans', 0
    where 'humans' = any (question.addressed_to) and not parley_private.people_have_answered(question)
  ) asked
  where not exists (
    select from parley.asks a
    where a.session_id = question.session_id and a.sequence = question.sequence and a.answered_at is not null
  );
$$;

grant execute on function parley_private.yet_to_answer to parley_caller;

-- An open question: who is still waited for is said where it is not everybody that was asked.
create or replace function parley_private.as_open_question(question parley.messages)
returns parley.note
language plpgsql stable
set search_path = ''
as $$
declare
  v_note parley.note := parley_private.as_note(question);
begin
  if cardinality(question.addressed_to) > 1 then
    v_note.waiting_for := parley_private.yet_to_answer(question);
    if cardinality(v_note.waiting_for) = cardinality(question.addressed_to) then
      v_note.waiting_for := null;
    end if;
  end if;
  return v_note;
end;
$$;

grant execute on function parley_private.as_open_question to parley_caller;

-- Questions, and whatever else expects a reply: to everybody until the first answer or reply, to some until each of them has
-- answered, and an ask until it is settled. Their author may answer them itself, or withdraw them.
create or replace function parley_private.is_open(question parley.messages)
returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce(
    (select a.answered_at is null from parley.asks a where a.session_id = question.session_id and a.sequence = question.sequence),
    not exists (
      select from parley.messages r
      where r.session_id = question.session_id and r.reply_to = question.sequence
        and (r.posted_by is null
          or r.kind = 'answer' and (question.addressed_to is null or r.posted_by = question.posted_by)
          or question.addressed_to is null and r.posted_by <> question.posted_by and r.kind not in ('question', 'status'))
    )
    and (question.addressed_to is null or parley_private.yet_to_answer(question) is not null));
$$;

-- Those of a session, newest first. Without a search_path of its own, so that it becomes part of the statement that reads it,
-- and who wants a few reads a few: each message by its cursor, not all that were ever said beside them.
create or replace function parley_private.open_questions(session_id uuid, after_cursor integer default 0)
returns setof parley.messages
language sql stable
as $$
  select (asked.message).* from parley.open_questions o
  cross join lateral (select m as message from parley.messages m where m.session_id = o.session_id and m.sequence = o.sequence offset 0) asked
  where o.session_id = open_questions.session_id and o.sequence > after_cursor
  order by o.sequence desc;
$$;

-- And those that wait for one team.
create or replace function parley_private.open_questions_to(team parley.participants)
returns setof parley.messages
language sql stable
as $$
  select (asked.message).* from parley.open_questions o
  cross join lateral (select m as message from parley.messages m where m.session_id = o.session_id and m.sequence = o.sequence offset 0) asked
  where o.session_id = team.session_id
    and o.asked_by <> team.id
    and (o.addressed_to is null or o.addressed_to && array[team.handle, case team.kind when 'human' then 'humans' end])
    and (o.addressed_to is null or team.kind = 'human' and 'humans' = any (o.addressed_to)
      or not parley_private.has_answered(asked.message, team.id))
  order by o.sequence desc;
$$;

grant execute on function parley_private.open_questions, parley_private.open_questions_to to parley_caller;
