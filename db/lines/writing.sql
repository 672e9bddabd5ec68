create or replace function parley_private.posted_as_text(answer parley.posted_message)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('cursor %s · unread %s', answer.cursor, answer.unread),
    'not listening: ' || nullif(array_to_string(answer.not_listening, ', '), ''));
$$;

create or replace function parley_private.written_doc_as_text(answer parley.written_doc)
returns text
language sql stable
set search_path = ''
as $$
  select format('doc v%s · unread %s', answer.version, answer.unread);
$$;

create or replace function parley_private.concluded_as_text(answer parley.concluded_session)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(' · ', format('closed yes · doc v%s · unread %s', answer.doc_version, answer.unread), 'open_tasks ' || nullif(answer.open_tasks, 0));
$$;

create or replace function parley_private.updated_metadata_as_text(answer parley.updated_metadata)
returns text
language sql stable
set search_path = ''
as $$
  select format('changed %s · unread %s', (select string_agg(c.field, ',' order by c.field desc) from jsonb_object_keys(answer.changes) as c (field)), answer.unread);
$$;

create or replace function parley_private.acked_as_text(answer parley.acked_messages)
returns text
language sql stable
set search_path = ''
as $$
  select format('acked_cursor %s · cursor %s · unread %s', answer.acked_cursor, answer.cursor, answer.unread);
$$;

create or replace function parley_private.withdrawn_as_text(answer parley.withdrawn_question)
returns text
language sql stable
set search_path = ''
as $$
  select format('withdrawn %s · unread %s', answer.cursor, answer.unread);
$$;

create or replace function parley_private.left_as_text(answer parley.left_session)
returns text
language sql stable
set search_path = ''
as $$
  select format('left yes · unread %s', answer.unread);
$$;

-- The document as it is, from the second line on: nothing of the server comes after it.
create or replace function parley_private.doc_as_text(answer parley.session_doc)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(' · ',
      'doc v' || answer.version, 'unread ' || answer.unread, 'by ' || answer.updated_by, 'at ' || parley_private.time_as_text(answer.updated_at))
    || E'\n' || parley_private.shown(answer.content);
$$;

create or replace function parley_private.interrupted_as_text(answer parley.interrupted_team)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(' · ', 'cursor ' || answer.cursor, 'handle ' || answer.handle, 'listening ' || parley_private.yes_or_no(answer.listening), 'unread ' || answer.unread);
$$;

grant execute on function
  parley_private.interrupted_as_text,
  parley_private.posted_as_text,
  parley_private.written_doc_as_text,
  parley_private.concluded_as_text,
  parley_private.updated_metadata_as_text,
  parley_private.acked_as_text,
  parley_private.withdrawn_as_text,
  parley_private.left_as_text,
  parley_private.doc_as_text
to parley_caller;

comment on type parley.interrupted_team is '@text parley_private.interrupted_as_text';
comment on type parley.posted_message is '@text parley_private.posted_as_text';
comment on type parley.session_doc is '@text parley_private.doc_as_text
@verbatim';
comment on type parley.written_doc is '@text parley_private.written_doc_as_text';
comment on type parley.concluded_session is '@text parley_private.concluded_as_text';
comment on type parley.updated_metadata is '@text parley_private.updated_metadata_as_text';
comment on type parley.acked_messages is '@text parley_private.acked_as_text';
comment on type parley.withdrawn_question is '@text parley_private.withdrawn_as_text';
comment on type parley.left_session is '@text parley_private.left_as_text';
