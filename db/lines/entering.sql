create or replace function parley_private.handoff_as_lines(handoff parley.handoff)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('continues %s (%s teams, %s messages, open questions: %s): %s', handoff.continues,
      handoff.teams, handoff.messages, handoff.open_questions, parley_private.on_one_line(handoff.title)),
    'conclusion: ' || parley_private.indented(handoff.conclusion),
    'unfinished tasks carried over: ' || nullif(handoff.open_tasks, 0) || ' (list_tasks)',
    (select string_agg('open ' || parley_private.note_as_line(handoff.questions[i]), E'\n' order by i desc)
      from generate_subscripts(handoff.questions, 1) i
      where i > cardinality(handoff.questions) - 8),
    case when handoff.open_questions > 8
      then format('open %s more: get_digest of %s', handoff.open_questions - 8, handoff.continues)
    end)
  where handoff.continues is not null;
$$;

-- What a program keeps of its entrance stands in the first line: the ref, the secret, where to listen from.
create or replace function parley_private.created_as_text(answer parley.created_session)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ', 'ref ' || answer.ref, 'team_id ' || answer.team_id, 'handle ' || answer.handle, 'cursor ' || answer.cursor),
    parley_private.topic_as_lines(answer.title, answer.description),
    'page: ' || answer.url);
$$;

create or replace function parley_private.joined_as_text(answer parley.joined_session)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref, 'team_id ' || answer.team_id, 'handle ' || answer.handle, 'cursor ' || answer.cursor,
      'unread ' || answer.unread, 'doc v' || answer.doc_version),
    parley_private.topic_as_lines(answer.title, answer.description),
    parley_private.teams_as_lines(answer.participants),
    parley_private.handoff_as_lines(answer.handoff),
    'earlier: ' || (answer.earlier).messages || ' messages: get_digest has them in short, get_history in full');
$$;

create or replace function parley_private.resumed_as_text(answer parley.resumed_session)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref, 'team_id ' || answer.team_id, 'handle ' || answer.handle, 'cursor ' || answer.cursor,
      'doc v' || answer.doc_version),
    parley_private.topic_as_lines(answer.title, answer.description),
    parley_private.handoff_as_lines(answer.handoff),
    'page: ' || answer.url);
$$;

grant execute on function
  parley_private.created_as_text,
  parley_private.joined_as_text,
  parley_private.resumed_as_text,
  parley_private.handoff_as_lines
to parley_caller;

comment on type parley.created_session is '@text parley_private.created_as_text';
comment on type parley.joined_session is '@text parley_private.joined_as_text';
comment on type parley.resumed_session is '@text parley_private.resumed_as_text';
