create or replace function parley.get_message(session_id text, message_id parley.message_ref)
returns parley.feed_message
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller  parley.participants;
  v_cursor  integer;
  v_message parley.feed_message;
begin
  perform parley_private.check_message_ref('message_id', message_id);
  v_caller := (parley_private.take_seat(session_id, to_read => true)).participant;
  v_cursor := parley_private.find_message(v_caller.session_id, message_id);
  v_message := (parley_private.read_feed(v_caller.session_id, v_cursor - 1, v_cursor, v_caller.id))[1];
  v_message.read_by := (
    select coalesce(parley_private.readers_of(m), '{}') from parley.messages m
    where m.session_id = v_caller.session_id and m.sequence = v_cursor
  );
  v_message.replies := array(
    select m.sequence from parley.messages m
    where m.session_id = v_caller.session_id and m.reply_to = v_cursor and m.posted_by is not null
    order by m.sequence
  );
  v_message.delivery := (
    select parley_private.delivery_of(m) from parley.messages m
    where m.session_id = v_caller.session_id and m.sequence = v_cursor and m.addressed_to is not null
  );
  v_message.unread := parley_private.unread(v_caller);
  return v_message;
end;
$$;

grant execute on function parley.get_message to parley_caller;

comment on function parley.get_message is $$
@verb GET /sessions/{session_id}/messages/{message_id}
@who team
@toolset reading
@readonly
@param message_id Or cursor.
One message, whole: who read it, its replies.
$$;
