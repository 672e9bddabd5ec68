-- Which version of a document is indexed; every piece says the same.
create or replace function parley_private.indexed_doc(session_id uuid)
returns integer
language sql stable
return coalesce((select d.version from parley_private.doc_words d where d.session_id = indexed_doc.session_id and d.piece = 1), 0);

-- Pieces overlap a little: what stands where one ends is found in the next. An empty document has one, without words.
create or replace function parley_private.index_doc(session_id uuid, version integer)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  c_size constant integer := 100000;
  v_text text := parley_private.doc_text_at(session_id, version);
begin
  insert into parley_private.doc_words as d (session_id, piece, version, words)
  select index_doc.session_id, piece, index_doc.version,
    to_tsvector('pg_catalog.english', parley_private.in_parts(substr(v_text, (piece - 1) * c_size + 1, c_size + 200)))
  from generate_series(1, greatest(1, ceil(length(v_text)::numeric / c_size)::integer)) piece
  on conflict on constraint doc_words_are_one_row_per_piece do update set version = excluded.version, words = excluded.words
    where d.version < excluded.version;
  delete from parley_private.doc_words d where d.session_id = index_doc.session_id and d.version < index_doc.version;
end;
$$;

-- Run by the worker beside index_words, over the same sessions.
create or replace function parley_private.index_docs(at_most integer default 20)
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session parley.sessions;
  v_count   integer := 0;
begin
  perform parley_private.write_presence_only();
  for v_session in
    select s.* from parley_private.sessions_to_index() i
    join parley.sessions s on s.id = i.id
    where s.session_doc_version > 0 and not exists (
      select from parley_private.doc_words d
      where d.session_id = s.id and d.piece = 1 and d.version >= s.session_doc_version offset 0)
    limit at_most
  loop
    perform parley_private.index_doc(v_session.id, v_session.session_doc_version);
    v_count := v_count + 1;
  end loop;
  return v_count;
end;
$$;

grant execute on function parley_private.index_docs to parley_worker;
