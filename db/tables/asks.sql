-- Questions to people that are answered once: by a person, or by time. The question is a message like any other; here stands what
-- may be answered, and what was. No foreign key to it: a message is never changed or deleted, except with its session.
create table if not exists parley.asks (
  session_id uuid not null,
  sequence integer not null,
  options text[] not null default '{}',
  default_answer text,
  expires_at timestamptz,
  answered_at timestamptz,
  answer integer,
  constraint asks_are_messages primary key (session_id, sequence),
  constraint asks_belong_to_a_session foreign key (session_id) references parley.sessions (id) on delete cascade
);

-- What the sweep looks for: whose time will be over.
create index if not exists asks_that_expire on parley.asks (expires_at) where answered_at is null and expires_at is not null;

comment on table parley.asks is '@behavior -*
The questions to people that are answered once.';
comment on column parley.asks.session_id is 'The session that it was asked in.';
comment on column parley.asks.sequence is 'The cursor of the question.';
comment on column parley.asks.options is 'The answers to choose from; empty: any text.';
comment on column parley.asks.default_answer is 'The answer when its time is over; null: none.';
comment on column parley.asks.expires_at is 'When its time is over; null: never.';
comment on column parley.asks.answered_at is 'When it was answered, expired or withdrawn; null while it is open.';
comment on column parley.asks.answer is 'The cursor of the message that has settled it; null if the session was concluded first.';

alter table parley.asks enable row level security;
alter table parley.asks force row level security;

drop policy if exists asks_are_readable on parley.asks;
create policy asks_are_readable on parley.asks for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = asks.session_id offset 0)
);
drop policy if exists asks_are_kept_by_the_owner on parley.asks;
create policy asks_are_kept_by_the_owner on parley.asks to parley_owner using (true) with check (true);

grant select on parley.asks to parley_caller;
