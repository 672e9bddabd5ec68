-- A whole session to take away: the feed and the document.
create or replace function parley.sessions_as_markdown(session parley.sessions)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n\n',
    '# ' || session.title,
    nullif(session.description, ''),
    format('Session `%s`, %s.', session.ref, session.status),
    '# Document',
    nullif(parley_private.doc_text_at(session.id, session.session_doc_version), ''),
    '# Feed',
    (
      select string_agg(
        format('**%s** · %s · #%s', coalesce(m.team, m.by, 'Parley'), to_char(m.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), m.cursor)
          || E'\n\n' || coalesce(m.content ->> 'text', m.content::text),
        E'\n\n' order by m.cursor)
      from unnest(parley_private.read_feed(session.id, 0, session.last_sequence, null)) m
    )
  ) || E'\n';
$$;

comment on function parley.sessions_as_markdown is '@cost 5000
@notNull
The document and the whole feed as one markdown text.';

create or replace function parley.sessions_as_json(session parley.sessions)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'session', to_jsonb(session) - 'created_by' - 'version_before_close' - 'last_message_at',
    'participants', (
      select jsonb_agg(to_jsonb(p) - 'you') from unnest(parley_private.roster(session.id, null)) p
    ),
    'document', jsonb_build_object(
      'version', session.session_doc_version,
      'content', parley_private.doc_text_at(session.id, session.session_doc_version)
    ),
    'messages', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(m) - 'mine') order by m.cursor), '[]')
      from unnest(parley_private.read_feed(session.id, 0, session.last_sequence, null)) m
    )
  );
$$;

comment on function parley.sessions_as_json is '@cost 5000
@notNull
Session, roster, document and the whole feed as data.';

grant execute on function parley.sessions_as_markdown, parley.sessions_as_json to parley_caller;
