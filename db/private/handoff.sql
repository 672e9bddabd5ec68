do $$
begin
  create type parley.handoff as (
    continues text,
    title text,
    closed_at timestamptz,
    conclusion text,
    open_questions integer,
    teams integer,
    messages integer,
    doc_bytes integer,
    carried_bytes integer,
    questions parley.note[],
    open_tasks integer
  );
exception when duplicate_object then null;
end $$;
comment on type parley.handoff is 'What to know about the session that this one continues.';
comment on column parley.handoff.continues is 'Its ref.';
comment on column parley.handoff.conclusion is 'How it ended; cut if it is long, the document of this session has the whole.';
comment on column parley.handoff.open_questions is 'How many questions were left open.';
comment on column parley.handoff.doc_bytes is 'The size of its document.';
comment on column parley.handoff.carried_bytes is 'The size of what was carried over: goals, decisions and conclusion.';
comment on column parley.handoff.questions is 'The newest twenty of them; your team_id reads that session too.';
comment on column parley.handoff.open_tasks is '@optional
How many tasks were left unfinished: they are tasks of this session now.';

create or replace function parley_private.refuse_if_not_resumable(session parley.sessions)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_newest parley.sessions;
begin
  if session.status <> 'closed' then
    perform parley_private.fail(409, 'session_active', 'This session is not concluded: there is nothing to resume.',
      format('Join it: join_session with session_id %s.', session.ref), jsonb_build_object('ref', session.ref));
  end if;
  -- What was continued goes on from its newest end, as far as the caller sees it, so that no work is done beside it.
  with recursive line as (
    select l.session_id from parley.lineage l where l.origin_id = session.id and l.relation = 'resumed'
    union
    select n.session_id from line l join parley.lineage n on n.origin_id = l.session_id and n.relation = 'resumed'
  )
  select s.* into v_newest from line l join parley.sessions s on s.id = l.session_id and parley_private.sees(s) order by s.created_at desc limit 1;
  if v_newest.status = 'active' then
    perform parley_private.fail(409, 'already_resumed', format('This session is already being continued, in %s.', v_newest.ref),
      format('Join that one: join_session with session_id %s.', v_newest.ref), jsonb_build_object('ref', v_newest.ref));
  elsif v_newest.status = 'closed' then
    perform parley_private.fail(409, 'already_resumed', format('This session was continued in %s, which is concluded too.', v_newest.ref),
      format('Resume that one: resume_session with session_id %s.', v_newest.ref), jsonb_build_object('ref', v_newest.ref));
  end if;
end;
$$;

create or replace function parley_private.continue_session(old parley.sessions, title text, description text)
returns parley.sessions
language plpgsql volatile
set search_path = ''
as $$
declare
  v_session parley.sessions;
begin
  insert into parley.sessions (ref, title, description, capacity, visibility, mode)
  values (
    parley_private.new_ref(),
    coalesce(continue_session.title, old.title),
    coalesce(continue_session.description, old.description),
    old.capacity,
    old.visibility,
    old.mode)
  returning * into v_session;
  insert into parley.lineage (session_id, origin_id, relation, origin_cursor)
  values (v_session.id, old.id, 'resumed', old.last_sequence);
  return v_session;
end;
$$;

-- Who belonged to a session belongs to the one that continues it.
create or replace function parley_private.inherit_members(old_id uuid, new_id uuid)
returns void
language sql volatile
set search_path = ''
as $$
  insert into parley_private.members (session_id, user_id)
  select new_id, m.user_id from parley_private.members m where m.session_id = old_id
  on conflict on constraint members_are_once_in_a_session do nothing;
$$;

-- The text of a section of a document, without its heading; null if there is none or it is empty.
create or replace function parley_private.section_of(doc text, section text)
returns text
language sql immutable
set search_path = ''
as $$
  select nullif(regexp_replace(substr(doc, s.body_starts, s.ends - s.body_starts), '^\s*\n|\s+$', '', 'g'), '')
  from parley_private.find_section(doc, section) s
  -- Not read for headings in vain: a document may be long.
  where strpos(lower(doc), lower(section)) > 0;
$$;

grant execute on function parley_private.section_of to parley_caller;

-- The decisions that were said in the feed but not written down.
create or replace function parley_private.unwritten_decisions(session_id uuid, written text)
returns text
language sql stable
set search_path = ''
as $$
  select string_agg(
    format('- %s (%s, #%s)', regexp_replace(note.text, '\s+', ' ', 'g'), note.handle, note.cursor), E'\n' order by note.cursor)
  from (
    select m from parley.messages m
    where m.session_id = unwritten_decisions.session_id
      and m.kind = 'decision'
      and coalesce(strpos(written, m.content ->> 'text'), 0) = 0
    order by m.sequence desc
    limit 100
  ) newest
  cross join parley_private.as_note(newest.m) as note;
$$;

-- As much of a text as leaves room in the next document, with a word where it was cut.
create or replace function parley_private.carried_part(part text, session parley.sessions)
returns text
language sql stable
set search_path = ''
as $$
  select case when char_length(part) > room.chars
    then left(part, room.chars) || format(E'\n\n(Cut here; the document of `%s` has the whole.)', session.ref)
    else part
  end
  from (select parley_private.setting('doc_max_bytes') / 16) as room (chars);
$$;

-- Those that were written down and those that were only said; null if there is none.
create or replace function parley_private.decisions_of(session parley.sessions, doc text)
returns text
language sql stable
set search_path = ''
as $$
  select nullif(concat_ws(E'\n',
    parley_private.carried_part(written, session), parley_private.unwritten_decisions(session.id, written)), '')
  from parley_private.section_of(doc, 'Decisions') as written;
$$;

-- How a session ended. A summary may have headings of its own, so its section alone does not tell where it ends: the
-- document as it was before the close does.
create or replace function parley_private.conclusion_of(session parley.sessions)
returns text
language sql stable
set search_path = ''
as $$
  select nullif(btrim(substr(after, s.body_starts, length(after) + 1 - s.body_starts - coalesce(tail.length, 0)), E' \t\r\n'), '')
  from parley_private.doc_text_at(session.id, session.session_doc_version) as after
  cross join parley_private.find_section(after, 'Conclusion') s
  left join (
    select length(before) + 1 - s.ends
    from parley_private.doc_text_at(session.id, session.version_before_close) as before
    cross join parley_private.find_section(before, 'Conclusion') s
    where s.level = 2 and strpos(lower(before), 'conclusion') > 0
  ) as tail (length) on true;
$$;

-- The document that the next session starts with. The old conclusion gets a heading of its own: the next one will
-- have another.
create or replace function parley_private.carried_over(session parley.sessions)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n\n',
    format('Continues `%s`, concluded %s.', session.ref, to_char(session.closed_at at time zone 'UTC', 'YYYY-MM-DD')),
    '## Goals',
    parley_private.carried_part(coalesce(parley_private.section_of(doc, 'Goals'), nullif(session.description, '')), session),
    '## Decisions',
    parley_private.decisions_of(session, doc),
    '## Where the last session ended',
    parley_private.carried_part(parley_private.conclusion_of(session), session)
  ) || E'\n'
  from parley_private.doc_text_at(session.id, session.session_doc_version) as doc;
$$;

-- Writes down what the next teams should know about the session that this one continues, and how much there is to read.
create or replace function parley_private.keep_handoff(session parley.sessions, old parley.sessions)
returns void
language sql volatile
set search_path = ''
as $$
  insert into parley_private.handoffs (session_id, handoff)
  select session.id, to_jsonb(row(
    old.ref,
    old.title,
    old.closed_at,
    left(parley_private.conclusion_of(old), parley_private.setting('list_text_max')),
    (select count(*) from parley_private.open_questions(old.id)),
    (select count(*) from parley.participants p where p.session_id = old.id),
    old.last_sequence,
    octet_length(doc),
    (select h.size from parley.session_doc_history h where h.session_id = session.id and h.version = 1),
    array(
      select parley_private.as_note(q) from (select * from parley_private.open_questions(old.id) limit 20) q order by q.sequence
    ),
    nullif(parley_private.unfinished(old.id), 0)
  )::parley.handoff)
  from parley_private.doc_text_at(old.id, old.session_doc_version) as doc;
$$;

-- Null for a session that continues none.
create or replace function parley_private.handoff_of(session_id uuid)
returns parley.handoff
language sql stable
set search_path = ''
as $$
  select jsonb_populate_record(null::parley.handoff, h.handoff) from parley_private.handoffs h where h.session_id = handoff_of.session_id;
$$;
