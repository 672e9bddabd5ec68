do $$
begin
  create type parley.earlier as (messages integer, digest_tokens integer);
exception when duplicate_object then null;
end $$;
comment on type parley.earlier is 'What came before a team joined: get_digest has it in short, get_history in full.';
comment on column parley.earlier.digest_tokens is 'About how many tokens get_digest takes.';

do $$
begin
  create type parley.digest_team as (
    handle text,
    team_name text,
    status text,
    messages integer,
    questions integer,
    answers integer,
    decisions integer,
    doc_changes integer,
    last_cursor integer,
    activity text
  );
exception when duplicate_object then null;
end $$;
comment on type parley.digest_team is 'What a team did.';
comment on column parley.digest_team.last_cursor is 'Its newest message; null while it has said nothing.';
comment on column parley.digest_team.activity is 'listening, working, silent or left.';

do $$
begin
  create type parley.doc_change as (cursor integer, version integer, handle text, bytes integer, at timestamptz);
exception when duplicate_object then null;
end $$;
comment on type parley.doc_change is 'A new version of the document.';
comment on column parley.doc_change.cursor is 'The newest message when it was written.';
comment on column parley.doc_change.bytes is 'By how much the document grew.';

do $$
begin
  create type parley.digest_event as (cursor integer, event text, handle text, at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.digest as (
    since_cursor integer,
    through_cursor integer,
    messages integer,
    teams parley.digest_team[],
    open_questions parley.note[],
    decisions parley.note[],
    doc_changes parley.doc_change[],
    events parley.digest_event[],
    omitted integer,
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.digest.messages is 'How many messages the teams posted.';
comment on column parley.digest.omitted is '@optional
How many older entries the lists leave out.';
comment on column parley.digest.unread is 'Messages of others that no answer has handed to you yet.';

-- Each list holds the newest entries, oldest first; omitted counts what was left out of them.
create or replace function parley_private.digest(session parley.sessions, since_cursor integer, unread integer)
returns parley.digest
language sql stable
set search_path = ''
as $$
  with
  chat as (
    select m.posted_by, count(*) as messages, max(m.sequence) as last_cursor,
      count(*) filter (where m.kind = 'question') as questions,
      count(*) filter (where m.kind = 'answer') as answers,
      count(*) filter (where m.kind = 'decision') as decisions
    from parley.messages m
    where m.session_id = session.id and m.sequence > since_cursor and m.type = 'chat'
    group by m.posted_by
  ),
  writes as (
    select h.written_by, count(*) as versions
    from parley.session_doc_history h
    where h.session_id = session.id and h.after_cursor >= since_cursor
    group by h.written_by
  ),
  teams as (
    select row(
      p.handle, p.team_name, parley_private.presence(p),
      coalesce(chat.messages, 0), coalesce(chat.questions, 0), coalesce(chat.answers, 0), coalesce(chat.decisions, 0),
      coalesce(writes.versions, 0), chat.last_cursor, parley_private.activity(p)
    )::parley.digest_team as team, p.id
    from parley.participants p
    left join chat on chat.posted_by = p.id
    left join writes on writes.written_by = p.id
    where p.session_id = session.id
  ),
  questions as materialized (
    select q.sequence as cursor, row_number() over (order by q.sequence desc) as age
    from parley_private.open_questions(session.id, since_cursor) q
  ),
  decisions as materialized (
    select m.sequence as cursor, row_number() over (order by m.sequence desc) as age
    from parley.messages m
    where m.session_id = session.id and m.sequence > since_cursor
      and (m.kind <> 'message' or m.expects_reply)
      and m.kind = 'decision'
  ),
  doc_changes as (
    select h.version, row(h.after_cursor, h.version, author.handle, h.size - coalesce(before.size, 0), h.written_at)::parley.doc_change as entry,
      row_number() over (order by h.version desc) as age
    from parley.session_doc_history h
    join parley.participants author on author.session_id = h.session_id and author.id = h.written_by
    left join parley.session_doc_history before on before.session_id = h.session_id and before.version = h.version - 1
    where h.session_id = session.id and h.after_cursor >= since_cursor
  ),
  events as (
    select m.sequence as cursor, row(m.sequence, m.content ->> 'event', m.content ->> 'handle', m.posted_at)::parley.digest_event as entry,
      row_number() over (order by m.sequence desc) as age
    from parley.messages m
    where m.session_id = session.id and m.sequence > since_cursor and m.posted_by is null
  ),
  lists as (select parley_private.setting('digest_items') as longest)
  select row(
    since_cursor,
    session.last_sequence,
    (select coalesce(sum(chat.messages), 0) from chat),
    (select array_agg(t.team order by t.id) from teams t),
    array(
      select parley_private.as_note(m) from questions e
      join parley.messages m on m.session_id = session.id and m.sequence = e.cursor
      where e.age <= lists.longest order by e.cursor
    ),
    array(
      select parley_private.as_note(m) from decisions e
      join parley.messages m on m.session_id = session.id and m.sequence = e.cursor
      where e.age <= lists.longest order by e.cursor
    ),
    array(select e.entry from doc_changes e where e.age <= lists.longest order by e.version),
    array(select e.entry from events e where e.age <= lists.longest order by e.cursor),
    nullif(
      (select count(*) from questions e where e.age > lists.longest)
      + (select count(*) from decisions e where e.age > lists.longest)
      + (select count(*) from doc_changes e where e.age > lists.longest)
      + (select count(*) from events e where e.age > lists.longest),
      0),
    unread
  )::parley.digest
  from lists;
$$;

grant execute on function parley_private.digest to parley_caller;

-- How much was said before a team came, and about what a digest of it takes, by the length of its lists: four characters are
-- a token. Null when nothing was.
create or replace function parley_private.earlier(session parley.sessions)
returns parley.earlier
language sql stable
set search_path = ''
as $$
  select row(
    session.last_sequence,
    (
      150
      + 170 * (select count(*) from parley.participants p where p.session_id = session.id)
      + 110 * least(lists.longest, session.session_doc_version)
      + 110 * least(lists.longest, (
        select count(*) from parley.messages m
        where m.session_id = session.id and m.posted_by is null and m.sequence <= session.last_sequence))
      + coalesce((
        select sum(150 + least(char_length(note.content ->> 'text'), 280))
        from (
          (select q.content from parley_private.open_questions(session.id) q limit lists.longest)
          union all
          (
            select m.content from parley.messages m
            where m.session_id = session.id and (m.kind <> 'message' or m.expects_reply) and m.kind = 'decision'
            order by m.sequence desc limit lists.longest
          )
        ) note
      ), 0)
    ) / 4
  )::parley.earlier
  from (select parley_private.setting('digest_items') as longest) lists
  where session.last_sequence > 0;
$$;
