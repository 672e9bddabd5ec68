-- The rows are back: what is made from them is made again. Words are, because another PostgreSQL may take texts apart otherwise.
create or replace function parley_private.after_restore()
returns void
language sql volatile
set search_path = ''
as $$
  insert into parley_private.message_words (session_id, sequence, words)
  select m.session_id, m.sequence, parley_private.words_of(m) from parley.messages m;
  select parley_private.index_doc(s.id, s.session_doc_version) from parley.sessions s where s.session_doc_version > 0;
$$;
