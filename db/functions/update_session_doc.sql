create or replace function parley.update_session_doc(session_id text, content text, expected_version integer)
returns parley.written_doc
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_written parley.session_doc_history;
begin
  if content is null then
    perform parley_private.refuse_argument('content', 'content is required; it may be empty.',
      'Send the whole document; to add to it, use append_to_session_doc.');
  elsif expected_version is null or expected_version < 0 then
    perform parley_private.refuse_argument('expected_version', 'expected_version must be 0 or more.',
      'Send the version that you have read: read_session_doc tells it.');
  end if;
  perform parley_private.check_doc_size('content', octet_length(content));
  perform parley_private.refuse_secrets('content', content);

  v_seat := parley_private.lock_seat(session_id);
  v_caller := v_seat.participant;
  perform parley_private.check_version(v_seat.session, expected_version);

  v_written := parley_private.write_doc(
    v_caller, parley_private.doc_at(v_caller.session_id, expected_version), convert_to(content, 'UTF8'));
  return row(v_written.version, v_written.written_at, parley_private.unread(v_caller))::parley.written_doc;
end;
$$;

grant execute on function parley.update_session_doc to parley_caller;

comment on function parley.update_session_doc is $$
@verb POST /sessions/{session_id}/doc
@who team
@toolset core
@clamped
@param content -
@param expected_version -
Replace the whole document. On version_conflict read again, merge, retry.
$$;
