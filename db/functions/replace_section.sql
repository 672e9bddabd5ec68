create or replace function parley.replace_section(session_id text, section text, text text, expected_version integer default null)
returns parley.written_doc
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_section text;
  v_seat    parley_private.seat;
  v_doc     bytea;
begin
  v_section := parley_private.check_section(section);
  perform parley_private.check_text('text', replace_section.text, 'append_max', may_be_blank => true);
  if expected_version < 0 then
    perform parley_private.refuse_argument('expected_version', 'expected_version must be 0 or more.',
      'Send the version that you have read: read_session_doc tells it.');
  end if;
  v_seat := parley_private.lock_seat(session_id);
  perform parley_private.check_version(v_seat.session, expected_version);
  v_doc := parley_private.doc_at((v_seat.session).id, (v_seat.session).session_doc_version);
  return parley_private.edit_doc(v_seat, v_doc,
    convert_to(parley_private.with_section_replaced(convert_from(v_doc, 'UTF8'), v_section, replace_section.text), 'UTF8'),
    parley_private.sections_of(replace_section.text, v_section));
end;
$$;

grant execute on function parley.replace_section to parley_caller;

comment on function parley.replace_section is $$
@verb POST /sessions/{session_id}/doc/section
@who team
@toolset doc
@clamped
@param section -
@param text -
@param expected_version Refused if the document has another.
@unlisted expected_version
Replace what stands under a heading of the document.
$$;
