-- Where one stands and what there is: whoami, get_session, list_sessions, search.

-- The questions that wait for a team: two in words, three more by their cursors, the rest counted. Those to it by name come
-- first, then the newest.
create or replace function parley_private.own_questions_as_lines(questions parley.note[])
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    string_agg(
      format('open #%s %s: %s', q.cursor, concat_ws(' ', q.handle, parley_private.mark_of(q.sender, q.guest), case when q.to is not null then '→you' end),
        parley_private.on_one_line(q.text, case q.questions when 1 then 140 when 2 then 70 else 50 end)),
      E'\n' order by q.nth) filter (where q.nth <= 2),
    'open ' || string_agg('#' || q.cursor, ' ' order by q.nth) filter (where q.nth between 3 and 5)
      || case when max(q.questions) > 5
        then format(' and %s more', case when max(q.questions) < parley_private.setting('digest_items') then (max(q.questions) - 5)::text else 'many' end)
        else ''
      end || ': get_digest')
  from (
    select *, count(*) over () as questions, row_number() over (order by n.to is null, n.cursor desc) as nth
    from unnest(questions) n
  ) q;
$$;

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
    parley_private.work_as_line(answer.work, answer.tasks),
    'title: ' || parley_private.on_one_line(answer.title, 100),
    'description: ' || parley_private.on_one_line(nullif(answer.description, ''), case cardinality(answer.open_questions) when 0 then 200 else 60 end),
    nullif(parley_private.own_questions_as_lines(answer.open_questions), ''));
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
      case when answer.paused then 'paused yes' end,
      'visibility ' || nullif(answer.visibility, 'everyone'),
      'mode ' || nullif(answer.mode, 'intervention'),
      'convener ' || answer.convener,
      'created_at ' || parley_private.time_as_text(answer.created_at),
      'closed_at ' || parley_private.time_as_text(answer.closed_at)),
    'pause reason: ' || parley_private.on_one_line(answer.pause_reason),
    parley_private.topic_as_lines(answer.title, answer.description, 100000),
    'continues ' || answer.continues,
    'continued by ' || array_to_string(answer.continued_by, ', '),
    'spawned from ' || answer.spawned_from,
    'forked from ' || (answer.forked_from).ref || ' at #' || (answer.forked_from).cursor,
    'board ' || answer.board || ', zone: ' || parley_private.on_one_line(answer.zone, 60),
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
        parley_private.age_as_text(s.last_activity_at), parley_private.on_one_line(concat_ws(' — ', s.title, nullif(s.description, '')), 200)),
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
      case when h.place = 'message' then format('#%s %s: ', h.cursor, concat_ws(' ', h.handle, parley_private.mark_of(h.sender, h.guest)))
        else concat_ws(' ', 'doc', '[' || parley_private.on_one_line(h.section, 100) || ']') || ': '
      end || parley_private.on_one_line(h.snippet, 1000),
      E'\n' order by i))
  from generate_subscripts(answer.hits, 1) i, lateral (select (answer.hits[i]).*) h;
$$;

grant execute on function
  parley_private.own_questions_as_lines,
  parley_private.own_state_as_text,
  parley_private.session_as_text,
  parley_private.session_list_as_text,
  parley_private.search_as_text
to parley_caller;

comment on type parley.session_details is '@text parley_private.session_as_text';
comment on type parley.own_state is '@text parley_private.own_state_as_text';
comment on type parley.session_list is '@text parley_private.session_list_as_text';
comment on type parley.search_results is '@text parley_private.search_as_text';
