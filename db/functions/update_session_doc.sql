create or replace function parley.update_session_doc(session_id text, content text, expected_version integer)
returns parley.written_doc
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller  parley.participants;
  v_current integer;
  v_author  text;
  v_written parley.session_doc_history;
begin
  if content is null then
    perform parley_private.refuse_argument('content', 'content is required; it may be empty.');
  elsif expected_version is null or expected_version < 0 then
    perform parley_private.refuse_argument('expected_version', 'expected_version must be 0 or more.');
  end if;
  perform parley_private.check_doc_size('content', octet_length(content));
  perform parley_private.refuse_secrets('content', content);

  v_caller := (parley_private.lock_seat(session_id)).participant;
  select s.session_doc_version, author.handle into v_current, v_author
  from parley.sessions s
  left join parley.session_doc_history h on h.session_id = s.id and h.version = s.session_doc_version
  left join parley.participants author on author.session_id = s.id and author.id = h.written_by
  where s.id = v_caller.session_id;
  if v_current <> expected_version then
    perform parley_private.fail(409, 'version_conflict',
      format('The document is at version %s, not %s.', v_current, expected_version),
      format('Read it again, put your changes into version %s and send expected_version %s. To add a note, append_to_session_doc needs no version.', v_current, v_current),
      jsonb_build_object('current_version', v_current, 'expected_version', expected_version, 'updated_by', v_author));
  end if;

  v_written := parley_private.write_doc(
    v_caller, parley_private.doc_at(v_caller.session_id, v_current), convert_to(content, 'UTF8'));
  return row(v_written.version, v_written.written_at, parley_private.unread(v_caller))::parley.written_doc;
end;
$$;

grant execute on function parley.update_session_doc to parley_caller;

comment on function parley.update_session_doc is $$
@verb POST /sessions/{session_id}/doc
@who team
@toolset core
@clamped
@param content All of it.
@param expected_version The version you changed.
Replace the document. On version_conflict read again, merge, retry.
$$;
