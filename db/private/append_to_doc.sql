-- Needs the size of the document and how it ends, not its text: as cheap at 1 MiB as at the start. How it ends is told by
-- what was written last, unless that was written in its middle. Read as single bytes: a letter may be cut there, and the
-- marks of markdown are plain ones. The caller holds the lock of the session.
create or replace function parley_private.append_to_doc(author parley.participants, added text)
returns parley.session_doc_history
language plpgsql volatile
set search_path = ''
as $$
declare
  v_size     integer;
  v_version  integer;
  v_end      bytea;
  v_before   text;
  v_inserted bytea;
  v_sections text[];
begin
  select h.size, h.version, case when d.start_at + length(d.inserted) = h.size then d.inserted end,
    case when not d.key_frame then h.sections end
  into v_size, v_version, v_end, v_sections
  from parley.sessions s
  join parley.session_doc_history h on h.session_id = s.id and h.version = s.session_doc_version
  join parley_private.doc_patches d on d.session_id = h.session_id and d.version = h.version
  where s.id = author.session_id;
  if v_size > 0 and coalesce(length(v_end), 0) = 0 then
    v_end := parley_private.doc_at(author.session_id, v_version);
    v_sections := null;
  end if;
  v_before := convert_from(substring(coalesce(v_end, '') from greatest(coalesce(length(v_end), 0) - 20000, 1)), 'LATIN1');
  v_inserted := convert_to(
    parley_private.break_between(v_before, added, parley_private.line_break_of(v_before)) || added, 'UTF8');
  perform parley_private.check_doc_size('text', coalesce(v_size, 0) + length(v_inserted));
  v_sections := coalesce(v_sections, array[parley_private.last_heading(v_end)]);
  return parley_private.splice_doc(author, coalesce(v_size, 0), 0, v_inserted,
    parley_private.sections_of(added, v_sections[cardinality(v_sections)]));
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
  return parley_private.write_doc(author, v_old, v_new, parley_private.sections_of(added, section));
end;
$$;
