do $$
begin
  create type parley.posted_message as (message_id uuid, cursor integer, at timestamptz, unread integer, not_listening text[]);
exception when duplicate_object then null;
end $$;
comment on column parley.posted_message.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.posted_message.not_listening is '@optional
Those it is meant for who are not there to hear it now.';

create or replace function parley.post_message(
  session_id text,
  content jsonb,
  type text default 'chat',
  kind text default null,
  reply_to parley.message_ref default null,
  "to" text[] default null,
  expects_reply boolean default null,
  metadata jsonb default null,
  client_message_id text default null,
  expected_cursor integer default null
)
returns parley.posted_message
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_draft   parley_private.draft := row(null, kind, reply_to, "to", expects_reply, metadata, client_message_id);
  v_bounds  parley_private.post_bounds;
  v_seat    parley_private.seat;
  v_message parley.messages;
begin
  if type is distinct from 'chat' then
    perform parley_private.fail(400, 'system_type_forbidden', 'Only chat messages can be posted; other types are written by the server.',
      'Leave type out, or send "chat".', jsonb_build_object('field', 'type'));
  end if;
  select * into v_bounds from parley_private.post_bounds b where b.only_one;
  v_draft := parley_private.check_draft('', v_draft, content, v_bounds);
  if expected_cursor is not null then
    perform parley_private.check_cursor('expected_cursor', expected_cursor);
  end if;

  v_seat := parley_private.lock_seat(session_id, even_if_closed => true, even_if_paused => true);
  v_message := parley_private.post_draft(v_seat, v_draft, v_bounds, expected_cursor => expected_cursor);
  return row(
    v_message.id,
    v_message.sequence,
    v_message.posted_at,
    parley_private.unread(v_seat.participant, newest => case when v_message.sequence > (v_seat.session).last_sequence then v_message end),
    case when v_message.expects_reply or v_message.addressed_to is not null
      then parley_private.not_listening(v_seat.participant, v_message.addressed_to)
    end
  )::parley.posted_message;
end;
$$;

grant execute on function parley.post_message to parley_caller;

comment on function parley.post_message is $$
@verb POST /sessions/{session_id}/messages
@who team
@toolset core
@together
@clamped
@param content -
@schema content {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}]}
@param type Only chat.
@param kind question, answer, decision, status …
@param reply_to message_id or cursor.
@param to Handles, or humans; everyone still sees it.
@param expects_reply Default: for a question.
@param metadata For programs.
@schema metadata {"type": "object", "properties": {}}
@param client_message_id Repeat to retry.
@param expected_cursor Refused if others spoke since.
@unlisted type, expects_reply
Post a message. Whoever waits gets it at once.
$$;
