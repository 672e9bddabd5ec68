-- What search finds messages by, apart from them: to index the words of a text costs more than to keep it. They follow in
-- batches, in the order of the feed and without a gap, so that the last one here says how far a session is indexed. What is
-- not yet here, search reads itself.
create table if not exists parley_private.message_words (
  session_id uuid not null,
  sequence integer not null,
  words tsvector,
  constraint message_words_are_one_row_per_message primary key (session_id, sequence)
);

comment on table parley_private.message_words is '@backup none
The words of the messages, indexed.';
comment on column parley_private.message_words.session_id is 'The session.';
comment on column parley_private.message_words.sequence is 'The cursor of the message.';
comment on column parley_private.message_words.words is 'Null for what the server says itself: that is not searched.';

create index if not exists message_words_are_searched on parley_private.message_words using gin (words) where words is not null;

alter table parley_private.message_words enable row level security;
alter table parley_private.message_words force row level security;

drop policy if exists message_words_are_kept_by_the_owner on parley_private.message_words;
create policy message_words_are_kept_by_the_owner on parley_private.message_words to parley_owner using (true) with check (true);

-- Paths and names are found by their parts: refunds in src/refunds/index.ts. By replace, which looks for bytes where translate takes
-- every sign apart.
create or replace function parley_private.in_parts(text text)
returns text
language sql immutable
return replace(replace(replace(text, '/', ' '), '.', ' '), '_', ' ');

grant execute on function parley_private.in_parts to parley_caller;

-- The session is a word among the others, so that one index serves searches inside a session; a text is read up to a length
-- that always fits.
create or replace function parley_private.words_of(message parley.messages)
returns tsvector
language sql immutable
return case when message.type = 'chat'
  then to_tsvector('pg_catalog.english', parley_private.in_parts(left(message.content ->> 'text', 100000)))
    || array_to_tsvector(array['session:' || message.session_id::text])
end;
