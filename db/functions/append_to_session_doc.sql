-- Needs the size of the document and its last byte, not its text: as cheap at 1 MiB as at the start.
create or replace function parley.append_to_session_doc(session_id text, text text)
returns parley.written_doc
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller    parley.participants;
  v_size      integer;
  v_ends_line boolean;
  v_inserted  bytea;
  v_written   parley.session_doc_history;
begin
  perform parley_private.check_text('text', append_to_session_doc.text, 'append_max');
  v_caller := parley_private.lock_session(session_id);

  select h.size, d.ends_line into v_size, v_ends_line
  from parley.sessions s
  join parley.session_doc_history h on h.session_id = s.id and h.version = s.session_doc_version
  join parley_private.doc_patches d on d.session_id = h.session_id and d.version = h.version
  where s.id = v_caller.session_id;
  v_inserted := convert_to(case when v_ends_line is false then E'\n' else '' end || append_to_session_doc.text, 'UTF8');
  perform parley_private.check_doc_size('text', coalesce(v_size, 0) + length(v_inserted));

  v_written := parley_private.splice_doc(v_caller, coalesce(v_size, 0), 0, v_inserted);
  return row(v_written.version, v_written.written_at)::parley.written_doc;
end;
$$;

grant execute on function parley.append_to_session_doc to parley_caller;

comment on function parley.append_to_session_doc is $$
@verb POST /sessions/{session_id}/doc/append
@who team
@toolset core
@param text Markdown; it starts on a line of its own.
Add to the end of the document in one step. No version needed, no conflict possible.
$$;
