-- The questions that wait for an answer, each for as long as it does: what is open is read here, however much was ever asked.
-- No foreign key: a row comes with its message, which is never changed or deleted.
create table if not exists parley.open_questions (
  session_id uuid not null,
  sequence integer not null,
  asked_by integer not null,
  addressed_to text[],
  constraint open_questions_are_messages primary key (session_id, sequence)
);

-- The inbox of people is read from here, over all sessions.
create index if not exists open_questions_to_humans on parley.open_questions (session_id, sequence) where 'humans' = any (addressed_to);

comment on table parley.open_questions is '@behavior -*
The questions that wait for an answer.';
comment on column parley.open_questions.session_id is 'The session that it was asked in.';
comment on column parley.open_questions.sequence is 'The cursor of the question.';
comment on column parley.open_questions.asked_by is 'Its author, among the participants.';
comment on column parley.open_questions.addressed_to is 'The handles of the teams that were asked, humans for any person; null: everybody.';

alter table parley.open_questions enable row level security;
alter table parley.open_questions force row level security;

drop policy if exists open_questions_are_readable on parley.open_questions;
create policy open_questions_are_readable on parley.open_questions for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = open_questions.session_id offset 0)
);
drop policy if exists open_questions_are_kept_by_the_owner on parley.open_questions;
create policy open_questions_are_kept_by_the_owner on parley.open_questions to parley_owner using (true) with check (true);

grant select on parley.open_questions to parley_caller;

-- A question opens when it is posted; a reply may close the one that it answers. Once closed, none opens again.
create or replace function parley_private.keep_open_questions(newest parley.messages)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if newest.expects_reply and parley_private.is_open(newest) then
    insert into parley.open_questions (session_id, sequence, asked_by, addressed_to)
    values (newest.session_id, newest.sequence, newest.posted_by, newest.addressed_to);
  end if;
  if newest.reply_to is not null then
    perform parley_private.settle_ask(newest);
    delete from parley.open_questions o
    using parley.messages m
    where o.session_id = newest.session_id and o.sequence = newest.reply_to
      and m.session_id = o.session_id and m.sequence = o.sequence
      and not parley_private.is_open(m);
  end if;
end;
$$;

-- Who has left is not waited for.
create or replace function parley_private.tg_participants__close_questions()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from parley.open_questions o
  using parley.messages m
  where o.session_id = new.session_id and new.handle = any (o.addressed_to)
    and m.session_id = o.session_id and m.sequence = o.sequence
    and not parley_private.is_open(m);
  return null;
end;
$$;

drop trigger if exists _300_close_questions on parley.participants;
create trigger _300_close_questions after update of left_at on parley.participants
  for each row execute function parley_private.tg_participants__close_questions();

-- Whoever looks at the inbox of people is told when there is more in it, or less.
create or replace function parley_private.tg_open_questions__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
declare
  v_question parley.open_questions := coalesce(new, old);
begin
  if 'humans' = any (v_question.addressed_to) or v_question.addressed_to is not null and exists (
    select from parley.participants p
    where p.session_id = v_question.session_id and p.kind = 'human' and p.handle = any (v_question.addressed_to)
  ) then
    perform parley_private.notify('inbox ' || v_question.session_id);
  end if;
  return null;
end;
$$;

drop trigger if exists _500_notify on parley.open_questions;
create trigger _500_notify after insert or delete on parley.open_questions
  for each row execute function parley_private.tg_open_questions__notify();
