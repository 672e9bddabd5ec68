--! Previous: sha1:c2c239600080fcb4eb2fe56f0d8a845b88c59645
--! Hash: sha1:5ddcb0e860e798f7684beaa0a38eaaae7b570eeb
--! Message: family

--! Included private/sees.sql
-- What the policies of the tables ask, before any of them stands: db/private/sight.sql knows the answers.
create or replace function parley_private.sees_public()
returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.sight() <> 'some';
end;
$$;

create or replace function parley_private.sees_own()
returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  perform parley_private.sight();
  return current_setting('parley.own_sessions', true)::uuid[];
end;
$$;

-- Whether every session there is can be seen: then nothing has to be asked row by row.
create or replace function parley_private.sees_all()
returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return case parley_private.sight()
    when 'all' then true
    when 'public' then not exists (select from parley.sessions s where s.visibility = 'members')
    else false
  end;
end;
$$;

-- Where that is not so. Its cost is said to be small, so that no plan is chosen to ask it less often.
create or replace function parley_private.sees_session(session_id uuid)
returns boolean
language plpgsql stable security definer cost 1
set search_path = ''
as $$
begin
  return exists (select from parley.sessions s where s.id = sees_session.session_id and parley_private.sees(s));
end;
$$;

grant execute on function parley_private.sees_session, parley_private.sees_public, parley_private.sees_own, parley_private.sees_all to parley_caller;
--! EndIncluded private/sees.sql
-- Where sessions come from has a table of its own; what was resumed before is the first that it holds.
--! Included tables/lineage.sql
-- Where a session comes from, if it comes from another: what resume, spawn and fork have made. Each comes from one at most, and
-- from an older one, so that the rows are trees.
create table if not exists parley.lineage (
  session_id uuid not null,
  origin_id uuid not null,
  relation text not null,
  origin_cursor integer not null default 0,
  spawned_by integer,
  constraint lineage_has_one_origin_per_session primary key (session_id),
  constraint lineage_belongs_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint lineage_leads_to_a_session foreign key (origin_id) references parley.sessions (id) on delete cascade,
  constraint spawned_sessions_have_a_parent_team foreign key (origin_id, spawned_by) references parley.participants (session_id, id) on delete cascade,
  constraint lineage_leads_to_another check (session_id <> origin_id),
  constraint lineage_relations_are_three check (relation in ('spawned', 'forked', 'resumed')),
  constraint spawned_sessions_say_by_whom check ((spawned_by is not null) = (relation = 'spawned'))
);

create index if not exists lineage_of_an_origin on parley.lineage (origin_id, spawned_by);

comment on table parley.lineage is '@behavior -*
Which session was spawned by, forked from or resumed another.';
comment on column parley.lineage.session_id is 'The later session.';
comment on column parley.lineage.origin_id is 'The session that it comes from.';
comment on column parley.lineage.relation is 'spawned (a part of the work, given away), forked (another way from the same point) or resumed (picked up after its end).';
comment on column parley.lineage.origin_cursor is 'The message of the origin that it starts from.';
comment on column parley.lineage.spawned_by is 'The team of the origin that has spawned it.';

alter table parley.lineage enable row level security;
alter table parley.lineage force row level security;

drop policy if exists lineage_is_readable on parley.lineage;
create policy lineage_is_readable on parley.lineage for select to parley_caller using (
  (select parley_private.sees_all()) or parley_private.sees_session(session_id) and parley_private.sees_session(origin_id)
);
drop policy if exists lineage_is_kept_by_the_owner on parley.lineage;
create policy lineage_is_kept_by_the_owner on parley.lineage to parley_owner using (true) with check (true);

grant select on parley.lineage to parley_caller;

-- Whoever looks at a session sees what has become of those that come from it, however far down.
create or replace function parley_private.notify_lineage(session_id uuid)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('lineage ' || line.id)
  from (
    with recursive line as (
      select notify_lineage.session_id as id
      union
      select l.origin_id from line join parley.lineage l on l.session_id = line.id
    )
    select line.id from line
  ) line;
end;
$$;

create or replace function parley_private.tg_lineage__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('session ' || new.origin_id);
  perform parley_private.notify_lineage(new.session_id);
  return null;
end;
$$;

create or replace function parley_private.tg_sessions__notify_lineage()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  if exists (select from parley.lineage l where new.id in (l.session_id, l.origin_id)) then
    perform parley_private.notify_lineage(new.id);
  end if;
  return null;
end;
$$;

drop trigger if exists _500_notify on parley.lineage;
create trigger _500_notify after insert on parley.lineage
  for each row execute function parley_private.tg_lineage__notify();
drop trigger if exists _500_notify_lineage on parley.sessions;
create trigger _500_notify_lineage after update of title, status on parley.sessions
  for each row execute function parley_private.tg_sessions__notify_lineage();
--! EndIncluded tables/lineage.sql
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
--! Included tables/boards.sql
-- A board groups sessions in zones: what is planned, what is in progress, what is done.
create table if not exists parley.boards (
  slug text not null,
  name text not null,
  description text not null default '',
  zones text[] not null,
  created_at timestamptz not null default now(),
  constraint boards_are_found_by_their_slug primary key (slug),
  constraint boards_have_zones check (cardinality(zones) > 0)
);

create index if not exists boards_by_creation on parley.boards (created_at desc, slug);

comment on table parley.boards is 'A board: sessions, grouped in zones.';
comment on column parley.boards.slug is 'What it is called everywhere, made from its name: billing, billing-2.';
comment on column parley.boards.name is 'Its name.';
comment on column parley.boards.description is 'What it is for.';
comment on column parley.boards.zones is 'The names of its zones, in their order.';
comment on column parley.boards.created_at is 'When it was created.';

alter table parley.boards enable row level security;
alter table parley.boards force row level security;

drop policy if exists boards_are_readable on parley.boards;
create policy boards_are_readable on parley.boards for select to parley_caller using (true);
drop policy if exists boards_are_kept_by_the_owner on parley.boards;
create policy boards_are_kept_by_the_owner on parley.boards to parley_owner using (true) with check (true);

grant select on parley.boards to parley_caller;

create or replace function parley_private.tg_boards__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('board ' || new.slug);
  return null;
end;
$$;

drop trigger if exists _500_notify on parley.boards;
create trigger _500_notify after insert or update on parley.boards
  for each row execute function parley_private.tg_boards__notify();
--! EndIncluded tables/boards.sql
--! Included tables/placements.sql
-- Where a session stands: on one board at most, in one of its zones.
create table if not exists parley.placements (
  session_id uuid not null,
  board text not null,
  zone text not null,
  placed_at timestamptz not null default clock_timestamp(),
  constraint sessions_are_on_one_board primary key (session_id),
  constraint placements_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint placements_are_on_a_board foreign key (board) references parley.boards (slug)
);

create index if not exists placements_of_a_board on parley.placements (board, placed_at desc);

comment on table parley.placements is 'Which session stands on which board.';
comment on constraint placements_belong_to_a_session on parley.placements is '@foreignFieldName placement';
comment on constraint placements_are_on_a_board on parley.placements is '@fieldName board
@foreignFieldName placements';
comment on column parley.placements.session_id is 'The session.';
comment on column parley.placements.board is '@behavior -*
The board.';
comment on column parley.placements.zone is 'One of the zones of the board.';
comment on column parley.placements.placed_at is 'When it came there.';

alter table parley.placements enable row level security;
alter table parley.placements force row level security;

drop policy if exists placements_are_readable on parley.placements;
create policy placements_are_readable on parley.placements for select to parley_caller using (
  (select parley_private.sees_all()) or parley_private.sees_session(session_id)
);
drop policy if exists placements_are_kept_by_the_owner on parley.placements;
create policy placements_are_kept_by_the_owner on parley.placements to parley_owner using (true) with check (true);

grant select on parley.placements to parley_caller;

-- Both boards of a session that moves from one to another have changed.
create or replace function parley_private.tg_placements__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('board ' || new.board);
  if tg_op = 'UPDATE' and old.board <> new.board then
    perform parley_private.notify('board ' || old.board);
  end if;
  return null;
end;
$$;

-- A board shows the titles of its sessions, and which of them are concluded.
create or replace function parley_private.tg_sessions__notify_board()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('board ' || p.board) from parley.placements p where p.session_id = new.id;
  return null;
end;
$$;

drop trigger if exists _500_notify_board on parley.sessions;
create trigger _500_notify_board after update of title, status on parley.sessions
  for each row execute function parley_private.tg_sessions__notify_board();
drop trigger if exists _500_notify on parley.placements;
create trigger _500_notify after insert or update on parley.placements
  for each row execute function parley_private.tg_placements__notify();
--! EndIncluded tables/placements.sql

-- The teams that were interrupted and do not know it yet.
--! Included tables/interrupts.sql
-- The teams that were interrupted and do not know it yet: one row each, until an answer has told them.
create table if not exists parley_private.interrupts (
  session_id uuid not null,
  participant_id integer not null,
  by text not null,
  reason text not null,
  cursor integer not null,
  constraint interrupts_are_one_per_team primary key (session_id, participant_id),
  constraint interrupts_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id)
);

comment on table parley_private.interrupts is 'The teams that were interrupted and have not been told yet.';
comment on column parley_private.interrupts.session_id is 'The session.';
comment on column parley_private.interrupts.participant_id is 'The team.';
comment on column parley_private.interrupts.by is 'The handle of whoever interrupted it last.';
comment on column parley_private.interrupts.reason is 'Why.';
comment on column parley_private.interrupts.cursor is 'The message that tells everybody.';

alter table parley_private.interrupts enable row level security;
alter table parley_private.interrupts force row level security;

drop policy if exists interrupts_are_kept_by_the_owner on parley_private.interrupts;
create policy interrupts_are_kept_by_the_owner on parley_private.interrupts to parley_owner using (true) with check (true);
--! EndIncluded tables/interrupts.sql

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
