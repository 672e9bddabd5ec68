-- The messages of an outbox, checked; a plain string is a message of that text.
create or replace function parley_private.read_outbox(outbox jsonb)
returns parley_private.draft[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_drafts parley_private.draft[] := '{}';
  v_bounds parley_private.post_bounds;
  v_item   jsonb;
  v_place  text;
  v_field  text;
begin
  if jsonb_typeof(outbox) <> 'array' then
    perform parley_private.refuse_argument('outbox', 'outbox must be a list of messages.', 'Send ["…"] or [{"content": "…", "kind": "answer", "reply_to": 12}].');
  elsif jsonb_array_length(outbox) > parley_private.setting('outbox_max') then
    perform parley_private.refuse_argument('outbox', format('outbox has %s messages; at most %s are allowed.',
      jsonb_array_length(outbox), parley_private.setting('outbox_max')), 'Split it over several calls.');
  end if;

  select * into v_bounds from parley_private.post_bounds b where b.only_one;
  for n in 0 .. jsonb_array_length(outbox) - 1 loop
    v_place := format('outbox[%s].', n);
    v_item := case when jsonb_typeof(outbox -> n) = 'object' then outbox -> n else jsonb_build_object('content', outbox -> n) end;
    select key into v_field from jsonb_object_keys(v_item) as key
    where key not in ('content', 'kind', 'reply_to', 'to', 'expects_reply', 'metadata', 'client_message_id');
    if found then
      perform parley_private.refuse_secrets(v_place || 'content', v_field);
      perform parley_private.refuse_argument(v_place || v_field, format('A message has no field %s.', to_json(v_field)),
        'It has content, kind, reply_to, to, expects_reply, metadata and client_message_id.');
    end if;
    perform parley_private.check_type(v_place, v_item, 'kind', '{string}');
    perform parley_private.check_type(v_place, v_item, 'reply_to', '{string,number}');
    perform parley_private.check_type(v_place, v_item, 'to', '{array}');
    perform parley_private.check_type(v_place, v_item, 'expects_reply', '{boolean}');
    perform parley_private.check_type(v_place, v_item, 'metadata', '{object}');
    perform parley_private.check_type(v_place, v_item, 'client_message_id', '{string}');
    v_drafts := v_drafts || parley_private.check_draft(
      v_place,
      row(
        null,
        v_item ->> 'kind',
        v_item ->> 'reply_to',
        (select array_agg(handle) from jsonb_array_elements_text(nullif(v_item -> 'to', 'null')) as handle),
        (v_item ->> 'expects_reply')::boolean,
        nullif(v_item -> 'metadata', 'null'),
        v_item ->> 'client_message_id'
      ),
      v_item -> 'content',
      v_bounds);
  end loop;
  return v_drafts;
end;
$$;

create or replace function parley_private.check_type(prefix text, item jsonb, field text, types text[])
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if jsonb_typeof(item -> field) <> all (types || array['null']) then
    perform parley_private.refuse_argument(prefix || field, format('%s must be of type %s.', field, array_to_string(types, ' or ')),
      'Check how it is written: texts in quotes, numbers without, lists in brackets.');
  end if;
end;
$$;

-- Posts them in their order, under the lock of the session.
create or replace function parley_private.post_outbox(seat parley_private.seat, drafts parley_private.draft[])
returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_sent    jsonb := '[]';
  v_bounds  parley_private.post_bounds;
  v_message parley.messages;
begin
  select * into v_bounds from parley_private.post_bounds b where b.only_one;
  for n in 1 .. cardinality(drafts) loop
    v_message := parley_private.post_draft(seat, drafts[n], v_bounds, format('outbox[%s].', n - 1));
    select s into seat.session from parley.sessions s where s.id = v_message.session_id;
    v_sent := v_sent || jsonb_build_object(
      'message_id', v_message.id, 'cursor', v_message.sequence, 'at', v_message.posted_at, 'client_message_id', v_message.client_message_id);
  end loop;
  return v_sent;
end;
$$;
