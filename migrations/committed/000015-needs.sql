--! Previous: sha1:ef17743fc66f0ea82edb6ab7d6a5930bd984aed3
--! Hash: sha1:101952c049845bb01072762122e5ac85f609ffb2
--! Message: needs

-- Enter migration here
-- What needs a person, the list of sessions, and notifications.
alter table parley.sessions add column if not exists conclusion text;
create index if not exists open_sessions_by_activity on parley.sessions (active_minute desc) where status = 'active';
create index if not exists tasks_that_are_blocked on parley.tasks (session_id, task) where status = 'blocked';
--! Included tables/blockers.sql
-- What teams have said they are stuck at, each until somebody else has replied: people are shown it, however long the feed.
-- No foreign key: a row comes with its message, which is never changed or deleted.
create table if not exists parley.blockers (
  session_id uuid not null,
  sequence integer not null,
  raised_by integer not null,
  constraint blockers_are_messages primary key (session_id, sequence)
);

comment on table parley.blockers is '@behavior -*
The messages of kind blocker that nobody has answered.';
comment on column parley.blockers.session_id is 'The session.';
comment on column parley.blockers.sequence is 'The cursor of the message.';
comment on column parley.blockers.raised_by is 'Its author, among the participants.';

alter table parley.blockers enable row level security;
alter table parley.blockers force row level security;

drop policy if exists blockers_are_readable on parley.blockers;
create policy blockers_are_readable on parley.blockers for select to parley_caller using (
  (select parley_private.sees_all()) or parley_private.sees_session(session_id)
);
drop policy if exists blockers_are_kept_by_the_owner on parley.blockers;
create policy blockers_are_kept_by_the_owner on parley.blockers to parley_owner using (true) with check (true);

grant select on parley.blockers to parley_caller;

-- A reply of anybody ends it, its author's too: it says how it went on.
create or replace function parley_private.keep_blockers(newest parley.messages)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if newest.kind = 'blocker' and newest.type = 'chat' then
    insert into parley.blockers (session_id, sequence, raised_by) values (newest.session_id, newest.sequence, newest.posted_by);
    perform parley_private.notify('inbox ' || newest.session_id);
  end if;
  if newest.reply_to is not null then
    delete from parley.blockers b where b.session_id = newest.session_id and b.sequence = newest.reply_to;
    if found then
      perform parley_private.notify('inbox ' || newest.session_id);
    end if;
  end if;
end;
$$;
--! EndIncluded tables/blockers.sql
--! Included tables/archived_sessions.sql
-- What a person has put away from their list of sessions. It concerns nobody else, and the session not at all.
create table if not exists parley_private.archived_sessions (
  user_id uuid not null,
  session_id uuid not null,
  archived_at timestamptz not null default now(),
  constraint archived_sessions_are_once_per_person primary key (user_id, session_id),
  constraint archived_sessions_are_of_a_person foreign key (user_id) references parley_private.users (id),
  constraint archived_sessions_are_sessions foreign key (session_id) references parley.sessions (id) on delete cascade
);

create index if not exists archived_sessions_by_session on parley_private.archived_sessions (session_id);

comment on table parley_private.archived_sessions is 'What a person has put away from their list.';
comment on column parley_private.archived_sessions.user_id is 'The person.';
comment on column parley_private.archived_sessions.session_id is 'The session.';
comment on column parley_private.archived_sessions.archived_at is 'Since when.';

alter table parley_private.archived_sessions enable row level security;
alter table parley_private.archived_sessions force row level security;

drop policy if exists archived_sessions_are_kept_by_the_owner on parley_private.archived_sessions;
create policy archived_sessions_are_kept_by_the_owner on parley_private.archived_sessions to parley_owner using (true) with check (true);
--! EndIncluded tables/archived_sessions.sql
--! Included tables/push_keys.sql
-- What this server signs its notifications with (VAPID): made at the first start, and read by nobody but the worker.
create table if not exists parley_private.push_keys (
  one boolean not null default true,
  public_key text not null,
  private_key text not null,
  made_at timestamptz not null default now(),
  constraint push_keys_are_one primary key (one),
  constraint push_keys_are_no_more_than_one check (one)
);

comment on table parley_private.push_keys is 'The keys that notifications are signed with.';
comment on column parley_private.push_keys.one is 'There is one pair.';
comment on column parley_private.push_keys.public_key is 'What browsers are given.';
comment on column parley_private.push_keys.private_key is 'What signs.';
comment on column parley_private.push_keys.made_at is 'When they were made.';

alter table parley_private.push_keys enable row level security;
alter table parley_private.push_keys force row level security;

drop policy if exists push_keys_are_kept_by_the_owner on parley_private.push_keys;
create policy push_keys_are_kept_by_the_owner on parley_private.push_keys to parley_owner using (true) with check (true);
--! EndIncluded tables/push_keys.sql
--! Included tables/push_subscriptions.sql
-- The browsers that want to be told when something waits for their person, also while no page is open.
create table if not exists parley_private.push_subscriptions (
  endpoint text not null,
  user_id uuid not null,
  p256dh text not null,
  auth text not null,
  created_at timestamptz not null default now(),
  constraint push_subscriptions_have_an_endpoint primary key (endpoint),
  constraint push_subscriptions_are_of_a_person foreign key (user_id) references parley_private.users (id)
);

create index if not exists push_subscriptions_by_person on parley_private.push_subscriptions (user_id);

comment on table parley_private.push_subscriptions is 'The browsers that are notified.';
comment on column parley_private.push_subscriptions.endpoint is 'Where its push service takes notifications.';
comment on column parley_private.push_subscriptions.user_id is 'Whose browser it is.';
comment on column parley_private.push_subscriptions.p256dh is 'The key that only the browser can open.';
comment on column parley_private.push_subscriptions.auth is 'And the secret that goes with it.';
comment on column parley_private.push_subscriptions.created_at is 'Since when.';

alter table parley_private.push_subscriptions enable row level security;
alter table parley_private.push_subscriptions force row level security;

drop policy if exists push_subscriptions_are_kept_by_the_owner on parley_private.push_subscriptions;
create policy push_subscriptions_are_kept_by_the_owner on parley_private.push_subscriptions to parley_owner using (true) with check (true);
--! EndIncluded tables/push_subscriptions.sql
--! Included tables/notices.sql
-- What a person wants to be notified of: in general, and in sessions for which they have said otherwise.
create table if not exists parley_private.notices (
  user_id uuid not null,
  session_id uuid,
  kinds text[] not null,
  constraint notices_are_once_per_person_and_session unique nulls not distinct (user_id, session_id),
  constraint notices_are_of_a_person foreign key (user_id) references parley_private.users (id),
  constraint notices_are_about_a_session foreign key (session_id) references parley.sessions (id) on delete cascade,
  constraint notices_are_of_known_kinds check (kinds <@ array['question', 'blocker', 'permission', 'stalled', 'idle'])
);

create index if not exists notices_by_session on parley_private.notices (session_id) where session_id is not null;

comment on table parley_private.notices is 'What people want to be notified of.';
comment on column parley_private.notices.user_id is 'The person.';
comment on column parley_private.notices.session_id is 'The session that it holds for; null: all others.';
comment on column parley_private.notices.kinds is 'question, blocker, permission, stalled, idle; empty: nothing.';

alter table parley_private.notices enable row level security;
alter table parley_private.notices force row level security;

drop policy if exists notices_are_kept_by_the_owner on parley_private.notices;
create policy notices_are_kept_by_the_owner on parley_private.notices to parley_owner using (true) with check (true);
--! EndIncluded tables/notices.sql
--! Included tables/notified.sql
-- What people were notified of, as long as it waits: nobody is told of the same thing twice.
create table if not exists parley_private.notified (
  user_id uuid not null,
  session_id uuid not null,
  need text not null,
  at timestamptz not null default clock_timestamp(),
  constraint notified_is_once_per_need primary key (user_id, session_id, need),
  constraint notified_are_people foreign key (user_id) references parley_private.users (id),
  constraint notified_is_about_a_session foreign key (session_id) references parley.sessions (id) on delete cascade
);

create index if not exists notified_by_session on parley_private.notified (session_id);

comment on table parley_private.notified is '@backup none
What people were notified of.';
comment on column parley_private.notified.user_id is 'The person.';
comment on column parley_private.notified.session_id is 'The session.';
comment on column parley_private.notified.need is 'What waits there: its kind and where it stands.';
comment on column parley_private.notified.at is 'When.';

alter table parley_private.notified enable row level security;
alter table parley_private.notified force row level security;

drop policy if exists notified_is_kept_by_the_owner on parley_private.notified;
create policy notified_is_kept_by_the_owner on parley_private.notified to parley_owner using (true) with check (true);
--! EndIncluded tables/notified.sql
do $$
begin
  create type parley.row_team as (handle text, team_name text, kind text, activity text, doing text);
  create type parley.session_row as (
    id uuid,
    ref text,
    title text,
    description text,
    state text,
    paused boolean,
    needs integer,
    open_questions integer,
    last_cursor integer,
    doc_version integer,
    last_activity_at timestamptz,
    said_by text,
    said jsonb,
    teams parley.row_team[],
    team_count integer,
    conclusion text,
    origin text,
    relation text,
    family text,
    board text,
    zone text,
    archived boolean
  );
  create type parley.session_rows as (rows parley.session_row[], total integer, has_more boolean);
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.need as (
    id text,
    kind text,
    session_id uuid,
    ref text,
    title text,
    cursor integer,
    handle text,
    team_name text,
    sender text,
    task integer,
    text text,
    at timestamptz,
    ask boolean,
    options text[],
    "default" text,
    expires_at timestamptz,
    request text,
    choices jsonb
  );
exception when duplicate_object then null;
end $$;
