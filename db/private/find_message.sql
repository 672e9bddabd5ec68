-- A message is named by its message_id or, shorter, by its cursor. What cannot be either is refused like any other
-- argument, before the session is looked for.
create or replace function parley_private.check_message_ref(field text, message text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if length(message) > 36 or message !~* '^([0-9]{1,9}|[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12})$' then
    perform parley_private.refuse_argument(field, format('%s must be the message_id or the cursor of a message.', field),
      'Both stand with every message: wait_for_messages and get_history have them.');
  end if;
end;
$$;

grant execute on function parley_private.check_message_ref to parley_caller;

create or replace function parley_private.find_message(session_id uuid, message text, field text default 'message_id')
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_sequence integer;
begin
  if message ~ '^[0-9]{1,9}$' then
    select m.sequence into v_sequence from parley.messages m
    where m.session_id = find_message.session_id and m.sequence = message::integer;
  else
    -- A message_id ends with the cursor; whether the rest is right, the message itself tells.
    select m.sequence into v_sequence from parley.messages m
    where m.session_id = find_message.session_id
      and m.sequence = ('x' || right(message::uuid::text, 8))::bit(32)::integer
      and m.id = message::uuid;
  end if;
  if v_sequence is null then
    perform parley_private.fail(404, 'message_not_found', 'This session has no such message.',
      'Give the message_id or the cursor of a message that you got from this session.', jsonb_build_object('field', field));
  end if;
  return v_sequence;
end;
$$;

grant execute on function parley_private.find_message to parley_caller;
