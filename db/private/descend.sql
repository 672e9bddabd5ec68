-- Sessions that come from another while that one goes on: spawned or forked.
do $$
begin
  create type parley.fork_point as (ref text, cursor integer);
exception when duplicate_object then null;
end $$;
comment on type parley.fork_point is 'Where a session was forked from another.';
comment on column parley.fork_point.ref is 'The ref of the other session.';
comment on column parley.fork_point.cursor is 'Its message up to which both share their history.';

do $$
begin
  create type parley.descended_session as (
    session_id uuid,
    ref text,
    url text,
    team_id text,
    handle text,
    cursor integer,
    title text,
    description text,
    doc_version integer,
    spawned_from text,
    forked_from parley.fork_point,
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.descended_session.team_id is 'The secret of your team in the new session. It is shown once.';
comment on column parley.descended_session.doc_version is 'Of the new document: 0 while it is empty.';
comment on column parley.descended_session.spawned_from is '@optional
The ref of the parent.';
comment on column parley.descended_session.forked_from is '@optional';
comment on column parley.descended_session.unread is 'Messages of others that no answer has handed to you yet, in the session that you called from.';

-- Makes a session out of another: linked, with a convener, starting from a document if one is given.
create or replace function parley_private.descend(
  caller parley.participants,
  origin parley.sessions,
  relation text,
  origin_cursor integer,
  title text,
  description text,
  team_name text,
  doc bytea
)
returns parley.descended_session
language plpgsql volatile
set search_path = ''
as $$
declare
  v_session  parley.sessions;
  v_convener parley.participants;
  v_team     record;
  v_answer   parley.descended_session;
begin
  if caller.guest then
    perform parley_private.fail(403, 'forbidden', 'A guest is in this one session, and opens no other.', 'Ask a team of this house to do it.');
  end if;
  if caller.kind = 'human' then
    perform parley_private.refuse_viewers();
  end if;
  perform parley_private.count_session(caller);
  insert into parley.sessions (ref, title, description, visibility, mode)
  values (parley_private.new_ref(), descend.title, descend.description, origin.visibility, origin.mode)
  returning * into v_session;
  perform parley_private.inherit_members(origin.id, v_session.id);
  insert into parley.lineage (session_id, origin_id, relation, origin_cursor, spawned_by)
  values (v_session.id, origin.id, descend.relation, descend.origin_cursor, case descend.relation when 'spawned' then caller.id end);
  v_team := parley_private.admit_team(v_session.id, descend.team_name);
  -- It dies with what the caller was opened under, too.
  update parley.participants p set kind = caller.kind, key_id = coalesce(p.key_id, caller.key_id), user_id = coalesce(p.user_id, caller.user_id)
  where p.session_id = v_session.id and p.id = v_team.participant_id
  returning * into v_convener;
  if length(doc) > 0 then
    v_answer.doc_version := (parley_private.write_doc(v_convener, '', doc)).version;
  end if;

  v_answer.session_id := v_session.id;
  v_answer.ref := v_session.ref;
  v_answer.url := parley_private.public_url() || '/s/' || v_session.ref;
  v_answer.team_id := v_team.team_id;
  v_answer.handle := v_team.handle;
  v_answer.cursor := 0;
  v_answer.title := v_session.title;
  v_answer.description := v_session.description;
  v_answer.doc_version := coalesce(v_answer.doc_version, 0);
  if relation = 'spawned' then
    v_answer.spawned_from := origin.ref;
  else
    v_answer.forked_from := row(origin.ref, origin_cursor)::parley.fork_point;
  end if;
  v_answer.unread := parley_private.unread(caller);
  return v_answer;
end;
$$;
