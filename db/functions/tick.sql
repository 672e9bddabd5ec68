create or replace function parley.tick(session_id text, text text, done boolean default true)
returns parley.written_doc
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat parley_private.seat;
  v_doc  bytea;
begin
  perform parley_private.check_text('text', tick.text, 'reason_max');
  if tick.text ~ '[\r\n]' then
    perform parley_private.refuse_argument('text', 'text must be a part of one line.', 'Send a few words of the line with the checkbox.');
  end if;
  v_seat := parley_private.lock_seat(session_id);
  v_doc := parley_private.doc_at((v_seat.session).id, (v_seat.session).session_doc_version);
  return parley_private.edit_doc(
    v_seat, v_doc, convert_to(parley_private.with_tick(convert_from(v_doc, 'UTF8'), tick.text, coalesce(done, true)), 'UTF8'));
end;
$$;

grant execute on function parley.tick to parley_caller;

comment on function parley.tick is $$
@verb POST /sessions/{session_id}/doc/tick
@who team
@toolset doc
@idempotent
@param text Part of its line.
@param done false takes the tick away.
@unlisted done
Tick a checkbox of the document.
$$;
