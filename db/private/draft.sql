-- A message that is about to be posted, alone or in the outbox of sync.
do $$
begin
  create type parley_private.draft as (
    text text,
    kind text,
    reply_to text,
    addressed_to text[],
    expects_reply boolean,
    metadata jsonb,
    client_message_id text
  );
exception when duplicate_object then null;
end $$;

-- Why a content is neither a text nor {"text": …}.
create or replace function parley_private.refuse_content(field text, content jsonb)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (jsonb_typeof(content) = 'object' and jsonb_typeof(content -> 'text') = 'string') is not true then
    perform parley_private.refuse_argument(field, 'content must be {"text": "…"} or a string.',
      'Send {"content": {"text": "…"}}, or the text itself as content.');
  elsif content ? 'event' then
    perform parley_private.fail(400, 'system_type_forbidden', 'Events are written by the server.',
      'Send content as {"text": "…"}.', jsonb_build_object('field', field));
  end if;
  perform parley_private.refuse_argument(field, 'content may hold text and nothing else.', 'What is meant for programs goes into metadata.');
end;
$$;

-- Everything that can be said about a message without looking at its session. prefix names it in a list: outbox[2].
create or replace function parley_private.check_draft(prefix text, draft parley_private.draft, content jsonb, bounds parley_private.post_bounds)
returns parley_private.draft
language plpgsql stable
as $$
begin
  draft.text := coalesce(content ->> 'text', content #>> '{}');
  if (content = to_jsonb(draft.text) or content = jsonb_build_object('text', draft.text)) is not true then
    perform parley_private.refuse_content(prefix || 'content', content);
  end if;
  draft.text := parley_private.check_text_within(prefix || 'content', draft.text, bounds.message_max);

  if draft.kind is null then
    draft.kind := 'message';
  elsif draft.kind in ('system', 'team_joined', 'team_left', 'session_metadata_updated', 'session_concluded', 'question_withdrawn',
    'child_spawned', 'child_concluded', 'team_interrupted',
    'tasks_added', 'task_claimed', 'task_freed', 'task_blocked', 'task_done', 'task_dropped', 'task_verified', 'paths_overlap',
    'session_access_updated', 'session_paused', 'session_unpaused', 'team_removed', 'ask_expired') then
    perform parley_private.fail(400, 'system_type_forbidden', format('%s is a kind that only the server writes.', draft.kind),
      'Use message, question, answer, decision, status or a word of your own.', jsonb_build_object('field', prefix || 'kind'));
  elsif draft.kind !~ '^[a-z][a-z0-9_-]{0,31}$' then
    perform parley_private.refuse_argument(prefix || 'kind', 'kind must be a short word: a letter, then up to 31 letters, digits, - or _, all lower case.',
      'Use message, question, answer, decision, status or a word of your own.');
  end if;
  draft.expects_reply := coalesce(draft.expects_reply, draft.kind = 'question');

  if draft.addressed_to is not null then
    if cardinality(draft.addressed_to) > 200 then
      perform parley_private.refuse_argument(prefix || 'to', format('to names %s teams; at most 200 are allowed.', cardinality(draft.addressed_to)),
        'Leave it out to reach everybody.');
    elsif exists (select from unnest(draft.addressed_to) as h (handle) where h.handle is null or char_length(h.handle) > 200) then
      perform parley_private.refuse_argument(prefix || 'to', 'to must be a list of handles.',
        '["team-blue"]; list_participants has the handles. Leave it out to speak to everyone.');
    end if;
    draft.addressed_to := nullif(array(select distinct ltrim(h.handle, '@') from unnest(draft.addressed_to) as h (handle) order by 1), '{}');
    perform parley_private.refuse_secrets(prefix || 'to', array_to_string(draft.addressed_to, ' '));
  end if;
  if draft.metadata is not null then
    if jsonb_typeof(draft.metadata) <> 'object' then
      perform parley_private.refuse_argument(prefix || 'metadata', 'metadata must be an object, e.g. {"ticket": 42}.', 'Put it in braces, or leave it out.');
    end if;
    perform parley_private.check_text(prefix || 'metadata', draft.metadata::text, 'metadata_max');
  end if;
  if draft.reply_to is not null then
    perform parley_private.check_message_ref(prefix || 'reply_to', draft.reply_to);
  end if;
  if draft.client_message_id is not null then
    perform parley_private.check_key(prefix || 'client_message_id', draft.client_message_id);
  end if;
  return draft;
end;
$$;

-- A key that makes a call safe to repeat.
create or replace function parley_private.check_key(field text, key text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if key is null then
    return;
  elsif char_length(key) > 200 or key !~ '\S' then
    perform parley_private.refuse_argument(field, format('%s must have 1 to 200 characters.', field),
      'A random word per call will do; repeat it only to repeat the call.');
  end if;
  perform parley_private.refuse_secrets(field, key);
end;
$$;

create or replace function parley_private.refuse_other_content(field text, key text, details jsonb)
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(409, 'idempotency_conflict', format('You have used this %s before, with other content.', field),
    'Nothing was written. To repeat a call, send exactly the same; for something new, use a new key.',
    details || jsonb_build_object('field', field, field, key));
$$;

-- A question that nobody is left to answer would stay open for ever.
create or replace function parley_private.refuse_if_all_have_left(author parley.participants, addressed_to text[], field text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if 'humans' = any (addressed_to) then
    return;
  end if;
  if not exists (
    select from parley.participants p
    where p.session_id = author.session_id and p.handle = any (addressed_to) and p.left_at is null
  ) then
    perform parley_private.refuse_argument(field,
      format('%s %s left: nobody would answer.', array_to_string(addressed_to, ', '), case cardinality(addressed_to) when 1 then 'has' else 'have' end),
      (
        select 'Here are: ' || string_agg(p.handle, ', ' order by p.id) || '. Or leave "to" out to ask everybody.'
        from parley.participants p where p.session_id = author.session_id and p.left_at is null
      ));
  end if;
end;
$$;

-- Posts a draft. The caller holds the lock of the session. A key is looked up before the state and before anything is
-- counted: the retry of a post that was acknowledged succeeds, whatever has happened since.
create or replace function parley_private.post_draft(
  seat parley_private.seat,
  draft parley_private.draft,
  bounds parley_private.post_bounds,
  prefix text default '',
  expected_cursor integer default null
)
returns parley.messages
language plpgsql volatile
as $$
declare
  v_author   parley.participants := seat.participant;
  v_reply_to integer;
  v_stranger text;
  v_message  parley.messages;
begin
  if draft.reply_to is not null then
    v_reply_to := parley_private.find_message(v_author.session_id, draft.reply_to, prefix || 'reply_to');
  end if;
  if draft.addressed_to is not null then
    select h.handle into v_stranger from unnest(draft.addressed_to) as h (handle)
    where h.handle <> 'humans' and not exists (
      select from parley.participants p where p.session_id = v_author.session_id and p.handle = h.handle
    );
    if found then
      perform parley_private.refuse_argument(prefix || 'to', format('No team here has the handle %s.', v_stranger),
        (select 'The handles are: ' || string_agg(p.handle, ', ' order by p.id) || '; humans is any person.' from parley.participants p where p.session_id = v_author.session_id));
    end if;
  end if;

  if draft.client_message_id is not null then
    select * into v_message from parley.messages m
    where m.session_id = v_author.session_id and m.posted_by = v_author.id and m.client_message_id = draft.client_message_id;
    if found then
      if (v_message.content, v_message.kind, v_message.reply_to, v_message.addressed_to, v_message.expects_reply, v_message.metadata)
        is distinct from
        (jsonb_build_object('text', draft.text), draft.kind, v_reply_to, draft.addressed_to, draft.expects_reply, draft.metadata) then
        perform parley_private.refuse_other_content(prefix || 'client_message_id', draft.client_message_id,
          jsonb_build_object('message_id', v_message.id, 'cursor', v_message.sequence));
      end if;
      return v_message;
    end if;
  end if;

  if draft.expects_reply and draft.addressed_to is not null then
    perform parley_private.refuse_if_all_have_left(v_author, draft.addressed_to, prefix || 'to');
  end if;
  if (seat.session).status = 'closed' then
    perform parley_private.refuse_if_closed(seat.session);
  end if;
  if (seat.session).paused_at is not null then
    perform parley_private.refuse_if_paused(seat);
  end if;
  if expected_cursor is not null then
    perform parley_private.refuse_if_stale(seat, expected_cursor);
  end if;
  return parley_private.append_message(
    v_author.session_id, v_author.id, 'chat', jsonb_build_object('text', draft.text),
    draft.kind, v_reply_to, draft.addressed_to, draft.expects_reply, draft.metadata, draft.client_message_id,
    parley_private.rule_post(
      v_author.session_id, v_author.id, draft.kind, v_reply_to,
      case v_author.kind when 'agent' then greatest(v_author.cursor, v_author.handed_cursor) end,
      v_author.started_from, v_author.worked_after, (seat.session).talk, bounds));
end;
$$;
