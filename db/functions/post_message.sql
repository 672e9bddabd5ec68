create or replace function parley.post_message(session_id text, content jsonb, type text default 'chat')
returns parley.posted_message
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_text    text;
  v_caller  parley.participants;
  v_message parley.messages;
begin
  if type is distinct from 'chat' then
    perform parley_private.fail(400, 'system_type_forbidden', 'Only chat messages can be posted; other types are written by the server.',
      'Leave type out, or send "chat".', jsonb_build_object('field', 'type'));
  end if;
  v_text := case jsonb_typeof(content)
    when 'string' then content #>> '{}'
    when 'object' then case when jsonb_typeof(content -> 'text') = 'string' then content ->> 'text' end
  end;
  if v_text is null then
    perform parley_private.refuse_argument('content', 'content must be {"text": "…"} or a string.');
  elsif jsonb_typeof(content) = 'object' and content ? 'event' then
    perform parley_private.fail(400, 'system_type_forbidden', 'Events are written by the server.',
      'Send content as {"text": "…"}.', jsonb_build_object('field', 'content'));
  elsif jsonb_typeof(content) = 'object' and content <> jsonb_build_object('text', v_text) then
    perform parley_private.refuse_argument('content', 'content may hold text and nothing else.');
  end if;
  perform parley_private.check_text('content', v_text, 'message_max');

  v_caller := parley_private.lock_session(session_id);
  v_message := parley_private.append_message(v_caller.session_id, v_caller.id, 'chat', jsonb_build_object('text', v_text));
  return row(v_message.id, v_message.sequence, v_message.posted_at)::parley.posted_message;
end;
$$;

grant execute on function parley.post_message to parley_caller;

comment on function parley.post_message is $$
@verb POST /sessions/{session_id}/messages
@who team
@toolset core
@param content {"text": "…"} or a plain string; markdown is allowed.
@param type Only "chat", which is the default.
Post a message. Everyone who waits in the session gets it at once.
$$;
