-- What get_session tells a team, for whoever attaches the session: open like the page, so no credential is asked for.
create or replace function parley.session_resource(ref text)
returns json
language sql stable
set search_path = ''
as $$
  select json_strip_nulls(json_build_object(
    'session_id', s.id,
    'ref', s.ref,
    'title', s.title,
    'description', s.description,
    'status', s.status,
    'created_at', s.created_at,
    'updated_at', s.updated_at,
    'closed_at', s.closed_at,
    'session_doc_version', s.session_doc_version,
    'last_cursor', s.last_sequence,
    'convener', (select p.handle from parley.participants p where p.session_id = s.id and p.id = s.created_by),
    'url', parley_private.public_url() || '/s/' || s.ref,
    'visibility', s.visibility,
    'mode', s.mode,
    'paused', s.paused_at is not null,
    'paused_at', s.paused_at,
    'pause_reason', s.pause_reason,
    'continues', (parley.sessions_continues(s)).ref,
    'continued_by', (select array_agg(o.ref) from parley.sessions_continuations(s) o),
    'spawned_from', (select o.ref from parley.lineage l join parley.sessions o on o.id = l.origin_id where l.session_id = s.id and l.relation = 'spawned'),
    'forked_from', (
      select json_build_object('ref', o.ref, 'cursor', l.origin_cursor)
      from parley.lineage l join parley.sessions o on o.id = l.origin_id where l.session_id = s.id and l.relation = 'forked'
    ),
    'board', (select p.board from parley.placements p where p.session_id = s.id),
    'zone', (select p.zone from parley.placements p where p.session_id = s.id),
    'counts', json_build_object(
      'messages', s.last_sequence,
      'teams', (select count(*) from parley.participants p where p.session_id = s.id and p.left_at is null),
      'open_questions', (select count(*) from parley_private.open_questions(s.id)),
      'decisions', (
        select count(*) from parley.messages m
        where m.session_id = s.id and m.kind = 'decision'
      )
    )
  ))
  from parley_private.find_session(session_resource.ref) s;
$$;

grant execute on function parley.session_resource to parley_caller;

comment on function parley.session_resource is $$
@resource parley://sessions/{ref} application/json
@topic session {ref}
@topic feed {ref}
@topic doc {ref}
@topic roster {ref}
@behavior -*
@name session
@title Session
Title, description, state and counts of a session.
$$;
