-- Where sessions come from has a table of its own; what was resumed before is the first that it holds.
--!include tables/lineage.sql
do $$
begin
  if exists (select from pg_attribute where attrelid = 'parley.sessions'::regclass and attname = 'continues' and not attisdropped) then
    execute 'insert into parley.lineage (session_id, origin_id, relation, origin_cursor)
      select s.id, s.continues, ''resumed'', o.last_sequence from parley.sessions s join parley.sessions o on o.id = s.continues
      on conflict do nothing';
  end if;
end $$;
drop trigger if exists _500_notify_continued on parley.sessions;
alter table parley.sessions drop column if exists continues;

-- Boards, and where sessions stand on them.
--!include tables/boards.sql
--!include tables/placements.sql

-- The teams that were interrupted and do not know it yet.
--!include tables/interrupts.sql

-- What the new verbs answer with, and what others tell beside.
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

do $$
begin
  create type parley.heading as (level integer, title text);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.briefing_rest as (teams integer, questions integer, decisions integer, messages integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.briefing as (
    teams parley.briefing_team[],
    questions parley.note[],
    decisions parley.note[],
    decided text,
    outline parley.heading[],
    messages parley.feed_message[],
    left_out parley.briefing_rest
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.fork_point as (ref text, cursor integer);
exception when duplicate_object then null;
end $$;

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

do $$
begin
  create type parley.lineage_entry as (ref text, title text, status text, relation text, of text);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.lineage_tree as (
    ref text,
    title text,
    status text,
    relation text,
    of text,
    ancestors parley.lineage_entry[],
    descendants parley.lineage_entry[],
    has_more boolean,
    unread integer
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.board_summary as (
    board text,
    name text,
    description text,
    zones text[],
    sessions integer,
    created_at timestamptz
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.board_list as (boards parley.board_summary[], has_more boolean);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.board_session as (
    session_id uuid,
    ref text,
    title text,
    status text,
    zone text,
    teams integer,
    last_cursor integer,
    last_activity_at timestamptz,
    placed_at timestamptz
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.board_details as (
    board text,
    name text,
    description text,
    zones text[],
    sessions parley.board_session[],
    has_more boolean,
    url text,
    created_at timestamptz
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.placed_session as (
    session_id uuid,
    ref text,
    board text,
    zone text,
    placed_at timestamptz,
    unread integer
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.caught_up as (
    session_id uuid,
    ref text,
    title text,
    description text,
    status text,
    handle text,
    cursor integer,
    last_cursor integer,
    doc_version integer,
    unread integer,
    teams parley.briefing_team[],
    questions parley.note[],
    decisions parley.note[],
    decided text,
    outline parley.heading[],
    messages parley.feed_message[],
    left_out parley.briefing_rest
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.interrupted_team as (handle text, cursor integer, at timestamptz, listening boolean, unread integer);
exception when duplicate_object then null;
end $$;

do $$ begin alter type parley.feed_message add attribute ref text; exception when duplicate_column then null; end $$;
do $$ begin alter type parley.feed_message add attribute title text; exception when duplicate_column then null; end $$;
do $$ begin alter type parley.feed_message add attribute conclusion text; exception when duplicate_column then null; end $$;
do $$ begin alter type parley.joined_session add attribute briefing parley.briefing; exception when duplicate_column then null; end $$;
do $$ begin alter type parley.session_details add attribute spawned_from text; exception when duplicate_column then null; end $$;
do $$ begin alter type parley.session_details add attribute forked_from parley.fork_point; exception when duplicate_column then null; end $$;
do $$ begin alter type parley.session_details add attribute board text; exception when duplicate_column then null; end $$;
do $$ begin alter type parley.session_details add attribute zone text; exception when duplicate_column then null; end $$;
do $$ begin alter type parley.resumed_session add attribute briefing parley.briefing; exception when duplicate_column then null; end $$;
do $$ begin alter type parley.session_summary add attribute board text; exception when duplicate_column then null; end $$;
do $$ begin alter type parley.session_summary add attribute zone text; exception when duplicate_column then null; end $$;
