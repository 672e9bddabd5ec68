-- What a team has to know that comes late or has lost its context, in one answer that is short however long the session is: each
-- part is read from its end, and what it leaves out is counted.
do $$
begin
  create type parley.briefing_team as (
    handle text,
    team_name text,
    kind text,
    convener boolean,
    you boolean,
    activity text,
    doing text
  );
exception when duplicate_object then null;
end $$;
comment on type parley.briefing_team is 'A team that is here.';
comment on column parley.briefing_team.you is 'Whether this is the calling team.';
comment on column parley.briefing_team.activity is 'listening (a wait is in flight), working (it called lately) or silent.';
comment on column parley.briefing_team.doing is '@optional
What it is doing, in its own words or, if it does not tell: its newest status, or what it said last; cut.';

do $$
begin
  create type parley.heading as (level integer, title text);
exception when duplicate_object then null;
end $$;
comment on type parley.heading is 'A heading of the document.';

do $$
begin
  create type parley.briefing_rest as (teams integer, questions integer, decisions integer, messages integer);
exception when duplicate_object then null;
end $$;
comment on type parley.briefing_rest is 'How many entries the lists leave out; counted up to a thousand.';

do $$
begin
  create type parley.briefing as (
    teams parley.briefing_team[],
    questions parley.note[],
    decisions parley.note[],
    decided text,
    outline parley.heading[],
    messages parley.feed_message[],
    left_out parley.briefing_rest,
    tasks parley.briefing_tasks
  );
exception when duplicate_object then null;
end $$;
comment on type parley.briefing is 'What to know before going on.';
comment on column parley.briefing.teams is '@notNull
Who is here and doing what, the last seen first.';
comment on column parley.briefing.questions is '@notNull
The questions that you owe an answer, the newest first.';
comment on column parley.briefing.decisions is '@notNull
What was decided in the feed, the newest first.';
comment on column parley.briefing.decided is '@optional
The end of the section Decisions of the document.';
comment on column parley.briefing.outline is '@notNull
The headings of the document, of three levels.';
comment on column parley.briefing.messages is '@notNull
The newest of what you have not seen, oldest first, cut; wait_for_messages hands all of it over.';
comment on column parley.briefing.left_out is '@optional';
comment on column parley.briefing.tasks is '@optional
The state of the work.';

-- First which message, then the message: a cursor that is still a question would be looked for in the whole feed.
create or replace function parley_private.doing_of(team parley.participants)
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_said integer;
begin
  if team.doing <> '' then
    return team.doing;
  end if;
  v_said := coalesce(
    (
      select max(k.last_cursor) from parley_private.messages_of_note(team.session_id, team.id, 0) k
      where k.kind in ('status', 'blocked', 'blocker')
    ),
    (
      select l.sequence from parley.messages l
      where l.session_id = team.session_id and l.posted_by = team.id
      order by l.sequence desc limit 1
    ));
  return (
    select parley_private.cut(m.content ->> 'text', 200) from parley.messages m
    where m.session_id = team.session_id and m.sequence = v_said
  );
end;
$$;

-- The headings of a document, and what was written last under Decisions. A long one is read as far as it tells what it is about.
create or replace function parley_private.doc_in_short(session parley.sessions)
returns parley.briefing
language plpgsql stable
set search_path = ''
as $$
declare
  v_doc      text := left(parley_private.doc_text_at(session.id, session.session_doc_version), 100000);
  v_briefing parley.briefing;
begin
  v_briefing.outline := array(
    select row(o.level, parley_private.cut(o.title, 100))::parley.heading
    from parley_private.doc_outline(v_doc) o
    where o.level <= 3 and o.title <> ''
    order by o.at_byte limit 30
  );
  v_briefing.decided := parley_private.last_lines(parley_private.section_of(v_doc, 'Decisions'), 500);
  return v_briefing;
end;
$$;

-- What the document tells may have been read before, where it would keep others waiting.
create or replace function parley_private.briefing(session parley.sessions, reader parley.participants, document parley.briefing)
returns parley.briefing
language plpgsql stable
set search_path = ''
as $$
declare
  c_most     constant integer := 8;
  c_counted  constant integer := 1000;
  v_after    constant integer := greatest(reader.cursor, reader.handed_cursor);
  v_unread   constant integer := parley_private.unread(reader);
  v_working  constant timestamptz := parley_private.since('working_seconds', clock_timestamp());
  v_briefing parley.briefing := document;
  v_newest   integer[];
  v_left_out parley.briefing_rest;
begin
  v_briefing.teams := array(
    select row(
      p.handle, p.team_name, p.kind, p.id = session.created_by, coalesce(p.id = reader.id, false),
      parley_private.activity_of(p.left_at, parley_private.is_listening(p.session_id, p.id), p.last_seen_at, v_working),
      parley_private.doing_of(p))::parley.briefing_team
    -- Chosen first, by what it takes to choose: of a thousand teams only these are read whole, each by its key.
    from (
      select l.id from parley.participants l
      where l.session_id = session.id and l.left_at is null
      order by l.last_seen_at desc, l.id limit c_most
    ) last_seen
    cross join lateral (select p.* from parley.participants p where p.session_id = session.id and p.id = last_seen.id offset 0) p
    order by p.last_seen_at desc, p.id
  );
  v_briefing.tasks := parley_private.tasks_in_short(session.id, reader.id);
  v_briefing.questions := array(
    select parley_private.as_note(q) from parley_private.open_questions_to(reader) q limit c_most
  );
  v_briefing.decisions := array(
    select parley_private.as_note(m) from parley.messages m
    where m.session_id = session.id and m.kind = 'decision'
    order by m.sequence desc limit c_most
  );
  v_briefing.messages := '{}';
  if v_unread > 0 then
    v_newest := array(
      select m.sequence from parley.messages m
      where m.session_id = session.id and m.sequence > v_after and m.caused_by is distinct from reader.id
      order by m.sequence desc limit c_most
    );
    v_briefing.messages := parley_private.read_feed(
      session.id, v_newest[cardinality(v_newest)] - 1, session.last_sequence, reader.id, 280, picked => v_newest);
  end if;

  v_left_out.teams := (
    select count(*) from parley.participants p where p.session_id = session.id and p.left_at is null
  ) - cardinality(v_briefing.teams);
  v_left_out.questions := (
    select count(*) from (select from parley_private.open_questions_to(reader) limit c_counted) q
  ) - cardinality(v_briefing.questions);
  v_left_out.decisions := (
    select count(*) from (select from parley.messages m where m.session_id = session.id and m.kind = 'decision' limit c_counted) d
  ) - cardinality(v_briefing.decisions);
  v_left_out.messages := v_unread - cardinality(v_briefing.messages);
  if v_left_out.teams + v_left_out.questions + v_left_out.decisions + v_left_out.messages > 0 then
    v_briefing.left_out := v_left_out;
  end if;
  return v_briefing;
end;
$$;

grant execute on function parley_private.doing_of, parley_private.doc_in_short, parley_private.briefing to parley_caller;
