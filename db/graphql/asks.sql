-- What a page needs to show an ask with its buttons, as a field of the GraphQL type Message.
do $$
begin
  create type parley.ask_state as (
    options text[],
    "default" text,
    expires_at timestamptz,
    open boolean,
    answer text,
    answered_by text,
    answered_at timestamptz,
    expired boolean
  );
exception when duplicate_object then null;
end $$;
comment on type parley.ask_state is 'A question to people that is answered once.';
comment on column parley.ask_state.options is 'The answers to choose from; empty: any text.';
comment on column parley.ask_state.default is 'The answer when its time is over.';
comment on column parley.ask_state.expires_at is 'When its time is over; null: never.';
comment on column parley.ask_state.open is 'Whether it can still be answered.';
comment on column parley.ask_state.answer is 'The answer, of a person or of time.';
comment on column parley.ask_state.answered_by is 'The handle of the person who has answered.';
comment on column parley.ask_state.answered_at is 'When it was answered, expired or withdrawn.';
comment on column parley.ask_state.expired is 'Whether its time is over and nobody has answered.';

create or replace function parley.messages_ask(message parley.messages)
returns parley.ask_state
language sql stable
set search_path = ''
as $$
  select row(
    a.options, a.default_answer, a.expires_at,
    s.status = 'active' and a.answered_at is null and not parley_private.is_due(a),
    coalesce(settled.content ->> 'text', case when parley_private.is_due(a) then a.default_answer end),
    person.handle, a.answered_at,
    coalesce((settled.content ->> 'expired')::boolean, parley_private.is_due(a))
  )::parley.ask_state
  from parley.asks a
  join parley.sessions s on s.id = a.session_id
  left join parley.messages settled on settled.session_id = a.session_id and settled.sequence = a.answer
  left join parley.participants person on person.session_id = a.session_id and person.id = settled.posted_by
  where a.session_id = message.session_id and a.sequence = message.sequence and message.expects_reply;
$$;

comment on function parley.messages_ask is 'Null for what was not asked by ask_people.';

grant execute on function parley.messages_ask to parley_caller;
