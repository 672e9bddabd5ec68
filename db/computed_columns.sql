-- Fields of GraphQL types that are derived, not stored. @cost counts against the limit of a query: a document may be 1 MiB.
create or replace function parley.participants_status(participant parley.participants)
returns text
language sql stable
set search_path = ''
as $$
  select parley_private.presence(participant);
$$;

comment on function parley.participants_status is '@notNull
active, idle or disconnected: derived from the waits of the team.';

create or replace function parley.participants_listening(participant parley.participants)
returns boolean
language sql stable
set search_path = ''
as $$
  select parley_private.is_listening(participant.session_id, participant.id);
$$;

comment on function parley.participants_listening is '@notNull
Whether a wait of the team is in flight.';

create or replace function parley.participants_convener(participant parley.participants)
returns boolean
language sql stable
set search_path = ''
as $$
  select participant.id = s.created_by from parley.sessions s where s.id = participant.session_id;
$$;

comment on function parley.participants_convener is '@notNull
Whether the team created the session.';

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

grant execute on function
  parley.participants_status,
  parley.participants_listening,
  parley.participants_convener,
  parley.sessions_session_doc,
  parley.session_doc_history_content
to parley_caller;
