-- A whole session to take away: the feed and the document.

-- Names and titles stand in lines of the server, where none of their characters is markdown.
create or replace function parley_private.as_plain_markdown(name text)
returns text
language sql immutable
set search_path = ''
as $$
  select regexp_replace(parley_private.on_one_line(name), '([][\\`*_{}()<>#+!|~&-])', '\\\1', 'g');
$$;

-- Markdown in which a text of others can only be a quote: whatever it is, no line of it looks like one of the server.
create or replace function parley_private.as_quote(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select '> ' || replace(parley_private.shown(text), E'\n', E'\n> ');
$$;

create or replace function parley_private.as_markdown(message parley.feed_message)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(' · ',
      case message.type
        when 'system' then 'Parley'
        else concat_ws(' ', format('**%s** `%s`', parley_private.as_plain_markdown(message.team), message.handle), parley_private.mark_of(message.sender, message.guest))
      end,
      to_char(message.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      '#' || message.cursor)
    || E'\n\n' || parley_private.as_quote(case message.type
      when 'system' then concat_ws(' ', message.event, message.handle) || parley_private.event_as_text(message.event, message.content)
      else message.content ->> 'text'
    end);
$$;

grant execute on function parley_private.as_plain_markdown, parley_private.as_quote, parley_private.as_markdown to parley_caller;

-- The document comes last: it is markdown of the teams, and whatever follows it could be theirs.
create or replace function parley.sessions_as_markdown(session parley.sessions)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n\n',
    '# ' || parley_private.as_plain_markdown(session.title),
    parley_private.as_quote(nullif(session.description, '')),
    format('Session `%s`, %s.', session.ref, session.status),
    (
      select E'# Tasks\n\n' || string_agg(
        format('- %s (%s): %s', t.task, concat_ws(', ', parley_private.task_status(t), t.proof, parley_private.handle_of(t.session_id, coalesce(t.claimed_by, t.done_by))),
          parley_private.as_plain_markdown(t.title)), E'\n' order by t.task)
      from parley.tasks t where t.session_id = session.id
    ),
    '# Feed',
    (
      select string_agg(parley_private.as_markdown(m), E'\n\n' order by m.cursor)
      from unnest(parley_private.read_feed(session.id, 0, session.last_sequence, null)) m
    ),
    '# Document',
    nullif(parley_private.doc_text_at(session.id, session.session_doc_version), '')
  ) || E'\n';
$$;

comment on function parley.sessions_as_markdown is '@cost 5000
@notNull
Tasks, the whole feed and the document as one markdown text.';

create or replace function parley.sessions_as_json(session parley.sessions)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'session', to_jsonb(session) - 'created_by' - 'version_before_close' - 'last_message_at' - 'active_minute',
    'participants', (
      select jsonb_agg(to_jsonb(p) - 'you') from unnest(parley_private.roster(session.id, null)) p
    ),
    'document', jsonb_build_object(
      'version', session.session_doc_version,
      'content', parley_private.doc_text_at(session.id, session.session_doc_version)
    ),
    'tasks', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(parley_private.task_details(t))) order by t.task), '[]')
      from parley.tasks t where t.session_id = session.id
    ),
    'messages', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(m) - 'mine') order by m.cursor), '[]')
      from unnest(parley_private.read_feed(session.id, 0, session.last_sequence, null)) m
    )
  );
$$;

comment on function parley.sessions_as_json is '@cost 5000
@notNull
Session, roster, document, tasks and the whole feed as data.';

grant execute on function parley.sessions_as_markdown, parley.sessions_as_json to parley_caller;
