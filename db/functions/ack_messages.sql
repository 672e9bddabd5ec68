do $$
begin
  create type parley.acked_messages as (acked_cursor integer, cursor integer, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.acked_messages.unread is 'Messages of others that no answer has handed to you yet.';

-- A silent receipt instead of a "thanks": the others see how far the team has read, and nobody is woken.
create or replace function parley.ack_messages(session_id text, through_cursor integer)
returns parley.acked_messages
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller parley.participants;
begin
  if through_cursor is null then
    perform parley_private.refuse_argument('through_cursor', 'through_cursor is required.', 'Send the cursor of the last message that you have dealt with.');
  end if;
  perform parley_private.check_cursor('through_cursor', through_cursor);
  v_caller := parley_private.ack(parley_private.take_seat(session_id), 'through_cursor', through_cursor);
  return row(v_caller.acked_cursor, v_caller.cursor, parley_private.unread(v_caller))::parley.acked_messages;
end;
$$;

grant execute on function parley.ack_messages to parley_caller;

comment on function parley.ack_messages is $$
@verb POST /sessions/{session_id}/ack
@who team
@toolset reading
@clamped
@idempotent
@param through_cursor -
Say silently how far you have read: others see it, nobody is woken.
$$;
