-- 3 (given back): title
create or replace function parley_private.task_event_as_text(content jsonb, facts text default null)
returns text
language sql stable
set search_path = ''
as $$
  select format(' %s%s: %s', content ->> 'task', ' (' || facts || ')', parley_private.on_one_line(content ->> 'title', 120));
$$;

-- What the server says of a sender: a person, or an agent of another house. Nothing for an agent of this one.
create or replace function parley_private.mark_of(sender text, guest boolean)
returns text
language sql immutable
set search_path = ''
as $$
  select case when sender = 'human' then '(human)' when guest then '(guest)' end;
$$;

-- Who did it, where that is a person who has no handle here; and why.
create or replace function parley_private.deed_as_text(content jsonb)
returns text
language sql stable
set search_path = ''
as $$
  select concat(
    ' (human ' || case when content ->> 'handle' is null then parley_private.on_one_line(content ->> 'by', 80) end || ')',
    ': ' || parley_private.on_one_line(content ->> 'reason'));
$$;

-- What an event tells beside its name and its team.
create or replace function parley_private.event_as_text(event text, content jsonb)
returns text
language sql stable
set search_path = ''
as $$
  select case event
    when 'session_concluded' then format(' (doc v%s)', content ->> 'doc_version')
    when 'question_withdrawn' then format(' #%s', content ->> 'cursor')
    when 'child_spawned' then format(' %s: %s', content ->> 'ref', parley_private.on_one_line(content ->> 'title', 200))
    when 'child_concluded' then concat_ws(E'\n  ',
      format(' %s: %s', content ->> 'ref', parley_private.on_one_line(content ->> 'title', 200)),
      'conclusion: ' || replace(parley_private.indented(content ->> 'conclusion'), E'\n', E'\n  '))
    when 'team_interrupted' then format(' by %s: %s', content ->> 'by_handle', parley_private.on_one_line(content ->> 'reason'))
    when 'team_joined' then coalesce(' ' || parley_private.mark_of(content ->> 'kind', (content ->> 'guest')::boolean), '')
    when 'session_paused' then parley_private.deed_as_text(content)
    when 'session_unpaused' then parley_private.deed_as_text(content)
    when 'team_removed' then concat(' by ', parley_private.on_one_line(content ->> 'by', 80), ': ' || parley_private.on_one_line(content ->> 'reason'))
    when 'session_access_updated' then parley_private.deed_as_text(content) || ': ' || (
      select string_agg(format('%s %s', change.key, change.value ->> 'to'), ', ' order by change.key) from jsonb_each(content -> 'changes') change)
    when 'ask_expired' then concat(format(' #%s', content ->> 'cursor'), ': ' || parley_private.on_one_line(content ->> 'answer'))
    when 'session_metadata_updated' then concat_ws(E'\n  ',
      ': ' || parley_private.on_one_line(content ->> 'reason'),
      'title: ' || parley_private.on_one_line(content #>> '{changes,title,to}', 200),
      'description: ' || parley_private.on_one_line(content #>> '{changes,description,to}', 200))
    when 'tasks_added' then ' ' || (
      select string_agg(format('%s %s', t.task ->> 'task', parley_private.on_one_line(t.task ->> 'title', 80)), '; ' order by t.nth)
        || case when jsonb_array_length(content -> 'tasks') > 8 then format('; and %s more', jsonb_array_length(content -> 'tasks') - 8) else '' end
      from jsonb_array_elements(content -> 'tasks') with ordinality as t (task, nth) where t.nth <= 8)
    when 'task_blocked' then parley_private.task_event_as_text(content) || coalesce(E'\n  ' || parley_private.on_one_line(content ->> 'reason'), '')
    when 'task_done' then parley_private.task_event_as_text(content) || coalesce(E'\n  ' || parley_private.on_one_line(content ->> 'result'), '')
    when 'task_freed' then parley_private.task_event_as_text(content, concat_ws(', ', content ->> 'reason', 'was of ' || (content ->> 'from')))
    when 'task_verified' then parley_private.task_event_as_text(content, case when (content ->> 'passed')::boolean then 'passed' else 'refuted' end)
    when 'task_claimed' then parley_private.task_event_as_text(content)
    when 'task_dropped' then parley_private.task_event_as_text(content)
    when 'paths_overlap' then format(' with %s: %s', content -> 'teams' ->> 1,
      parley_private.on_one_line(array_to_string(parley_private.texts_of(content -> 'paths'), ', ')))
    else coalesce(' ' || parley_private.on_one_line(nullif((content - array['event', 'team', 'by', 'handle'])::text, '{}')), '')
  end;
$$;

-- #22 amber question →blue re #20: text. What the server itself says has a * in place of the team.
create or replace function parley_private.message_as_line(message parley.feed_message)
returns text
language sql stable
set search_path = ''
as $$
  select format('#%s ', message.cursor) || case message.type
    when 'system' then concat_ws(' ', '*', message.event, message.handle) || parley_private.event_as_text(message.event, message.content)
    else concat_ws(' ',
      message.handle,
      parley_private.mark_of(message.sender, message.guest),
      case when message.mine then '(you)' end,
      nullif(message.kind, 'message'),
      '→' || array_to_string(message.to, ','),
      're #' || message.reply_to_cursor,
      case when message.expects_reply and message.kind <> 'question' then '(expects a reply)' end,
      case when message.metadata is not null then '(metadata)' end,
      '(read by ' || nullif(array_to_string(message.read_by, ', '), '') || ')'
    ) || ': ' || parley_private.indented(message.content ->> 'text')
      || case when message.truncated then format(' … %s more: get_message %s',
        to_char(message.text_length - char_length(message.content ->> 'text'), 'FM9,999,999'), message.cursor) else '' end
  end;
$$;

create or replace function parley_private.messages_as_lines(messages parley.feed_message[])
returns text
language sql stable
set search_path = ''
as $$
  select string_agg(parley_private.message_as_line(messages[i]), E'\n' order by i) from generate_subscripts(messages, 1) i;
$$;

-- delivery: blue handed 12:01:07Z, red stored
create or replace function parley_private.delivery_as_line(delivery parley.delivery[])
returns text
language sql stable
set search_path = ''
as $$
  select 'delivery: ' || string_agg(concat_ws(' ', d.handle, d.state,
    to_char(coalesce(d.acted_at, d.turn_at, d.handed_at) at time zone 'UTC', 'HH24:MI:SS"Z"')), ', ' order by d.nth)
  from unnest(delivery) with ordinality as d (handle, state, stored_at, handed_at, turn_at, acted_at, nth);
$$;

-- The one message of get_message, with what lists leave out.
create or replace function parley_private.message_as_text(answer parley.feed_message)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ', 'cursor ' || answer.cursor, 'message_id ' || answer.message_id, 'at ' || parley_private.time_as_text(answer.at), 'unread ' || answer.unread),
    parley_private.message_as_line(answer),
    parley_private.delivery_as_line(answer.delivery),
    'replies: #' || nullif(array_to_string(answer.replies, ', #'), ''),
    'metadata: ' || parley_private.on_one_line(answer.metadata::text, 1000000));
$$;

create or replace function parley_private.note_as_line(note parley.note)
returns text
language sql stable
set search_path = ''
as $$
  select format('#%s %s: %s', note.cursor,
    concat_ws(' ', note.handle, parley_private.mark_of(note.sender, note.guest), '→' || array_to_string(note.to, ',')),
    parley_private.on_one_line(note.text, 140));
$$;

grant execute on function
  parley_private.task_event_as_text,
  parley_private.mark_of,
  parley_private.deed_as_text,
  parley_private.event_as_text,
  parley_private.message_as_line,
  parley_private.messages_as_lines,
  parley_private.message_as_text,
  parley_private.note_as_line,
  parley_private.delivery_as_line
to parley_caller;

comment on type parley.feed_message is '@text parley_private.message_as_text
A message as the calling team sees it.';
