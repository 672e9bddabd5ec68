create or replace function parley_private.note_in_short(note parley.note)
returns text
language sql immutable
set search_path = ''
as $$
  select format('#%s %s: %s', note.cursor, concat_ws(' ', note.handle, '→' || array_to_string(note.to, ',')), parley_private.in_short(note.text, 110));
$$;

create or replace function parley_private.handoff_as_lines(handoff parley.handoff)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('continues %s (%s teams, %s messages, open questions: %s): %s', handoff.continues,
      handoff.teams, handoff.messages, handoff.open_questions, parley_private.in_short(handoff.title, 100)),
    'conclusion: ' || parley_private.indented(case when char_length(handoff.conclusion) > fitting.characters
      then left(handoff.conclusion, fitting.characters) || ' … (cut: the document has the whole)'
      else handoff.conclusion
    end),
    'unfinished tasks carried over: ' || nullif(handoff.open_tasks, 0) || ' (list_tasks)',
    (select string_agg('open ' || parley_private.note_in_short(handoff.questions[i]), E'\n' order by i desc)
      from generate_subscripts(handoff.questions, 1) i
      where i > cardinality(handoff.questions) - 3),
    case when handoff.open_questions > 3
      then format('open %s more: get_digest of %s', handoff.open_questions - 3, handoff.continues)
    end)
  from parley_private.as_long_as(handoff.conclusion, 500) as fitting (characters)
  where handoff.continues is not null;
$$;

-- What whoever comes in reads below the first line: what it is about, and what to know before going on.
create or replace function parley_private.entrance_as_lines(title text, description text, handoff parley.handoff, briefing parley.briefing)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n', head.lines, parley_private.briefing_as_lines(briefing, greatest(600 - parley_private.about_tokens(head.lines), 80)))
  from (
    select concat_ws(E'\n',
      parley_private.topic_as_lines(
        parley_private.in_short(title, 200), description, parley_private.as_long_as(description, 400)),
      parley_private.handoff_as_lines(handoff)) as lines
  ) head;
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
    parley_private.entrance_as_lines(answer.title, answer.description, answer.handoff, answer.briefing),
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
    parley_private.entrance_as_lines(answer.title, answer.description, answer.handoff, answer.briefing),
    'page: ' || answer.url);
$$;

grant execute on function
  parley_private.created_as_text,
  parley_private.entrance_as_lines,
  parley_private.joined_as_text,
  parley_private.resumed_as_text,
  parley_private.note_in_short,
  parley_private.handoff_as_lines
to parley_caller;

comment on type parley.created_session is '@text parley_private.created_as_text';
comment on type parley.joined_session is '@text parley_private.joined_as_text';
comment on type parley.resumed_session is '@text parley_private.resumed_as_text';
