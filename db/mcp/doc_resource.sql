create or replace function parley.doc_resource(ref text)
returns text
language sql stable
set search_path = ''
as $$
  select parley_private.doc_text_at(s.id, s.session_doc_version)
  from parley_private.find_session(doc_resource.ref) s;
$$;

grant execute on function parley.doc_resource to parley_caller;

comment on function parley.doc_resource is $$
@resource parley://sessions/{ref}/doc text/markdown
@topic doc {ref}
@behavior -*
@name session-doc
@title Document of a session
The shared document of a session, its newest version.
$$;
