--! Previous: sha1:ae14352e1aa62eeabaaa9cddea38b5c48bed7c91
--! Hash: sha1:9c214824a448349d992407c79a12fd1b8395fac3
--! Message: search everywhere

--! Included tables/doc_words.sql
-- What the search over all sessions finds documents by. They follow what is written, as message_words do; a document is taken in
-- pieces, since the words of one text have a limit. What a search finds here it looks up in the document as it is now.
create table if not exists parley_private.doc_words (
  session_id uuid not null,
  piece integer not null,
  version integer not null,
  words tsvector not null,
  constraint doc_words_are_one_row_per_piece primary key (session_id, piece)
);

comment on table parley_private.doc_words is '@backup none
The words of the documents, indexed.';
comment on column parley_private.doc_words.session_id is 'The session.';
comment on column parley_private.doc_words.piece is '1, 2, 3 …, so many characters each.';
comment on column parley_private.doc_words.version is 'The version of the document that they are of.';
comment on column parley_private.doc_words.words is 'Its words.';

create index if not exists doc_words_are_searched on parley_private.doc_words using gin (words);

alter table parley_private.doc_words enable row level security;
alter table parley_private.doc_words force row level security;

drop policy if exists doc_words_are_kept_by_the_owner on parley_private.doc_words;
create policy doc_words_are_kept_by_the_owner on parley_private.doc_words to parley_owner using (true) with check (true);
--! EndIncluded tables/doc_words.sql

do $$
begin
  create type parley.found_place as (
    id text,
    place text,
    session_id uuid,
    ref text,
    title text,
    cursor integer,
    team_name text,
    section text,
    snippet text[],
    at timestamptz
  );
exception when duplicate_object then null;
end $$;
