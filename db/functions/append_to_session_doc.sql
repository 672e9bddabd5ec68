create or replace function parley.append_to_session_doc(
  session_id text,
  text text,
  section text default null,
  idempotency_key text default null
)
returns parley.written_doc
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_section     text;
  v_fingerprint bytea;
  v_seat        parley_private.seat;
  v_caller      parley.participants;
  v_before      record;
  v_written     parley.session_doc_history;
begin
  perform parley_private.check_text('text', append_to_session_doc.text, 'append_max');
  if section is not null then
    v_section := parley_private.check_section(section);
  end if;
  perform parley_private.check_key('idempotency_key', idempotency_key);
  v_seat := parley_private.lock_seat(session_id, even_if_closed => true, even_if_paused => true);
  v_caller := v_seat.participant;

  v_fingerprint := sha256(convert_to(jsonb_build_array(append_to_session_doc.text, v_section)::text, 'UTF8'));
  select k.fingerprint, h.version, h.written_at into v_before
  from parley_private.doc_keys k join parley.session_doc_history h on h.session_id = k.session_id and h.version = k.version
  where k.session_id = v_caller.session_id and k.participant_id = v_caller.id and k.key = idempotency_key;
  if found then
    if v_before.fingerprint <> v_fingerprint then
      perform parley_private.refuse_other_content('idempotency_key', idempotency_key, jsonb_build_object('version', v_before.version));
    end if;
    return row(v_before.version, v_before.written_at, parley_private.unread(v_caller))::parley.written_doc;
  end if;
  perform parley_private.refuse_if_closed(v_seat.session);
  perform parley_private.refuse_if_paused(v_seat);

  if v_section is null then
    v_written := parley_private.append_to_doc(v_caller, append_to_session_doc.text);
  else
    v_written := parley_private.append_to_section(v_caller, v_section, append_to_session_doc.text);
  end if;
  if idempotency_key is not null then
    insert into parley_private.doc_keys (session_id, participant_id, key, version, fingerprint)
    values (v_caller.session_id, v_caller.id, idempotency_key, v_written.version, v_fingerprint);
  end if;
  return row(v_written.version, v_written.written_at, parley_private.unread(v_caller))::parley.written_doc;
end;
$$;

grant execute on function parley.append_to_session_doc to parley_caller;

comment on function parley.append_to_session_doc is $$
@verb POST /sessions/{session_id}/doc/append
@who team
@toolset core
@param text -
@param section E.g. Decisions; made if missing.
@param idempotency_key Repeat to retry.
@unlisted idempotency_key
Add markdown to the document, without conflicts.
$$;
