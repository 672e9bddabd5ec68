do $$
begin
  create type parley.withdrawn_question as (message_id uuid, cursor integer, at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.withdrawn_question.at is 'When it was withdrawn.';
comment on column parley.withdrawn_question.unread is 'Messages of others that no answer has handed to you yet.';

-- The feed is never changed: that a question was withdrawn is told by a message of the server that replies to it.
create or replace function parley.withdraw_question(session_id text, message parley.message_ref)
returns parley.withdrawn_question
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat      parley_private.seat;
  v_caller    parley.participants;
  v_cursor    integer;
  v_question  parley.messages;
  v_withdrawn parley.messages;
begin
  if message is null then
    perform parley_private.refuse_argument('message', 'message is required.', 'Send the message_id or the cursor of your question.');
  end if;
  perform parley_private.check_message_ref('message', message);
  v_seat := parley_private.lock_seat(session_id, even_if_closed => true);
  v_caller := v_seat.participant;
  v_cursor := parley_private.find_message(v_caller.session_id, message, 'message');
  select * into v_question from parley.messages m where m.session_id = v_caller.session_id and m.sequence = v_cursor;
  if not v_question.expects_reply then
    perform parley_private.refuse_argument('message', format('Message %s is no question.', v_question.sequence),
      'Give the message_id or the cursor of a question that you have asked.');
  elsif v_question.posted_by <> v_caller.id then
    perform parley_private.fail(403, 'forbidden', 'Only the team that asked a question can withdraw it.',
      'Answer it instead: post_message with kind answer and reply_to.');
  end if;

  select * into v_withdrawn from parley.messages m
  where m.session_id = v_caller.session_id and m.reply_to = v_question.sequence and m.posted_by is null;
  if not found then
    perform parley_private.refuse_if_closed(v_seat.session);
    v_withdrawn := parley_private.append_message(
      v_caller.session_id, null, 'system',
      jsonb_build_object(
        'event', 'question_withdrawn', 'by', v_caller.team_name, 'handle', v_caller.handle, 'cursor', v_question.sequence),
      reply_to => v_question.sequence);
  end if;
  return row(v_question.id, v_question.sequence, v_withdrawn.posted_at, parley_private.unread(v_caller))::parley.withdrawn_question;
end;
$$;

grant execute on function parley.withdraw_question to parley_caller;

comment on function parley.withdraw_question is $$
@verb POST /sessions/{session_id}/messages/{message}/withdraw
@who team
@toolset reading
@idempotent
@param message Its cursor.
Withdraw a question of yours.
$$;
