-- Where one stands and what there is: whoami, get_session, list_sessions, search, get_digest.
create or replace function parley_private.own_state_as_text(answer parley.own_state)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref, 'handle ' || answer.handle, 'cursor ' || answer.cursor, 'last_cursor ' || answer.last_cursor,
      'unread ' || answer.unread, 'unconfirmed ' || nullif(answer.unconfirmed, 0), 'doc v' || answer.doc_version,
      'closed ' || parley_private.yes_or_no(answer.status = 'closed'),
      case when answer.convener then 'convener yes' end),
    parley_private.topic_as_lines(answer.title, answer.description),
    (select string_agg('open ' || parley_private.note_as_line(answer.open_questions[i]), E'\n' order by i)
      from generate_subscripts(answer.open_questions, 1) i),
    'page: ' || answer.url);
$$;

create or replace function parley_private.session_as_text(answer parley.session_details)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref, 'last_cursor ' || answer.last_cursor, 'unread ' || answer.unread, 'doc v' || answer.session_doc_version,
      'closed ' || parley_private.yes_or_no(answer.status = 'closed'),
      'convener ' || answer.convener,
      'created_at ' || parley_private.time_as_text(answer.created_at),
      'closed_at ' || parley_private.time_as_text(answer.closed_at)),
    parley_private.topic_as_lines(answer.title, answer.description, 100000),
    'continues ' || answer.continues,
    'continued by ' || array_to_string(answer.continued_by, ', '),
    'page: ' || answer.url);
$$;

create or replace function parley_private.session_list_as_text(answer parley.session_list)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('sessions %s · more %s', cardinality(answer.sessions), parley_private.yes_or_no(answer.has_more)),
    string_agg(
      format('session %s (%s, teams %s, messages %s, doc v%s, %s): %s', s.ref, s.status, s.teams, s.last_cursor, s.doc_version,
        parley_private.time_as_text(s.last_activity_at), parley_private.on_one_line(concat_ws(' — ', s.title, nullif(s.description, '')), 200)),
      E'\n' order by i))
  from generate_subscripts(answer.sessions, 1) i, lateral (select (answer.sessions[i]).*) s;
$$;

create or replace function parley_private.search_as_text(answer parley.search_results)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('hits %s · more %s · unread %s', cardinality(answer.hits), parley_private.yes_or_no(answer.has_more), answer.unread),
    string_agg(
      case when h.place = 'message' then format('#%s %s: ', h.cursor, h.handle)
        else concat_ws(' ', 'doc', '[' || parley_private.on_one_line(h.section, 100) || ']') || ': '
      end || parley_private.on_one_line(h.snippet, 1000),
      E'\n' order by i))
  from generate_subscripts(answer.hits, 1) i, lateral (select (answer.hits[i]).*) h;
$$;

create or replace function parley_private.digest_as_text(answer parley.digest)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'since_cursor ' || answer.since_cursor, 'through_cursor ' || answer.through_cursor, 'messages ' || answer.messages,
      'unread ' || answer.unread, 'omitted ' || answer.omitted),
    (select string_agg(
        format('team %s (%s): %s', t.handle, t.status, concat_ws(', ',
          t.messages || ' messages',
          nullif(t.questions, 0) || ' questions',
          nullif(t.answers, 0) || ' answers',
          nullif(t.decisions, 0) || ' decisions',
          nullif(t.doc_changes, 0) || ' document changes',
          'last #' || t.last_cursor)), E'\n' order by i)
      from generate_subscripts(answer.teams, 1) i, lateral (select (answer.teams[i]).*) t),
    (select string_agg('open ' || parley_private.note_as_line(answer.open_questions[i]), E'\n' order by i)
      from generate_subscripts(answer.open_questions, 1) i),
    (select string_agg('decided ' || parley_private.note_as_line(answer.decisions[i]), E'\n' order by i)
      from generate_subscripts(answer.decisions, 1) i),
    (select string_agg(format('doc v%s %s (%s bytes) after #%s', c.version, c.handle, to_char(c.bytes, 'FMSG9999999990'), c.cursor), E'\n' order by i)
      from generate_subscripts(answer.doc_changes, 1) i, lateral (select (answer.doc_changes[i]).*) c),
    (select string_agg(concat_ws(' ', '#' || e.cursor, '*', e.event, e.handle), E'\n' order by i)
      from generate_subscripts(answer.events, 1) i, lateral (select (answer.events[i]).*) e));
$$;

grant execute on function
  parley_private.own_state_as_text,
  parley_private.session_as_text,
  parley_private.session_list_as_text,
  parley_private.search_as_text,
  parley_private.digest_as_text
to parley_caller;

comment on type parley.session_details is '@text parley_private.session_as_text';
comment on type parley.own_state is '@text parley_private.own_state_as_text';
comment on type parley.session_list is '@text parley_private.session_list_as_text';
comment on type parley.digest is '@text parley_private.digest_as_text
What happened after a cursor, in short.';
comment on type parley.search_results is '@text parley_private.search_as_text';
