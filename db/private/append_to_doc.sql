-- Needs the size of the document and its last byte, not its text: as cheap at 1 MiB as at the start.
-- The caller holds the lock of the session.
create or replace function parley_private.append_to_doc(author parley.participants, added text)
returns parley.session_doc_history
language plpgsql volatile
set search_path = ''
as $$
declare
  v_size      integer;
  v_ends_line boolean;
  v_inserted  bytea;
begin
  select h.size, d.ends_line into v_size, v_ends_line
  from parley.sessions s
  join parley.session_doc_history h on h.session_id = s.id and h.version = s.session_doc_version
  join parley_private.doc_patches d on d.session_id = h.session_id and d.version = h.version
  where s.id = author.session_id;
  v_inserted := convert_to(case when v_ends_line is false then E'\n' else '' end || added, 'UTF8');
  perform parley_private.check_doc_size('text', coalesce(v_size, 0) + length(v_inserted));
  return parley_private.splice_doc(author, coalesce(v_size, 0), 0, v_inserted);
end;
$$;

-- Reads the document to find the section; stores, as always, only what was put in.
create or replace function parley_private.append_to_section(author parley.participants, section text, added text)
returns parley.session_doc_history
language plpgsql volatile
set search_path = ''
as $$
declare
  v_old bytea := parley_private.doc_at(author.session_id, (select s.session_doc_version from parley.sessions s where s.id = author.session_id));
  v_new bytea := convert_to(parley_private.with_text_in_section(convert_from(v_old, 'UTF8'), section, added), 'UTF8');
begin
  perform parley_private.check_doc_size('text', length(v_new));
  return parley_private.write_doc(author, v_old, v_new);
end;
$$;
