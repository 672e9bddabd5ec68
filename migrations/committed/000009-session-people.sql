--! Previous: sha1:2bdff8e5463cd1c4cb95ff3b4f67eaf289c713bf
--! Hash: sha1:309ee7216aa06f78a27b57284aa8510974cb2541
--! Message: session people

-- People in a session: asks, invitations, removal.
-- Its policy asks there.
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

-- Where that is not so. A page is mostly of one session: what was found for the row before holds for the next. Its cost is said to be
-- small, so that no plan is chosen to ask it less often.
create or replace function parley_private.sees_session(session_id uuid)
returns boolean
language plpgsql stable security definer cost 1
set search_path = ''
as $$
begin
  if current_setting('parley.sight', true) <> '' and current_setting('parley.seen_session', true) = session_id::text then
    return true;
  end if;
  if not exists (select from parley.sessions s where s.id = sees_session.session_id and parley_private.sees(s)) then
    return false;
  end if;
  perform set_config('parley.seen_session', session_id::text, true);
  return true;
end;
$$;

grant execute on function parley_private.sees_session, parley_private.sees_public, parley_private.sees_own, parley_private.sees_all to parley_caller;
--! EndIncluded private/sees.sql
--! Included tables/asks.sql
-- Questions to people that are answered once: by a person, or by time. The question is a message like any other; here stands what
-- may be answered, and what was. No foreign key to it: a message is never changed or deleted, except with its session.
create table if not exists parley.asks (
  session_id uuid not null,
  sequence integer not null,
  options text[] not null default '{}',
  default_answer text,
  expires_at timestamptz,
  answered_at timestamptz,
  answer integer,
  constraint asks_are_messages primary key (session_id, sequence),
  constraint asks_belong_to_a_session foreign key (session_id) references parley.sessions (id) on delete cascade
);

-- What the sweep looks for: whose time will be over.
create index if not exists asks_that_expire on parley.asks (expires_at) where answered_at is null and expires_at is not null;

comment on table parley.asks is '@behavior -*
The questions to people that are answered once.';
comment on column parley.asks.session_id is 'The session that it was asked in.';
comment on column parley.asks.sequence is 'The cursor of the question.';
comment on column parley.asks.options is 'The answers to choose from; empty: any text.';
comment on column parley.asks.default_answer is 'The answer when its time is over; null: none.';
comment on column parley.asks.expires_at is 'When its time is over; null: never.';
comment on column parley.asks.answered_at is 'When it was answered, expired or withdrawn; null while it is open.';
comment on column parley.asks.answer is 'The cursor of the message that has settled it; null if the session was concluded first.';

alter table parley.asks enable row level security;
alter table parley.asks force row level security;

drop policy if exists asks_are_readable on parley.asks;
create policy asks_are_readable on parley.asks for select to parley_caller using (
  (select parley_private.sees_all()) or parley_private.sees_session(session_id)
);
drop policy if exists asks_are_kept_by_the_owner on parley.asks;
create policy asks_are_kept_by_the_owner on parley.asks to parley_owner using (true) with check (true);

grant select on parley.asks to parley_caller;
--! EndIncluded tables/asks.sql

alter table parley.participants add column if not exists removed_at timestamptz;

alter table parley_private.invites
  add column if not exists made_under_key uuid,
  add column if not exists made_by_user uuid,
  drop constraint if exists invites_are_made_under_a_key,
  drop constraint if exists invites_are_made_by_a_person;
alter table parley_private.invites
  add constraint invites_are_made_under_a_key foreign key (made_under_key) references parley_private.keys (id),
  add constraint invites_are_made_by_a_person foreign key (made_by_user) references parley_private.users (id);
create index if not exists invites_made_under_a_key on parley_private.invites (made_under_key) where made_under_key is not null;
create index if not exists invites_made_by_a_person on parley_private.invites (made_by_user) where made_by_user is not null;
create index if not exists open_questions_to_humans on parley.open_questions (session_id, sequence) where 'humans' = any (addressed_to);

do $$
begin
  create domain parley.duration as text;
  create type parley.asked_people as (message_id uuid, cursor integer, at timestamptz, expires_at timestamptz, unread integer);
  create type parley.session_access as (session_id uuid, visibility text, mode text, unread integer);
  create type parley.pause_state as (session_id uuid, paused boolean, paused_at timestamptz, reason text, unread integer);
  create type parley.removed_team as (session_id uuid, handle text, removed_at timestamptz, unread integer);
  create type parley.session_invite as (url text, invite text, expires_at timestamptz, uses integer, unread integer);
  create type parley.revoked_invites as (session_id uuid, revoked integer, unread integer);
  create type parley.accepted_invite as (session_id uuid, ref text, title text, url text);
  create type parley.inbox_item as (
    session_id uuid, ref text, title text, url text, message_id uuid, cursor integer, handle text, team_name text, sender text,
    guest boolean, text text, "to" text[], at timestamptz, ask boolean, options text[], "default" text, expires_at timestamptz);
  create type parley.inbox as (items parley.inbox_item[], has_more boolean);
  create type parley.ask_state as (
    options text[], "default" text, expires_at timestamptz, open boolean, answer text, answered_by text, answered_at timestamptz,
    expired boolean);
exception when duplicate_object then null;
end $$;

do $$
begin
  alter type parley.roster_entry add attribute guest boolean;
exception when duplicate_column then null;
end $$;

do $$
begin
  alter type parley.feed_message add attribute guest boolean, add attribute answer text, add attribute expired boolean;
exception when duplicate_column then null;
end $$;

do $$
begin
  alter type parley.note add attribute sender text, add attribute guest boolean;
exception when duplicate_column then null;
end $$;

do $$
begin
  alter type parley.search_hit add attribute sender text, add attribute guest boolean;
exception when duplicate_column then null;
end $$;

do $$
begin
  alter type parley.session_details
    add attribute visibility text, add attribute mode text, add attribute paused boolean, add attribute paused_at timestamptz,
    add attribute pause_reason text;
exception when duplicate_column then null;
end $$;

do $$
begin
  alter type parley.replies add attribute answer text, add attribute expired boolean;
exception when duplicate_column then null;
end $$;
