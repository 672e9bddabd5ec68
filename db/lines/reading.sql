create or replace function parley_private.wait_answer_as_text(answer parley.wait_answer)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'next_cursor ' || answer.next_cursor,
      'unread ' || answer.unread,
      'doc v' || answer.doc_version,
      'closed ' || parley_private.yes_or_no(answer.session_closed),
      case when answer.has_more then 'more yes' end,
      case when answer.session_idle then 'idle yes' end,
      'skipped ' || answer.skipped),
    parley_private.messages_as_lines(answer.messages));
$$;

create or replace function parley_private.synced_as_text(answer parley.synced)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'next_cursor ' || answer.next_cursor,
      'unread ' || answer.unread,
      'doc v' || answer.doc_version,
      'closed ' || parley_private.yes_or_no(answer.session_closed),
      'sent ' || (select string_agg(s.cursor::text, ',' order by s.cursor) from unnest(answer.sent) s),
      case when answer.has_more then 'more yes' end,
      case when answer.session_idle then 'idle yes' end,
      'skipped ' || answer.skipped),
    parley_private.messages_as_lines(answer.messages));
$$;

create or replace function parley_private.history_as_text(answer parley.history_page)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'next_cursor ' || answer.next_cursor,
      'more ' || parley_private.yes_or_no(answer.has_more),
      'unread ' || answer.unread),
    parley_private.messages_as_lines(answer.messages));
$$;

create or replace function parley_private.replies_as_text(answer parley.replies)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'replies ' || cardinality(answer.messages),
      case when answer.expired then 'expired yes' end,
      'closed ' || parley_private.yes_or_no(answer.session_closed),
      'unread ' || answer.unread),
    parley_private.messages_as_lines(answer.messages),
    'yet to answer: ' || nullif(array_to_string(answer.yet_to_answer, ', '), ''),
    parley_private.delivery_as_line(answer.delivery));
$$;

grant execute on function
  parley_private.wait_answer_as_text,
  parley_private.synced_as_text,
  parley_private.history_as_text,
  parley_private.replies_as_text
to parley_caller;

comment on type parley.wait_answer is '@text parley_private.wait_answer_as_text
What a wait brought.';
comment on type parley.replies is '@text parley_private.replies_as_text';
comment on type parley.synced is '@text parley_private.synced_as_text';
comment on type parley.history_page is '@text parley_private.history_as_text';
