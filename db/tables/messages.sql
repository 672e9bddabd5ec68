-- The feed: append-only, counted 1, 2, 3 … within its session.
create table if not exists parley.messages (
  session_id uuid not null,
  sequence integer not null,
  id uuid not null,
  posted_by integer,
  type text not null,
  content jsonb not null,
  posted_at timestamptz not null default clock_timestamp(),
  kind text not null default 'message',
  reply_to integer,
  addressed_to text[],
  expects_reply boolean not null default false,
  metadata jsonb,
  client_message_id text,
  nth_of_author integer not null default 0,
  nth_of_kind integer,
  caused_by integer,
  bytes integer not null default 0,
  counted_from integer,
  heard integer,
  hops integer,
  constraint messages_are_counted_per_session primary key (session_id, sequence)
);
-- No foreign keys: who appends holds the lock of the session and has found author and answered message under it, and no row
-- that is referred to is ever deleted alone. What GraphQL follows is said in the comment of the table. No checks and no generated
-- columns either: PostgreSQL reads each of them anew for every post. append_message keeps what they would; a test looks for the rest.

create index if not exists messages_of_a_participant on parley.messages (session_id, posted_by, sequence);
-- What the server says itself is little; to count it, nothing else need be read.
create index if not exists messages_of_the_server on parley.messages (session_id, sequence) where posted_by is null;
create index if not exists messages_of_the_server_about_a_participant on parley.messages (session_id, caused_by, sequence)
  where posted_by is null;
create index if not exists messages_that_reply on parley.messages (session_id, reply_to) where reply_to is not null;
-- A digest finds what it shows, and counts what it does not, without reading the talk between.
create index if not exists messages_of_note on parley.messages (session_id, posted_by, kind, sequence) where nth_of_kind is not null;
create index if not exists messages_that_decide on parley.messages (session_id, sequence) where kind = 'decision';
create unique index if not exists messages_are_posted_once on parley.messages (session_id, posted_by, client_message_id)
  where client_message_id is not null;

comment on table parley.messages is '@foreignKey (session_id) references parley.sessions (id)
@foreignKey (session_id, posted_by) references parley.participants (session_id, id)
@foreignKey (session_id, reply_to) references parley.messages (session_id, sequence)|@fieldName repliedTo|@behavior -manyRelation:resource:connection -manyRelation:resource:list
The feed of a session, in the order in which it was committed.';
comment on column parley.messages.id is 'The message_id.';
comment on column parley.messages.session_id is 'The session that it was posted in.';
comment on column parley.messages.type is 'chat, or system for what the server says itself.';
comment on column parley.messages.posted_at is 'When it was posted.';
comment on column parley.messages.sequence is 'The cursor: 1, 2, 3 … per session, without a gap.';
comment on column parley.messages.posted_by is '@behavior -*
The author; null for what the server says itself.';
comment on column parley.messages.kind is 'What a chat message is: message, question, answer, decision, status or another short word.';
comment on column parley.messages.reply_to is 'The cursor of the message that this one answers.';
comment on column parley.messages.addressed_to is 'The handles of the teams that it is meant for; null: everybody.';
comment on column parley.messages.expects_reply is 'Whether its author waits for an answer.';
comment on column parley.messages.metadata is 'What the author added for programs.';
comment on column parley.messages.client_message_id is '@behavior -*
The key by which a repeated post is recognised.';
comment on column parley.messages.nth_of_author is '@behavior -*
How many its author has posted with it: what is unread is told by subtraction, however long the feed.';
comment on column parley.messages.nth_of_kind is '@behavior -*
How many of its kind its author has posted with it; null for kinds that a digest does not count.';
comment on column parley.messages.caused_by is '@behavior -*
Whose it is: who has said it, or done what the server tells. To that team it is no news.';
comment on column parley.messages.bytes is '@behavior -*
How much of a page it takes, uncut.';
comment on column parley.messages.counted_from is '@behavior -*
How many messages of its author were older than a minute when that was last counted: the newer ones are what posts_per_minute bounds.';
comment on column parley.messages.hops is '@behavior -*
How many messages of agents led to it, one after the other; null for people and the server.';
comment on column parley.messages.heard is '@behavior -*
How far its author had been handed the feed when it posted.';
comment on column parley.messages.content is 'Chat: {"text": …}. System: {"event": …} and the fields of the event.';

alter table parley.messages enable row level security;
alter table parley.messages force row level security;

drop policy if exists messages_are_readable on parley.messages;
create policy messages_are_readable on parley.messages for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = messages.session_id offset 0)
);
-- No policy for update, not even for the owner, and one for delete that lets go of a whole session: remove_session.
drop policy if exists messages_are_read_by_the_owner on parley.messages;
create policy messages_are_read_by_the_owner on parley.messages for select to parley_owner using (true);
drop policy if exists messages_are_appended_by_the_owner on parley.messages;
create policy messages_are_appended_by_the_owner on parley.messages for insert to parley_owner with check (true);
drop policy if exists messages_go_with_their_session on parley.messages;
create policy messages_go_with_their_session on parley.messages for delete to parley_owner
  using (session_id = (select parley_private.session_being_removed()));

grant select on parley.messages to parley_caller;

-- Made of the session's and the cursor, so that the primary key finds it: an index of its own would cost every post.
create or replace function parley_private.message_id(session_id uuid, sequence integer)
returns uuid
language sql immutable
return overlay(overlay(session_id::text placing '8' from 15) placing lpad(to_hex(sequence), 8, '0') from 29)::uuid;

-- For a row that is written by hand: append_message gives the id itself.
create or replace function parley_private.tg_messages__name()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  new.id := parley_private.message_id(new.session_id, new.sequence);
  return new;
end;
$$;

create or replace function parley_private.tg_messages__append_only()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  if tg_op <> 'DELETE' or not parley_private.removes_a_session() then
    perform parley_private.fail(403, 'forbidden', 'Messages are never changed or deleted.', 'Post another one that corrects it: reply_to names the first.');
  end if;
  return null;
end;
$$;

-- What follows from a message. The caller holds the lock of the session: nobody else counts at the same time.
create or replace function parley_private.tell_of(newest parley.messages)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.note_topic('feed ' || newest.session_id);
  if newest.expects_reply or newest.reply_to is not null then
    perform parley_private.keep_open_questions(newest);
  end if;
  if newest.kind in ('blocker', 'blocked', 'status') or newest.reply_to is not null then
    perform parley_private.keep_blockers(newest);
  end if;
end;
$$;

create or replace function parley_private.tg_messages__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.tell_of(new);
  return null;
end;
$$;

-- Row security does not bind a superuser; this does, also one that calls itself a replica.
drop trigger if exists _100_append_only on parley.messages;
create trigger _100_append_only before update or delete or truncate on parley.messages
  for each statement execute function parley_private.tg_messages__append_only();
alter table parley.messages enable always trigger _100_append_only;
drop trigger if exists _050_name on parley.messages;
create trigger _050_name before insert on parley.messages
  for each row when (new.id is null) execute function parley_private.tg_messages__name();
alter table parley.messages enable always trigger _050_name;
-- Nobody has counted the bytes of a row that is written by hand: whoever posts tells of it itself, which costs less than a trigger.
drop trigger if exists _500_notify on parley.messages;
create trigger _500_notify after insert on parley.messages
  for each row when (new.bytes = 0) execute function parley_private.tg_messages__notify();
