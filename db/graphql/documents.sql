-- The document as fields of the GraphQL types Session and SessionDocHistory. @cost counts against the limit of a
-- query: a document may be 1 MiB.
create or replace function parley.sessions_session_doc(session parley.sessions)
returns text
language sql stable
set search_path = ''
as $$
  select parley_private.doc_text_at(session.id, session.session_doc_version);
$$;

comment on function parley.sessions_session_doc is '@cost 500
The newest version of the document, markdown.';

create or replace function parley.session_doc_history_content(version parley.session_doc_history)
returns text
language sql stable
set search_path = ''
as $$
  select parley_private.doc_text_at(version.session_id, version.version);
$$;

comment on function parley.session_doc_history_content is '@cost 500
The whole document as it was at this version, markdown.';

-- Beside sessions_feed, for the same stretch of the feed; without a search_path, as that.
create or replace function parley.sessions_doc_edits(session parley.sessions, from_cursor integer, to_cursor integer)
returns setof parley.session_doc_history
language sql stable
as $$
  select h.* from parley.session_doc_history h
  where h.session_id = session.id and h.after_cursor between from_cursor and to_cursor
  order by h.after_cursor, h.version;
$$;

comment on function parley.sessions_doc_edits is 'The versions that were written after the messages from one cursor to another, before the next.';

grant execute on function parley.sessions_session_doc, parley.session_doc_history_content, parley.sessions_doc_edits to parley_caller;
