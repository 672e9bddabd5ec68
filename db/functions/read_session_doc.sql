do $$
begin
  create type parley.session_doc as (content text, version integer, updated_at timestamptz, updated_by text, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.session_doc.updated_by is 'The handle of the team that wrote this version.';
comment on column parley.session_doc.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley.read_session_doc(session_id text, version integer default null)
returns parley.session_doc
language plpgsql stable
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_current integer;
  v_doc     parley.session_doc;
begin
  if version < 0 then
    perform parley_private.refuse_argument('version', 'version must be 0 or more.', 'Leave it out for the newest; get_session has its number.');
  end if;
  v_seat := parley_private.take_seat(session_id, to_read => true);
  v_caller := v_seat.participant;
  v_current := (v_seat.session).session_doc_version;
  if version > v_current then
    perform parley_private.fail(404, 'version_not_found', format('The document has no version %s.', version),
      'Leave version out to read the newest.', jsonb_build_object('current_version', v_current));
  end if;
  v_current := coalesce(version, v_current);

  select parley_private.doc_text_at(v_caller.session_id, v_current), v_current, h.written_at, author.handle,
    parley_private.unread(v_caller)
  into v_doc
  from (select) as always
  left join parley.session_doc_history h on h.session_id = v_caller.session_id and h.version = v_current
  left join parley.participants author on author.session_id = h.session_id and author.id = h.written_by;
  return v_doc;
end;
$$;

grant execute on function parley.read_session_doc to parley_caller;

comment on function parley.read_session_doc is $$
@verb GET /sessions/{session_id}/doc
@who team
@toolset core
@clamped
@readonly
@param version An older one.
@unlisted version
The shared markdown document and its version.
$$;
