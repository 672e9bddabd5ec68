-- For people: one of the options, or a text of their own. Of two who answer at once one is first.
create or replace function parley.answer_ask(
  session_id text,
  message parley.message_ref,
  option text default null,
  text text default null
)
returns parley.posted_message
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat   parley_private.seat;
  v_caller parley.participants;
  v_ask    parley.asks;
  v_answer parley.messages;
begin
  perform parley_private.check_message_ref('message', message);
  if num_nonnulls(answer_ask.option, answer_ask.text) <> 1 then
    perform parley_private.refuse_argument('option', 'Give an option or a text, and not both.',
      'option is one of the buttons; text is an answer in your own words.');
  end if;
  perform parley_private.check_text(
    case when answer_ask.option is null then 'text' else 'option' end, coalesce(answer_ask.option, answer_ask.text), 'message_max');

  v_seat := parley_private.lock_seat(session_id);
  v_caller := v_seat.participant;
  select * into v_ask from parley.asks a
  where a.session_id = v_caller.session_id
    and a.sequence = parley_private.find_message(v_caller.session_id, message, 'message');
  if v_ask.session_id is null then
    perform parley_private.refuse_argument('message', 'This message was not asked by ask_people.', 'Answer it with post_message and reply_to.');
  end if;
  perform parley_private.refuse_if_answered(v_ask);
  if not parley_private.is_asked(v_ask, v_caller) then
    perform parley_private.fail(403, 'forbidden', 'Somebody else was asked.', 'Say what you think with post_message and reply_to.');
  elsif answer_ask.option is not null and answer_ask.option <> all (v_ask.options) then
    perform parley_private.refuse_argument('option', format('option must be one of: %s.', array_to_string(v_ask.options, ', ')), 'Or answer with a text.');
  end if;

  v_answer := parley_private.append_message(
    v_caller.session_id, v_caller.id, 'chat', jsonb_build_object('text', coalesce(answer_ask.option, answer_ask.text)),
    'answer', v_ask.sequence, metadata => case when answer_ask.option is not null then jsonb_build_object('option', answer_ask.option) end);
  return row(v_answer.id, v_answer.sequence, v_answer.posted_at, parley_private.unread(v_caller, newest => v_answer), null)::parley.posted_message;
end;
$$;

create or replace function parley_private.refuse_if_answered(ask parley.asks)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_answer parley.feed_message;
begin
  if ask.answered_at is null and not parley_private.is_due(ask) then
    return;
  end if;
  v_answer := (parley_private.read_feed(ask.session_id, ask.answer - 1, ask.answer, null))[1];
  perform parley_private.fail(409, 'already_answered',
    case
      when v_answer.sender = 'human' then format('%s was first: this is answered.', v_answer.handle)
      when v_answer.event = 'question_withdrawn' then 'This question was withdrawn.'
      else 'The time to answer this is over.'
    end,
    'Nothing was written. To add something, post_message with reply_to.',
    jsonb_strip_nulls(jsonb_build_object('cursor', v_answer.cursor, 'by', v_answer.handle,
      'answer', case when ask.answer is null then ask.default_answer else v_answer.content ->> 'text' end)));
end;
$$;

grant execute on function parley.answer_ask to parley_caller;

comment on function parley.answer_ask is $$
@verb POST /sessions/{session_id}/messages/{message}/answer
@who person
@toolset people
@param message The question: its message_id or cursor.
@param option One of its options.
@param text Or in your own words.
Answer what was asked by ask_people; the first answer counts.
$$;
