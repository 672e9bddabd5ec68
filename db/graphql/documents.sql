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

grant execute on function parley.sessions_session_doc, parley.session_doc_history_content to parley_caller;
