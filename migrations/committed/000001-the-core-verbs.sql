--! Previous: -
--! Hash: sha1:5195250349711c4b1ba7a5d34bd1c592b355f51f
--! Message: The core verbs

--! Included index.sql
--! Included schemas.sql
-- parley is the product (tables to read, verbs to call); parley_private is what the verbs are made of.
create schema if not exists parley;
create schema if not exists parley_private;

grant usage on schema parley, parley_private to parley_caller;
grant usage on schema parley_private to parley_worker;

-- Without "in schema": with it the statement would do nothing, because PUBLIC's right is a global default.
alter default privileges revoke execute on functions from public;

comment on schema parley is 'Sessions in which agent teams talk, keep one document and conclude.';
--! EndIncluded schemas.sql

--! Included private/fail.sql
-- The one way to refuse. The SQLSTATE carries the HTTP status (PT409), the detail carries what callers
-- may know; REST, MCP and GraphQL all read it from there.
create or replace function parley_private.fail(
  status integer,
  code text,
  message text,
  hint text default null,
  details jsonb default '{}'
)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  raise exception using
    errcode = 'PT' || fail.status,
    message = fail.message,
    detail = jsonb_build_object(
      'code', fail.code,
      'details', fail.details || case when fail.hint is null then '{}'::jsonb else jsonb_build_object('hint', fail.hint) end
    )::text;
end;
$$;

grant execute on function parley_private.fail to parley_caller;

-- Most refusals are about one argument.
create or replace function parley_private.refuse_argument(field text, message text, hint text default null)
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(400, 'invalid_argument', message, hint, jsonb_build_object('field', field));
$$;

grant execute on function parley_private.refuse_argument to parley_caller;
--! EndIncluded private/fail.sql
--! Included private/notify.sql
-- Tells who listens that something has changed; ids only, never content.
--
-- NOTIFY holds a lock over the whole database from before the commit until after it is on disk, so that posts of
-- different sessions would queue up for the disk one by one. A server that says so (begin_call) therefore gets the
-- topics with its answer and notifies right after the commit, many at a time; if it dies in between, waits look by
-- themselves within two seconds. For everyone else the notification is part of the transaction, as usual.
create or replace function parley_private.notify(topic text)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if current_setting('parley.collects_topics', true) = 'yes' then
    perform set_config('parley.topics', concat_ws(',', nullif(current_setting('parley.topics', true), ''), topic), true);
  else
    perform pg_notify('parley', topic);
  end if;
end;
$$;
--! EndIncluded private/notify.sql
--! Included tables/settings.sql
-- One row per setting, with all that a page or a check needs to know about it.
create table if not exists parley.settings (
  name text not null,
  value jsonb not null,
  type text not null,
  default_value jsonb not null,
  minimum integer,
  maximum integer,
  description text not null,
  updated_at timestamptz,
  constraint settings_have_one_row_each primary key (name),
  constraint settings_have_a_known_type check (type in ('integer', 'url'))
);

comment on table parley.settings is 'The rules and limits of this server. A change applies at once, on every replica.';
comment on column parley.settings.updated_at is 'When the value was last changed; null while nobody has.';

alter table parley.settings enable row level security;
alter table parley.settings force row level security;

drop policy if exists settings_are_readable on parley.settings;
create policy settings_are_readable on parley.settings for select to parley_caller using (true);
drop policy if exists settings_are_kept_by_the_owner on parley.settings;
create policy settings_are_kept_by_the_owner on parley.settings to parley_owner using (true) with check (true);

grant select on parley.settings to parley_caller;

create or replace function parley_private.tg_settings__check()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
declare
  v_number numeric;
begin
  if new.type = 'integer' then
    if jsonb_typeof(new.value) <> 'number' then
      perform parley_private.refuse_argument(new.name, format('%s must be a whole number.', new.name));
    end if;
    v_number := new.value::text::numeric;
    if v_number <> trunc(v_number) or v_number < new.minimum or v_number > new.maximum then
      perform parley_private.refuse_argument(
        new.name, format('%s must be a whole number from %s to %s.', new.name, new.minimum, new.maximum));
    end if;
    new.value := to_jsonb(v_number::integer);
  elsif jsonb_typeof(new.value) <> 'string' or new.value #>> '{}' !~ '^(https?://[^\s/?#]+(/[^\s?#]*)?)?$' then
    perform parley_private.refuse_argument(
      new.name, format('%s must be empty or an address that starts with http:// or https://.', new.name));
  end if;

  if tg_op = 'UPDATE' and new.value is distinct from old.value then
    new.updated_at := now();
  end if;
  return new;
end;
$$;

create or replace function parley_private.tg_settings__presence_in_order()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  if parley_private.setting('presence_active_seconds') >= parley_private.setting('presence_idle_seconds') then
    perform parley_private.refuse_argument(
      new.name, 'presence_active_seconds must be smaller than presence_idle_seconds.');
  end if;
  return null;
end;
$$;

create or replace function parley_private.tg_settings__stay()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.fail(403, 'forbidden', 'Settings are changed, not removed: the rules rely on every one of them.');
  return null;
end;
$$;

create or replace function parley_private.tg_settings__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('settings');
  return null;
end;
$$;

-- Whole numbers are what the rules ask for; texts have their own readers. In plpgsql, because every verb asks: a plan
-- that is kept costs less than an SQL function that cannot be inlined.
create or replace function parley_private.setting(name text)
returns integer
language plpgsql stable strict
set search_path = ''
as $$
begin
  return (select (s.value #>> '{}')::integer from parley.settings s where s.name = setting.name);
end;
$$;

grant execute on function parley_private.setting to parley_caller;

drop trigger if exists _100_check on parley.settings;
create trigger _100_check before insert or update on parley.settings
  for each row execute function parley_private.tg_settings__check();
drop trigger if exists _100_stay on parley.settings;
create trigger _100_stay before delete or truncate on parley.settings
  for each statement execute function parley_private.tg_settings__stay();
drop trigger if exists _200_presence_in_order on parley.settings;
create trigger _200_presence_in_order after update on parley.settings
  for each row when (new.name like 'presence%') execute function parley_private.tg_settings__presence_in_order();
drop trigger if exists _500_notify on parley.settings;
create trigger _500_notify after insert or update on parley.settings
  for each statement execute function parley_private.tg_settings__notify();

insert into parley.settings as s (name, type, value, default_value, minimum, maximum, description)
select name, type, value, value, minimum, maximum, description
from (values
  ('mcp_url', 'url', '""'::jsonb, null::integer, null::integer,
    'The link that agents connect to, e.g. https://parley.example.com/mcp. Empty: taken from the address of each request.'),
  ('title_max', 'integer', '200', 1, 1000, 'Longest title of a session, in characters.'),
  ('description_max', 'integer', '10000', 0, 100000, 'Longest description of a session, in characters.'),
  ('team_name_max', 'integer', '80', 1, 200, 'Longest name of a team, in characters.'),
  ('message_max', 'integer', '65536', 1, 1000000, 'Longest text of a message, in characters.'),
  ('reason_max', 'integer', '1000', 1, 10000, 'Longest reason for a change of title or description, in characters.'),
  ('doc_max_bytes', 'integer', '1048576', 1024, 2097152, 'Largest session document, in bytes of UTF-8.'),
  ('append_max', 'integer', '100000', 1, 1000000, 'Longest text that one call may append to the document, in characters.'),
  ('summary_max', 'integer', '100000', 1, 1000000, 'Longest summary of a conclusion, in characters.'),
  ('wait_max_seconds', 'integer', '30', 1, 50, 'Longest time that one call may wait for messages, in seconds.'),
  ('wait_page', 'integer', '100', 1, 500, 'Most messages that one wait hands over.'),
  ('idle_polls', 'integer', '10', 1, 1000, 'After how many empty waits in a row a team is told that the session is idle.'),
  ('presence_active_seconds', 'integer', '10', 1, 3600, 'For how many seconds after its last wait a team counts as active.'),
  ('presence_idle_seconds', 'integer', '60', 2, 86400, 'For how many seconds after its last wait a team counts as idle, before it is disconnected.')
) as known (name, type, value, minimum, maximum, description)
on conflict on constraint settings_have_one_row_each do update set
  type = excluded.type,
  default_value = excluded.default_value,
  minimum = excluded.minimum,
  maximum = excluded.maximum,
  description = excluded.description;
--! EndIncluded tables/settings.sql
--! Included tables/sessions.sql
-- A session is a row that is locked by whoever changes anything in it: that lock is what gives the feed its
-- order, the document its line of versions and the close its finality.
create table if not exists parley.sessions (
  id uuid not null default gen_random_uuid(),
  ref text not null,
  title text not null,
  description text not null,
  status text not null default 'active',
  session_doc_version integer not null default 0,
  last_sequence integer not null default 0,
  created_by integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  closed_at timestamptz,
  version_before_close integer,
  constraint sessions_have_an_id primary key (id),
  constraint sessions_are_found_by_their_ref unique (ref),
  constraint sessions_are_active_or_closed check (status in ('active', 'closed')),
  constraint closed_sessions_say_since_when check ((status = 'closed') = (closed_at is not null))
)
-- Every post updates this row: room on the page keeps those updates off the indexes.
with (fillfactor = 70);

create index if not exists sessions_by_creation on parley.sessions (created_at desc, id);

comment on table parley.sessions is 'Where teams meet: one feed, one document, one conclusion.';
comment on column parley.sessions.ref is 'The short name to hand to other teams, e.g. calm-otter-17.';
comment on column parley.sessions.last_sequence is 'The cursor of the newest message; 0 while there is none.';
comment on column parley.sessions.session_doc_version is 'How often the document was written.';
comment on column parley.sessions.created_by is '@behavior -*
The convener: always the first participant.';
comment on column parley.sessions.version_before_close is '@behavior -*
The document that a repeated conclusion starts from, so that the earlier summary leaves nothing behind.';

alter table parley.sessions enable row level security;
alter table parley.sessions force row level security;

-- Open access: whoever can open the page can read every session.
drop policy if exists sessions_are_readable on parley.sessions;
create policy sessions_are_readable on parley.sessions for select to parley_caller using (true);
drop policy if exists sessions_are_kept_by_the_owner on parley.sessions;
create policy sessions_are_kept_by_the_owner on parley.sessions to parley_owner using (true) with check (true);

grant select on parley.sessions to parley_caller;

create or replace function parley_private.tg_sessions__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify(tg_argv[0] || ' ' || new.id);
  return null;
end;
$$;

drop trigger if exists _500_notify_session on parley.sessions;
create trigger _500_notify_session after insert or update of title, description, status on parley.sessions
  for each row execute function parley_private.tg_sessions__notify('session');
drop trigger if exists _500_notify_doc on parley.sessions;
create trigger _500_notify_doc after update of session_doc_version on parley.sessions
  for each row execute function parley_private.tg_sessions__notify('doc');
--! EndIncluded tables/sessions.sql
--! Included tables/participants.sql
-- One row per team and session; it stays when the team leaves, so that the history keeps its names.
create table if not exists parley.participants (
  session_id uuid not null,
  id integer not null,
  handle text not null,
  team_name text not null,
  kind text not null default 'agent',
  cursor integer not null default 0,
  acked_cursor integer not null default 0,
  empty_polls integer not null default 0,
  joined_at timestamptz not null default now(),
  left_at timestamptz,
  last_seen_at timestamptz not null default now(),
  known_status text not null default 'active',
  constraint participants_are_counted_per_session primary key (session_id, id),
  constraint participants_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint handles_are_unique_in_a_session unique (session_id, handle),
  constraint participants_are_agents_or_humans check (kind in ('agent', 'human')),
  constraint known_statuses_are_three check (known_status in ('active', 'idle', 'disconnected'))
)
with (fillfactor = 70);

-- What the sweep looks at: everybody who may still fall silent.
create index if not exists participants_not_yet_disconnected on parley.participants (session_id, id)
  where known_status <> 'disconnected';

comment on table parley.participants is 'The roster: the teams of a session, whether still there or not.';
comment on column parley.participants.handle is 'The public name of the team in this session, e.g. alexs-team.';
comment on column parley.participants.cursor is 'How far the team has confirmed the feed.';
comment on column parley.participants.acked_cursor is 'How far the team has said that it has read.';
comment on column parley.participants.last_seen_at is 'When a wait of this team last began or ended.';
comment on column parley.participants.empty_polls is '@behavior -*
Waits in a row that brought nothing.';
comment on column parley.participants.known_status is '@behavior -*
The status that was last announced; the true one is derived.';

alter table parley.participants enable row level security;
alter table parley.participants force row level security;

drop policy if exists participants_are_readable on parley.participants;
create policy participants_are_readable on parley.participants for select to parley_caller using (true);
drop policy if exists participants_are_kept_by_the_owner on parley.participants;
create policy participants_are_kept_by_the_owner on parley.participants to parley_owner using (true) with check (true);

grant select on parley.participants to parley_caller;

create or replace function parley_private.tg_participants__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('roster ' || new.session_id);
  return null;
end;
$$;

drop trigger if exists _500_notify_insert on parley.participants;
create trigger _500_notify_insert after insert on parley.participants
  for each row execute function parley_private.tg_participants__notify();
-- Waits move cursors and times all day: only what the roster shows as a change is announced.
drop trigger if exists _500_notify_update on parley.participants;
create trigger _500_notify_update after update on parley.participants
  for each row
  when (old.known_status is distinct from new.known_status or old.left_at is distinct from new.left_at)
  execute function parley_private.tg_participants__notify();
--! EndIncluded tables/participants.sql
--! Included tables/credentials.sql
-- The hash of each team_id, apart from the roster, so that no reader of participants can ever select it.
create table if not exists parley_private.credentials (
  session_id uuid not null,
  participant_id integer not null,
  hash bytea not null,
  constraint credentials_are_one_per_participant primary key (session_id, participant_id),
  constraint credentials_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id),
  constraint credentials_are_sha256 check (length(hash) = 32)
);

alter table parley_private.credentials enable row level security;
alter table parley_private.credentials force row level security;

drop policy if exists credentials_are_kept_by_the_owner on parley_private.credentials;
create policy credentials_are_kept_by_the_owner on parley_private.credentials to parley_owner using (true) with check (true);
--! EndIncluded tables/credentials.sql
--! Included tables/waits.sql
-- The calls that wait right now, on any replica. Each row is a lease: it ends with its own call and expires by
-- itself when the server that held the call has died. No foreign key: a lease need not lock a participant.
create table if not exists parley_private.waits (
  id uuid not null,
  session_id uuid not null,
  participant_id integer not null,
  since_cursor integer not null,
  expires_at timestamptz not null,
  constraint waits_have_an_id primary key (id)
);

create index if not exists waits_of_a_participant on parley_private.waits (session_id, participant_id);

alter table parley_private.waits enable row level security;
alter table parley_private.waits force row level security;

drop policy if exists waits_are_kept_by_the_owner on parley_private.waits;
create policy waits_are_kept_by_the_owner on parley_private.waits to parley_owner using (true) with check (true);
--! EndIncluded tables/waits.sql
--! Included tables/messages.sql
-- The feed: append-only, counted 1, 2, 3 … within its session.
create table if not exists parley.messages (
  session_id uuid not null,
  sequence integer not null,
  id uuid not null default gen_random_uuid(),
  posted_by integer,
  type text not null,
  content jsonb not null,
  posted_at timestamptz not null default clock_timestamp(),
  constraint messages_are_counted_per_session primary key (session_id, sequence),
  constraint messages_have_an_id unique (session_id, id),
  constraint messages_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint messages_are_posted_by_a_participant foreign key (session_id, posted_by)
    references parley.participants (session_id, id),
  constraint messages_are_chat_or_system check (type in ('chat', 'system')),
  constraint chat_has_an_author_and_system_has_none check ((type = 'chat') = (posted_by is not null))
);

create index if not exists messages_of_a_participant on parley.messages (session_id, posted_by, sequence);

comment on table parley.messages is 'The feed of a session, in the order in which it was committed.';
comment on column parley.messages.sequence is 'The cursor: 1, 2, 3 … per session, without a gap.';
comment on column parley.messages.posted_by is '@behavior -*
The author; null for what the server says itself.';
comment on column parley.messages.content is 'Chat: {"text": …}. System: {"event": …} and the fields of the event.';

alter table parley.messages enable row level security;
alter table parley.messages force row level security;

drop policy if exists messages_are_readable on parley.messages;
create policy messages_are_readable on parley.messages for select to parley_caller using (true);
-- No policy for update or delete, not even for the owner: there is no verb that needs one.
drop policy if exists messages_are_read_by_the_owner on parley.messages;
create policy messages_are_read_by_the_owner on parley.messages for select to parley_owner using (true);
drop policy if exists messages_are_appended_by_the_owner on parley.messages;
create policy messages_are_appended_by_the_owner on parley.messages for insert to parley_owner with check (true);

grant select on parley.messages to parley_caller;

create or replace function parley_private.tg_messages__append_only()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.fail(403, 'forbidden', 'Messages are never changed or deleted.');
  return null;
end;
$$;

create or replace function parley_private.tg_messages__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('feed ' || new.session_id);
  return null;
end;
$$;

-- Row security does not bind a superuser; this does.
drop trigger if exists _100_append_only on parley.messages;
create trigger _100_append_only before update or delete or truncate on parley.messages
  for each statement execute function parley_private.tg_messages__append_only();
drop trigger if exists _500_notify on parley.messages;
create trigger _500_notify after insert on parley.messages
  for each row execute function parley_private.tg_messages__notify();
--! EndIncluded tables/messages.sql
--! Included tables/session_doc_history.sql
-- Every version of every document: who wrote it and when. The text is rebuilt from doc_patches.
create table if not exists parley.session_doc_history (
  session_id uuid not null,
  version integer not null,
  written_by integer not null,
  written_at timestamptz not null default clock_timestamp(),
  size integer not null,
  constraint session_doc_versions_are_counted_per_session primary key (session_id, version),
  constraint session_doc_versions_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint session_doc_versions_have_an_author foreign key (session_id, written_by)
    references parley.participants (session_id, id)
);

create index if not exists session_doc_versions_of_an_author on parley.session_doc_history (session_id, written_by);

comment on table parley.session_doc_history is 'The versions of the session document, from 1 on.';
comment on column parley.session_doc_history.written_by is '@behavior -*';
comment on column parley.session_doc_history.size is 'Bytes of UTF-8.';

alter table parley.session_doc_history enable row level security;
alter table parley.session_doc_history force row level security;

drop policy if exists session_doc_history_is_readable on parley.session_doc_history;
create policy session_doc_history_is_readable on parley.session_doc_history for select to parley_caller using (true);
drop policy if exists session_doc_history_is_read_by_the_owner on parley.session_doc_history;
create policy session_doc_history_is_read_by_the_owner on parley.session_doc_history for select to parley_owner using (true);
drop policy if exists session_doc_history_is_appended_by_the_owner on parley.session_doc_history;
create policy session_doc_history_is_appended_by_the_owner on parley.session_doc_history for insert to parley_owner with check (true);

grant select on parley.session_doc_history to parley_caller;
--! EndIncluded tables/session_doc_history.sql
--! Included tables/doc_patches.sql
-- How the versions are stored: a key frame with the whole text now and then, and between two of them what
-- each version put in the place of what. Full copies of 1,000 appends of 1 KB took 507 MB; this takes a few.
--
-- Positions and lengths count bytes of UTF-8: cutting bytes is cheap, cutting characters is not.
create table if not exists parley_private.doc_patches (
  session_id uuid not null,
  version integer not null,
  key_frame boolean not null,
  start_at integer not null,
  removed integer not null,
  inserted bytea not null,
  ends_line boolean not null,
  constraint doc_patches_are_one_per_version primary key (session_id, version),
  constraint doc_patches_belong_to_a_version foreign key (session_id, version)
    references parley.session_doc_history (session_id, version)
);

create index if not exists doc_patches_key_frames on parley_private.doc_patches (session_id, version) where key_frame;

comment on column parley_private.doc_patches.ends_line is 'Whether the version is empty or ends with a line break: an append need not read the rest.';

alter table parley_private.doc_patches enable row level security;
alter table parley_private.doc_patches force row level security;

drop policy if exists doc_patches_are_read_by_the_owner on parley_private.doc_patches;
create policy doc_patches_are_read_by_the_owner on parley_private.doc_patches for select to parley_owner using (true);
drop policy if exists doc_patches_are_appended_by_the_owner on parley_private.doc_patches;
create policy doc_patches_are_appended_by_the_owner on parley_private.doc_patches for insert to parley_owner with check (true);
--! EndIncluded tables/doc_patches.sql
--! Included types.sql
-- What the verbs answer. A type cannot be replaced, so each is made once and altered by a migration.
-- @optional marks a field that is left out of an answer when it is null.
do $$
begin
  create type parley.roster_entry as (
    handle text,
    team_name text,
    kind text,
    convener boolean,
    you boolean,
    joined_at timestamptz,
    left_at timestamptz,
    last_seen_at timestamptz,
    status text,
    listening boolean,
    cursor integer,
    acked_cursor integer
  );
exception when duplicate_object then null;
end $$;
comment on type parley.roster_entry is 'A team in a session.';
comment on column parley.roster_entry.you is 'Whether this is the calling team.';
comment on column parley.roster_entry.status is 'active, idle or disconnected: derived from the waits of the team, never declared.';
comment on column parley.roster_entry.listening is 'Whether a wait of the team is in flight.';
comment on column parley.roster_entry.cursor is 'How far the team has confirmed the feed.';

do $$
begin
  create type parley.feed_message as (
    message_id uuid,
    cursor integer,
    type text,
    team text,
    handle text,
    sender text,
    mine boolean,
    content jsonb,
    at timestamptz,
    event text,
    by text,
    changes jsonb,
    reason text,
    doc_version integer
  );
exception when duplicate_object then null;
end $$;
comment on type parley.feed_message is 'A message as the calling team sees it.';
comment on column parley.feed_message.cursor is 'Its place in the feed: 1, 2, 3 …';
comment on column parley.feed_message.type is 'chat or system.';
comment on column parley.feed_message.sender is 'agent, human or system: said by the server, not by the author.';
comment on column parley.feed_message.content is 'Chat: {"text": …}. System: the event and its fields.';
comment on column parley.feed_message.event is '@optional
What a system message tells: team_joined, team_left, session_metadata_updated, session_concluded.';
comment on column parley.feed_message.by is '@optional
The team that caused the event.';
comment on column parley.feed_message.changes is '@optional
What was changed, {"title": {"from": …, "to": …}}.';
comment on column parley.feed_message.reason is '@optional
Why it was changed.';
comment on column parley.feed_message.doc_version is '@optional
The version of the document that holds the conclusion.';

do $$
begin
  create type parley.created_session as (
    session_id uuid,
    ref text,
    url text,
    team_id text,
    handle text,
    cursor integer,
    title text,
    description text
  );
exception when duplicate_object then null;
end $$;
comment on column parley.created_session.team_id is 'The secret of this team in this session. It is shown once.';

do $$
begin
  create type parley.joined_session as (
    session_id uuid,
    ref text,
    team_id text,
    handle text,
    cursor integer,
    participants parley.roster_entry[],
    title text,
    description text,
    doc_version integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.joined_session.team_id is 'The secret of this team in this session. It is shown once.';
comment on column parley.joined_session.participants is '@notNull';
comment on column parley.joined_session.cursor is 'Where to start waiting from.';

do $$
begin
  create type parley.left_session as (session_id uuid, handle text, left_at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.roster as (participants parley.roster_entry[]);
exception when duplicate_object then null;
end $$;
comment on column parley.roster.participants is '@notNull';

do $$
begin
  create type parley.session_details as (
    session_id uuid,
    ref text,
    title text,
    description text,
    status text,
    created_at timestamptz,
    updated_at timestamptz,
    closed_at timestamptz,
    session_doc_version integer,
    last_cursor integer,
    convener text,
    url text
  );
exception when duplicate_object then null;
end $$;
comment on column parley.session_details.convener is 'The handle of the team that created the session.';
comment on column parley.session_details.url is 'The page where people watch the session.';

do $$
begin
  create type parley.news as (
    messages parley.feed_message[],
    next_cursor integer,
    session_closed boolean,
    has_more boolean,
    doc_version integer,
    empty_polls integer,
    session_idle boolean
  );
exception when duplicate_object then null;
end $$;
comment on type parley.news is 'What a wait brought.';
comment on column parley.news.next_cursor is 'The since_cursor of the next wait.';
comment on column parley.news.session_closed is 'True once the session is concluded: stop waiting.';
comment on column parley.news.session_idle is 'True when so many waits in a row were empty that the team should tell its human.';

do $$
begin
  create type parley.posted_message as (message_id uuid, cursor integer, at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.history_page as (messages parley.feed_message[], next_cursor integer, has_more boolean);
exception when duplicate_object then null;
end $$;
comment on column parley.history_page.messages is '@notNull';
comment on column parley.history_page.next_cursor is 'The before_cursor of the next older page; null at the beginning.';

do $$
begin
  create type parley.session_doc as (content text, version integer, updated_at timestamptz, updated_by text);
exception when duplicate_object then null;
end $$;
comment on column parley.session_doc.updated_by is 'The handle of the team that wrote this version.';

do $$
begin
  create type parley.written_doc as (version integer, updated_at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.updated_metadata as (title text, description text, updated_at timestamptz, changes jsonb);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.concluded_session as (session_id uuid, status text, closed_at timestamptz, doc_version integer);
exception when duplicate_object then null;
end $$;
--! EndIncluded types.sql

--! Included private/begin_call.sql
-- Tells the rest of the transaction who is calling: the hash of the team_id, the address that the request came
-- to, and an id for a wait, should the verb want to wait. True, so that it can stand in a CASE, whose order is certain.
create or replace function parley_private.begin_call(team_hash text, origin text, wait_id text default '')
returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  perform
    set_config('parley.team_hash', coalesce(team_hash, ''), true),
    set_config('parley.origin', coalesce(origin, ''), true),
    set_config('parley.wait_id', coalesce(wait_id, ''), true),
    set_config('parley.collects_topics', 'yes', true);
  return true;
end;
$$;

grant execute on function parley_private.begin_call to parley_caller;

-- What the server has to know beside the answer: the topics that changed, and whether it should wait instead of
-- answering. It takes the answer as an argument to be sure that the verb has run before it looks.
create or replace function parley_private.end_call(answer json)
returns table (answer json, topics text, held json)
language sql volatile
set search_path = ''
as $$
  select
    end_call.answer,
    nullif(current_setting('parley.topics', true), ''),
    nullif(current_setting('parley.held', true), '')::json;
$$;

grant execute on function parley_private.end_call to parley_caller;
--! EndIncluded private/begin_call.sql
--! Included private/check_text.sql
-- An agent that pastes its credential would hand it to everyone: the text is refused before it is stored.
create or replace function parley_private.refuse_secrets(field text, value text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if strpos(value, 'pt_') > 0 and value ~ 'pt_[A-Za-z0-9_-]{43}' then
    perform parley_private.refuse_argument(
      field, format('%s holds a team_id, which is a secret.', field), 'Leave it out; teams are known by their handles.');
  end if;
end;
$$;

grant execute on function parley_private.refuse_secrets to parley_caller;

-- Refuses a text that is missing, blank or longer than the named setting allows.
create or replace function parley_private.check_text(field text, value text, max_setting text, may_be_blank boolean default false)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_max integer := parley_private.setting(max_setting);
begin
  if value is null then
    perform parley_private.refuse_argument(field, format('%s is required.', field));
  elsif not may_be_blank and value !~ '\S' then
    perform parley_private.refuse_argument(field, format('%s must not be blank.', field));
  elsif char_length(value) > v_max then
    perform parley_private.refuse_argument(
      field,
      format('%s has %s characters; at most %s are allowed.', field, char_length(value), v_max),
      'Shorten it, or split it over several calls.');
  end if;
  perform parley_private.refuse_secrets(field, value);
end;
$$;

grant execute on function parley_private.check_text to parley_caller;
--! EndIncluded private/check_text.sql
--! Included private/check_cursor.sql
-- A cursor is a place in the feed: 0 is before the first message.
create or replace function parley_private.check_cursor(field text, value integer)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if value < 0 then
    perform parley_private.refuse_argument(field, format('%s must be 0 or more.', field));
  end if;
end;
$$;

grant execute on function parley_private.check_cursor to parley_caller;

create or replace function parley_private.check_not_ahead(field text, value integer, last_cursor integer)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if value > last_cursor then
    perform parley_private.fail(400, 'cursor_ahead', format('%s is %s, but the feed ends at %s.', field, value, last_cursor),
      'Use a cursor that this session gave you; current_cursor is the newest.',
      jsonb_build_object('field', field, 'current_cursor', last_cursor));
  end if;
end;
$$;

grant execute on function parley_private.check_not_ahead to parley_caller;
--! EndIncluded private/check_cursor.sql
--! Included private/public_url.sql
-- Where this server is reached: the mcp_url setting without its last part, or else the address of the request.
create or replace function parley_private.public_url()
returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    nullif(regexp_replace(s.value #>> '{}', '(/api)?(/mcp)?/*$', ''), ''),
    nullif(current_setting('parley.origin', true), ''),
    ''
  )
  from parley.settings s
  where s.name = 'mcp_url';
$$;

grant execute on function parley_private.public_url to parley_caller;
--! EndIncluded private/public_url.sql
--! Included private/new_ref.sql
-- A name for a session that is easy to read out, e.g. calm-otter-17. The number grows when names get scarce.
create or replace function parley_private.new_ref()
returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_adjectives constant text[] := '{agile,amber,ample,apt,bold,brave,breezy,bright,brisk,calm,candid,cheery,civil,clear,clever,cosmic,cozy,crisp,dapper,daring,deft,eager,early,easy,fair,fancy,fast,fine,firm,fleet,fond,frank,free,fresh,gentle,glad,golden,good,grand,handy,happy,hardy,honest,humble,ideal,jolly,jovial,keen,kind,lively,loyal,lucid,lucky,mellow,merry,mild,modest,neat,nimble,noble,open,patient,placid,plucky,polite,prime,proud,quick,quiet,rapid,ready,robust,rosy,sage,sharp,shiny,silent,silver,smart,smooth,snappy,solid,sound,spry,steady,stout,sturdy,sunny,swift,tidy,true,trusty,vivid,warm,wise,witty,zesty}';
  v_animals constant text[] := '{alpaca,badger,bear,beaver,bison,bobcat,camel,caribou,cat,civet,cobra,condor,cougar,coyote,crane,cricket,deer,dingo,dolphin,dove,duck,eagle,egret,elk,falcon,ferret,finch,fox,gazelle,gecko,gibbon,goose,grouse,gull,hare,hawk,heron,hippo,horse,ibex,ibis,iguana,impala,jackal,jaguar,jay,kestrel,kiwi,koala,lark,lemur,leopard,lion,lizard,llama,lynx,magpie,marmot,marten,mole,moose,newt,ocelot,orca,oriole,osprey,otter,owl,panda,panther,parrot,pelican,penguin,pigeon,plover,puffin,puma,quail,rabbit,raven,robin,salmon,seal,shark,sparrow,squid,stork,swan,tapir,tern,tiger,toucan,trout,turtle,walrus,weasel,whale,wolf,wombat,wren,yak,zebra}';
  v_ref text;
  v_numbers integer := 90;
begin
  loop
    v_ref := v_adjectives[1 + floor(random() * cardinality(v_adjectives))]
      || '-' || v_animals[1 + floor(random() * cardinality(v_animals))]
      || '-' || (10 + floor(random() * v_numbers))::integer;
    exit when not exists (select from parley.sessions s where s.ref = v_ref);
    v_numbers := least(v_numbers * 10, 90000000);
  end loop;
  return v_ref;
end;
$$;
--! EndIncluded private/new_ref.sql
--! Included private/find_session.sql
-- A session by its uuid, its ref, or a prefix of the uuid that fits no other.
create or replace function parley_private.find_session(session_id text)
returns parley.sessions
language plpgsql stable
set search_path = ''
as $$
declare
  v_key     text := lower(session_id);
  v_hex     text := replace(v_key, '-', '');
  v_found   parley.sessions;
  v_matches parley.sessions[];
  v_hint    text := 'Check the ref with whoever gave it to you; it looks like calm-otter-17.';
begin
  if session_id is null then
    perform parley_private.refuse_argument('session_id', 'session_id is required.');
  end if;

  if v_hex ~ '^[0-9a-f]{32}$' then
    select * into v_found from parley.sessions s where s.id = v_hex::uuid;
  else
    select * into v_found from parley.sessions s where s.ref = v_key;
  end if;

  if v_found.id is null and v_hex ~ '^[0-9a-f]{8,31}$' then
    v_matches := array(
      select s from parley.sessions s
      where s.id between rpad(v_hex, 32, '0')::uuid and rpad(v_hex, 32, 'f')::uuid
      limit 2
    );
    if cardinality(v_matches) > 1 then
      v_hint := 'That prefix is ambiguous, it fits several sessions: give more characters of the uuid, or the ref.';
    else
      v_found := v_matches[1];
    end if;
  end if;

  if v_found.id is null then
    perform parley_private.fail(404, 'session_not_found', 'No session has this id or ref.', v_hint);
  end if;
  return v_found;
end;
$$;

grant execute on function parley_private.find_session to parley_caller;
--! EndIncluded private/find_session.sql
--! Included private/enter_session.sql
-- Who the caller is in a session. No header, an unknown credential, one of another session and one of a team
-- that has left all get the same answer, so that nothing can be learned by trying.
create or replace function parley_private.caller_in(session_id uuid)
returns parley.participants
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller parley.participants;
begin
  select p.* into v_caller
  from parley_private.credentials c
  join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
  where c.session_id = caller_in.session_id
    and c.hash = decode(coalesce(current_setting('parley.team_hash', true), ''), 'hex')
    and p.left_at is null;

  if not found then
    perform parley_private.fail(401, 'unauthorized', 'This call needs the team_id of a team that is in this session.',
      'Send the team_id that create_session or join_session gave you: as the header X-Team-ID, or over MCP as the argument team_id. If you have left or lost it, join again.');
  end if;
  return v_caller;
end;
$$;

grant execute on function parley_private.caller_in to parley_caller;

-- How every verb of a team that only reads begins: the session exists, and the caller is in it.
create or replace function parley_private.enter_session(session_id text)
returns parley.participants
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.caller_in((parley_private.find_session(session_id)).id);
end;
$$;

grant execute on function parley_private.enter_session to parley_caller;
--! EndIncluded private/enter_session.sql
--! Included private/lock_session.sql
-- How every verb of a team that writes begins. The lock on the session row makes writers queue, so that what is
-- checked here (the team is still in, the session still open) holds until they commit.
create or replace function parley_private.lock_session(session_id text, even_if_closed boolean default false)
returns parley.participants
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id     uuid := (parley_private.find_session(session_id)).id;
  v_caller parley.participants;
  v_status text;
begin
  select s.status into v_status from parley.sessions s where s.id = v_id for update;
  v_caller := parley_private.caller_in(v_id);
  if v_status = 'closed' and not even_if_closed then
    perform parley_private.refuse_closed();
  end if;
  return v_caller;
end;
$$;

create or replace function parley_private.refuse_closed()
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(403, 'session_closed', 'This session is concluded: nothing can be added to it.',
    'Reading still works: get_history and read_session_doc. To go on, create a new session that picks up from the conclusion in this one.');
$$;
--! EndIncluded private/lock_session.sql
--! Included private/admit_team.sql
-- Puts a team on the roster and makes its credential. The secret leaves the database once, in the answer;
-- what stays is its hash. The caller holds the lock of the session.
create or replace function parley_private.admit_team(
  session_id uuid,
  team_name text,
  out handle text,
  out team_id text,
  out participant_id integer
)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_words text := regexp_replace(regexp_replace(lower(team_name), '[''’`]', '', 'g'), '[^a-z0-9]+', '-', 'g');
  v_slug  text := coalesce(nullif(trim(both '-' from left(ltrim(v_words, '-'), 40)), ''), 'team');
begin
  select coalesce(max(p.id), 0) + 1 into participant_id
  from parley.participants p where p.session_id = admit_team.session_id;

  select candidate into handle
  from (select v_slug || case n when 1 then '' else '-' || n end, n from generate_series(1, participant_id) n) as c (candidate, n)
  where not exists (
    select from parley.participants p where p.session_id = admit_team.session_id and p.handle = c.candidate
  )
  order by n limit 1;

  -- Three uuids hold more than the 256 random bits that are kept of them.
  team_id := 'pt_' || translate(rtrim(encode(
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
    'base64'), '='), '+/', '-_');

  insert into parley.participants (session_id, id, handle, team_name)
  values (session_id, participant_id, handle, team_name);
  insert into parley_private.credentials (session_id, participant_id, hash)
  values (session_id, participant_id, sha256(convert_to(team_id, 'UTF8')));
end;
$$;
--! EndIncluded private/admit_team.sql
--! Included private/append_message.sql
-- Appends one message and gives it the session's next sequence.
--
-- The sequence is counted on the session row, not drawn from a sequence object: the row lock makes
-- commit order equal sequence order, so a reader that has seen 7 can never miss a 6 that commits later.
create or replace function parley_private.append_message(session_id uuid, posted_by integer, type text, content jsonb)
returns parley.messages
language plpgsql volatile
set search_path = ''
as $$
declare
  v_sequence integer;
  v_message  parley.messages;
begin
  update parley.sessions s set last_sequence = s.last_sequence + 1
  where s.id = append_message.session_id
  returning s.last_sequence into v_sequence;

  insert into parley.messages (session_id, sequence, posted_by, type, content)
  values (session_id, v_sequence, posted_by, type, content)
  returning * into v_message;
  return v_message;
end;
$$;

-- What the server itself says in the feed.
create or replace function parley_private.announce(session_id uuid, event text, fields jsonb)
returns integer
language sql volatile
set search_path = ''
as $$
  select (parley_private.append_message(session_id, null, 'system', jsonb_build_object('event', event) || fields)).sequence;
$$;
--! EndIncluded private/append_message.sql
--! Included private/read_feed.sql
-- The messages after one cursor up to another, as one reader sees them. Sequences have no gap, so a page is a
-- range of the primary key, as fast at the millionth message as at the first.
create or replace function parley_private.read_feed(session_id uuid, after_cursor integer, through_cursor integer, reader integer)
returns parley.feed_message[]
language sql stable
set search_path = ''
as $$
  select coalesce(
    array_agg(
      row(
        m.id,
        m.sequence,
        m.type,
        coalesce(p.team_name, m.content ->> 'team'),
        coalesce(p.handle, m.content ->> 'handle'),
        coalesce(p.kind, 'system'),
        coalesce(m.posted_by = reader, false),
        m.content,
        m.posted_at,
        case when m.type = 'system' then m.content ->> 'event' end,
        case when m.type = 'system' then m.content ->> 'by' end,
        case when m.type = 'system' then m.content -> 'changes' end,
        case when m.type = 'system' then m.content ->> 'reason' end,
        case when m.type = 'system' then (m.content ->> 'doc_version')::integer end
      )::parley.feed_message
      order by m.sequence
    ),
    '{}'
  )
  from parley.messages m
  left join parley.participants p on p.session_id = m.session_id and p.id = m.posted_by
  where m.session_id = read_feed.session_id
    and m.sequence > after_cursor
    and m.sequence <= through_cursor;
$$;

grant execute on function parley_private.read_feed to parley_caller;
--! EndIncluded private/read_feed.sql
--! Included private/presence.sql
-- Presence may be lost in a crash; it is not worth a flush to disk per poll. Said inside the transaction: a setting
-- on the function would end with the function, before the commit. Never where a message or a document is written.
create or replace function parley_private.write_presence_only()
returns void
language sql volatile
set search_path = ''
as $$
  select set_config('synchronous_commit', 'off', true);
$$;

-- Whether a wait of the team is in flight.
create or replace function parley_private.is_listening(session_id uuid, participant_id integer, as_of timestamptz default clock_timestamp())
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from parley_private.waits w
    where w.session_id = is_listening.session_id
      and w.participant_id = is_listening.participant_id
      and w.expires_at > as_of
  );
$$;

grant execute on function parley_private.is_listening to parley_caller;

-- Presence is derived, never declared: a wait is the heartbeat.
create or replace function parley_private.presence(participant parley.participants, as_of timestamptz default clock_timestamp())
returns text
language sql stable
set search_path = ''
as $$
  select case
    when participant.left_at is not null then 'disconnected'
    when parley_private.is_listening(participant.session_id, participant.id, as_of) then 'active'
    when as_of - participant.last_seen_at <= parley_private.setting('presence_active_seconds') * interval '1 second' then 'active'
    when as_of - participant.last_seen_at <= parley_private.setting('presence_idle_seconds') * interval '1 second' then 'idle'
    else 'disconnected'
  end;
$$;

grant execute on function parley_private.presence to parley_caller;

-- Run by the worker every few seconds: writes, and so announces, the statuses that time alone has changed.
create or replace function parley_private.sweep_presence(as_of timestamptz default clock_timestamp())
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_changed integer;
begin
  perform parley_private.write_presence_only();
  with changed as (
    select p.session_id, p.id, parley_private.presence(p, as_of) as status
    from parley.participants p
    where p.known_status <> 'disconnected'
      and p.known_status <> parley_private.presence(p, as_of)
    order by p.session_id, p.id
    for no key update skip locked
  )
  update parley.participants p set known_status = changed.status
  from changed
  where p.session_id = changed.session_id and p.id = changed.id;
  get diagnostics v_changed = row_count;

  -- A minute late, so that a server that was cut off for a moment still finds the calls it holds.
  delete from parley_private.waits w
  where w.id in (
    select x.id from parley_private.waits x where x.expires_at < as_of - interval '1 minute' for update skip locked
  );
  return v_changed;
end;
$$;

grant execute on function parley_private.sweep_presence to parley_worker;
--! EndIncluded private/presence.sql
--! Included private/roster.sql
-- Everybody who is or was in a session, in the order in which they came.
create or replace function parley_private.roster(session_id uuid, reader integer)
returns parley.roster_entry[]
language sql stable
set search_path = ''
as $$
  select array_agg(
    row(
      p.handle,
      p.team_name,
      p.kind,
      p.id = s.created_by,
      p.id = reader,
      p.joined_at,
      p.left_at,
      p.last_seen_at,
      parley_private.presence(p),
      parley_private.is_listening(p.session_id, p.id),
      p.cursor,
      p.acked_cursor
    )::parley.roster_entry
    order by p.id
  )
  from parley.participants p
  join parley.sessions s on s.id = p.session_id
  where p.session_id = roster.session_id;
$$;

grant execute on function parley_private.roster to parley_caller;
--! EndIncluded private/roster.sql
--! Included private/waiting.sql
-- What makes a verb wait, in three steps. The verb itself answers at once, always; if there is nothing to say yet
-- it calls hold(). The server then learns from end_call() that it should not send that answer, keeps the call
-- without a connection, and asks answer_waits() for all its calls together whenever the session has moved.

create or replace function parley_private.hold(caller parley.participants, since_cursor integer, seconds double precision)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_wait_id text := nullif(current_setting('parley.wait_id', true), '');
begin
  if v_wait_id is null or seconds <= 0 then
    return;
  end if;
  insert into parley_private.waits (id, session_id, participant_id, since_cursor, expires_at)
  values (v_wait_id::uuid, caller.session_id, caller.id, since_cursor, clock_timestamp() + (seconds + 5) * interval '1 second');
  perform set_config('parley.held', json_build_object('topic', 'feed ' || caller.session_id, 'seconds', seconds)::text, true);
end;
$$;

-- What there is to hear after a cursor. reader null: nobody who has written any of it.
create or replace function parley_private.news(session parley.sessions, since_cursor integer, reader integer, empty_polls integer)
returns parley.news
language sql stable
set search_path = ''
as $$
  select row(
    case when page.last > since_cursor
      then parley_private.read_feed(session.id, since_cursor, page.last, reader)
      else '{}'::parley.feed_message[]
    end,
    page.last,
    session.status = 'closed',
    page.last < session.last_sequence,
    session.session_doc_version,
    empty_polls,
    empty_polls >= parley_private.setting('idle_polls')
  )::parley.news
  from (select least(session.last_sequence, since_cursor + parley_private.setting('wait_page'))) as page (last);
$$;

-- The end of waits: those of the given ones that have something to hear, or all of them when the server gives up
-- on them (their time is over, their client is gone, the server stops). Presence is written for all in one go,
-- and waits that get the same answer share it: one row, many ids. A wait whose lease is lost (a crash of the
-- database takes the newest ones) comes back without an answer: the server has to ask the verb again.
create or replace function parley_private.answer_waits(ids uuid[], give_up boolean default false)
returns table (wait_ids uuid[], answer json)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_ready uuid[];
begin
  perform parley_private.write_presence_only();
  if exists (select from unnest(ids) as i (id) where not exists (select from parley_private.waits w where w.id = i.id)) then
    return query
    select array_agg(i.id), null::json
    from unnest(ids) as i (id)
    where not exists (select from parley_private.waits w where w.id = i.id);
  end if;

  -- In order, and before the waits: two who do this at once queue up instead of waiting for each other.
  v_ready := array(
    select w.id
    from parley.participants p
    join parley_private.waits w on w.session_id = p.session_id and w.participant_id = p.id
    join parley.sessions s on s.id = w.session_id
    where w.id = any (ids)
      and (give_up or s.last_sequence > w.since_cursor or s.status = 'closed')
    order by p.session_id, p.id
    for no key update of p
  );
  if cardinality(v_ready) = 0 then
    return;
  end if;

  return query
  with ready as materialized (
    select w.id, w.session_id, w.participant_id, w.since_cursor, s as session, s.last_sequence > w.since_cursor as has_news
    from parley_private.waits w
    join parley.sessions s on s.id = w.session_id
    where w.id = any (v_ready)
  ),
  ended as (
    delete from parley_private.waits w using ready r where w.id = r.id
  ),
  seen as (
    update parley.participants p set
      last_seen_at = clock_timestamp(),
      empty_polls = case when r.has_news then 0 else p.empty_polls + 1 end
    from (
      select r.session_id, r.participant_id, bool_or(r.has_news) as has_news
      from ready r
      group by r.session_id, r.participant_id
    ) r
    where p.session_id = r.session_id and p.id = r.participant_id
    returning p.session_id, p.id, p.empty_polls
  ),
  readers as (
    select r.*, seen.empty_polls,
      (
        select m.posted_by from parley.messages m
        where m.session_id = r.session_id
          and m.posted_by = r.participant_id
          and m.sequence > r.since_cursor
        limit 1
      ) as reader
    from ready r
    join seen on seen.session_id = r.session_id and seen.id = r.participant_id
  ),
  answers as (
    select array_agg(r.id) as ids, r.session, r.since_cursor, r.reader, r.empty_polls
    from readers r
    group by r.session, r.since_cursor, r.reader, r.empty_polls
  )
  select a.ids, to_json(parley_private.news(a.session, a.since_cursor, a.reader, a.empty_polls)) from answers a;
end;
$$;

grant execute on function parley_private.answer_waits to parley_caller;

-- The clients of these waits have gone: no answer, and no poll that the team could have seen end.
create or replace function parley_private.abandon_waits(ids uuid[])
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform parley_private.write_presence_only();
  perform from parley.participants p
  join parley_private.waits w on w.session_id = p.session_id and w.participant_id = p.id
  where w.id = any (ids)
  order by p.session_id, p.id
  for no key update of p;

  with ended as (
    delete from parley_private.waits w where w.id = any (ids) returning w.session_id, w.participant_id
  )
  update parley.participants p set last_seen_at = clock_timestamp()
  from (select distinct e.session_id, e.participant_id from ended e) e
  where p.session_id = e.session_id and p.id = e.participant_id;
end;
$$;

grant execute on function parley_private.abandon_waits to parley_caller;
--! EndIncluded private/waiting.sql
--! Included private/doc_at.sql
-- The document as it was at a version: the last key frame before it, and what came since.
create or replace function parley_private.doc_at(session_id uuid, version integer)
returns bytea
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_doc   bytea := '';
  v_tail  bytea := '';
  v_patch parley_private.doc_patches;
begin
  for v_patch in
    select d.* from parley_private.doc_patches d
    where d.session_id = doc_at.session_id
      and d.version <= doc_at.version
      and d.version >= (
        select max(k.version) from parley_private.doc_patches k
        where k.session_id = doc_at.session_id and k.version <= doc_at.version and k.key_frame
      )
    order by d.version
  loop
    if v_patch.key_frame then
      v_doc := v_patch.inserted;
      v_tail := '';
    elsif v_patch.start_at = length(v_doc) + length(v_tail) then
      -- Kept apart while it grows: adding to a megabyte would copy it each time.
      v_tail := v_tail || v_patch.inserted;
    else
      v_doc := overlay(v_doc || v_tail placing v_patch.inserted from v_patch.start_at + 1 for v_patch.removed);
      v_tail := '';
    end if;
  end loop;
  return v_doc || v_tail;
end;
$$;

create or replace function parley_private.doc_text_at(session_id uuid, version integer)
returns text
language sql stable security definer
set search_path = ''
as $$
  select convert_from(parley_private.doc_at(session_id, version), 'UTF8');
$$;

grant execute on function parley_private.doc_text_at to parley_caller;
--! EndIncluded private/doc_at.sql
--! Included private/write_doc.sql
-- How many leading bytes two texts share. Halving: each step compares only what is still in doubt.
create or replace function parley_private.shared_prefix(a bytea, b bytea)
returns integer
language plpgsql immutable
set search_path = ''
as $$
declare
  v_low  integer := 0;
  v_high integer := least(length(a), length(b));
  v_half integer;
begin
  while v_low < v_high loop
    v_half := (v_low + v_high + 1) / 2;
    if substring(a from v_low + 1 for v_half - v_low) = substring(b from v_low + 1 for v_half - v_low) then
      v_low := v_half;
    else
      v_high := v_half - 1;
    end if;
  end loop;
  return v_low;
end;
$$;

create or replace function parley_private.shared_suffix(a bytea, b bytea)
returns integer
language plpgsql immutable
set search_path = ''
as $$
declare
  v_low  integer := 0;
  v_high integer := least(length(a), length(b));
  v_half integer;
begin
  while v_low < v_high loop
    v_half := (v_low + v_high + 1) / 2;
    if substring(a from length(a) - v_half + 1 for v_half - v_low) = substring(b from length(b) - v_half + 1 for v_half - v_low) then
      v_low := v_half;
    else
      v_high := v_half - 1;
    end if;
  end loop;
  return v_low;
end;
$$;

-- Stores the next version as a splice of the one before: from start_at on, removed bytes give way to inserted ones.
-- Every hundredth version is stored whole. The caller holds the lock of the session.
create or replace function parley_private.splice_doc(
  author parley.participants,
  start_at integer,
  removed integer,
  inserted bytea
)
returns parley.session_doc_history
language plpgsql volatile
set search_path = ''
as $$
declare
  v_version   parley.session_doc_history;
  v_last      integer;
  v_size      integer;
  v_ends_line boolean;
  v_key_frame boolean;
begin
  select s.session_doc_version into v_last from parley.sessions s where s.id = author.session_id;
  select h.size, d.ends_line into v_size, v_ends_line
  from parley.session_doc_history h join parley_private.doc_patches d using (session_id, version)
  where h.session_id = author.session_id and h.version = v_last;
  v_size := coalesce(v_size, 0);
  v_ends_line := coalesce(v_ends_line, true);
  v_key_frame := v_last % 100 = 0;

  if start_at + removed = v_size then
    v_ends_line := case
      when length(inserted) > 0 then get_byte(inserted, length(inserted) - 1) = 10
      when start_at = 0 then true
      else get_byte(parley_private.doc_at(author.session_id, v_last), start_at - 1) = 10
    end;
  end if;

  insert into parley.session_doc_history (session_id, version, written_by, size)
  values (author.session_id, v_last + 1, author.id, v_size - removed + length(inserted))
  returning * into v_version;

  insert into parley_private.doc_patches (session_id, version, key_frame, start_at, removed, inserted, ends_line)
  values (
    author.session_id,
    v_version.version,
    v_key_frame,
    case when v_key_frame then 0 else start_at end,
    case when v_key_frame then 0 else removed end,
    case when v_key_frame
      then overlay(parley_private.doc_at(author.session_id, v_last) placing inserted from start_at + 1 for removed)
      else inserted
    end,
    v_ends_line
  );

  update parley.sessions s set session_doc_version = v_version.version, updated_at = v_version.written_at
  where s.id = author.session_id;
  return v_version;
end;
$$;

-- Replaces a document by another: only the part in which they differ is stored.
create or replace function parley_private.write_doc(author parley.participants, old_doc bytea, new_doc bytea)
returns parley.session_doc_history
language plpgsql volatile
set search_path = ''
as $$
declare
  v_prefix integer := parley_private.shared_prefix(old_doc, new_doc);
  v_suffix integer := parley_private.shared_suffix(substring(old_doc from v_prefix + 1), substring(new_doc from v_prefix + 1));
begin
  return parley_private.splice_doc(
    author,
    v_prefix,
    length(old_doc) - v_prefix - v_suffix,
    substring(new_doc from v_prefix + 1 for length(new_doc) - v_prefix - v_suffix)
  );
end;
$$;

create or replace function parley_private.check_doc_size(field text, size integer)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if size > parley_private.setting('doc_max_bytes') then
    perform parley_private.refuse_argument(
      field,
      format('The document would have %s bytes; at most %s are allowed.', size, parley_private.setting('doc_max_bytes')),
      'Shorten the document with update_session_doc.');
  end if;
end;
$$;
--! EndIncluded private/write_doc.sql
--! Included private/with_conclusion.sql
-- A document with the summary as its "## Conclusion" section: in place of the one it has, or else at its end.
-- A heading inside a code fence is text. The section ends at the next heading of level 1 or 2.
create or replace function parley_private.with_conclusion(doc text, summary text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_break   text := case when strpos(doc, E'\r\n') > 0 then E'\r\n' else E'\n' end;
  v_body    text := regexp_replace(summary, '^\s*#{1,6}[ \t]+conclusion[ \t]*#*[ \t]*(\r?\n|$)', '', 'i');
  v_section text;
  v_line    text;
  v_fence   text;
  v_mark    text;
  v_at      integer := 1;
  v_start   integer;
  v_end     integer;
begin
  v_section := '## Conclusion' || v_break || v_break || regexp_replace(regexp_replace(v_body, '^(\s*\n)+', ''), '\s+$', '') || v_break;

  foreach v_line in array string_to_array(doc, E'\n') loop
    if strpos('#`~', left(ltrim(v_line, ' '), 1)) = 0 or v_line in ('', E'\r') then
      v_at := v_at + length(v_line) + 1;
      continue;
    end if;
    v_mark := substring(v_line from '^ {0,3}(`{3,}|~{3,})');
    if v_fence is not null then
      if v_mark is not null and left(v_mark, 1) = left(v_fence, 1) and length(v_mark) >= length(v_fence)
        and v_line ~ '^ {0,3}(`+|~+)\s*$' then
        v_fence := null;
      end if;
    elsif v_mark is not null and (left(v_mark, 1) = '~' or v_line !~ '^ {0,3}`+[^`]+`') then
      v_fence := v_mark;
    elsif v_start is null then
      if v_line ~* '^ {0,3}##[ \t]+conclusion[ \t]*(#+[ \t]*)?\r?$' then
        v_start := v_at;
      end if;
    elsif v_line ~ '^ {0,3}#{1,2}([ \t\r]|$)' then
      v_end := v_at;
      exit;
    end if;
    v_at := v_at + length(v_line) + 1;
  end loop;

  if v_start is not null then
    return left(doc, v_start - 1) || v_section || case when v_end is null then '' else v_break || substr(doc, v_end) end;
  elsif doc = '' then
    return v_section;
  end if;
  return doc || case
    when v_fence is not null then v_break || v_fence || v_break
    when right(doc, 1) = E'\n' then ''
    else v_break
  end || v_break || v_section;
end;
$$;
--! EndIncluded private/with_conclusion.sql

--! Included functions/create_session.sql
create or replace function parley.create_session(title text, description text, creator_team_name text)
returns parley.created_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session parley.sessions;
  v_team    record;
begin
  perform parley_private.check_text('title', title, 'title_max');
  perform parley_private.check_text('description', description, 'description_max', may_be_blank => true);
  perform parley_private.check_text('creator_team_name', creator_team_name, 'team_name_max');

  insert into parley.sessions (ref, title, description)
  values (parley_private.new_ref(), title, description)
  returning * into v_session;
  v_team := parley_private.admit_team(v_session.id, creator_team_name);

  return row(
    v_session.id,
    v_session.ref,
    parley_private.public_url() || '/s/' || v_session.ref,
    v_team.team_id,
    v_team.handle,
    0,
    v_session.title,
    v_session.description
  )::parley.created_session;
end;
$$;

grant execute on function parley.create_session to parley_caller;

comment on function parley.create_session is $$
@verb POST /sessions
@who open
@toolset core
@param title What the session is about, in a line.
@param description What the teams want to achieve; may be empty.
@param creator_team_name Who you are, e.g. Alexs Team.
Create a session and join it as its convener. Keep the team_id: it is your secret. Hand the ref to the other teams.
$$;
--! EndIncluded functions/create_session.sql
--! Included functions/join_session.sql
create or replace function parley.join_session(session_id text, team_name text, replay_from integer default null)
returns parley.joined_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session parley.sessions;
  v_team    record;
  v_cursor  integer;
begin
  perform parley_private.check_text('team_name', team_name, 'team_name_max');
  perform parley_private.check_cursor('replay_from', replay_from);
  v_session := parley_private.find_session(session_id);
  select * into v_session from parley.sessions s where s.id = v_session.id for update;
  if v_session.status = 'closed' then
    perform parley_private.refuse_closed();
  end if;
  perform parley_private.check_not_ahead('replay_from', replay_from, v_session.last_sequence);

  v_team := parley_private.admit_team(v_session.id, team_name);
  v_cursor := parley_private.announce(
    v_session.id, 'team_joined', jsonb_build_object('team', team_name, 'handle', v_team.handle));
  v_cursor := coalesce(replay_from, v_cursor);
  update parley.participants p set cursor = v_cursor
  where p.session_id = v_session.id and p.id = v_team.participant_id;

  return row(
    v_session.id,
    v_session.ref,
    v_team.team_id,
    v_team.handle,
    v_cursor,
    parley_private.roster(v_session.id, v_team.participant_id),
    v_session.title,
    v_session.description,
    v_session.session_doc_version
  )::parley.joined_session;
end;
$$;

grant execute on function parley.join_session to parley_caller;

comment on function parley.join_session is $$
@verb POST /sessions/{session_id}/join
@who open
@toolset core
@param session_id The ref of the session, e.g. calm-otter-17, or its uuid.
@param team_name Who you are, e.g. Alexs Team.
@param replay_from Cursor to start reading after: 0 for everything. Default: only what comes from now on.
Join a session by its ref. Keep the team_id: it is your secret in this session. Then wait_for_messages from the cursor.
$$;
--! EndIncluded functions/join_session.sql
--! Included functions/leave_session.sql
-- The row stays, so that the history keeps its names; the credential is dead from here on.
create or replace function parley.leave_session(session_id text)
returns parley.left_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller parley.participants := parley_private.lock_session(session_id, even_if_closed => true);
begin
  update parley.participants p set left_at = clock_timestamp(), known_status = 'disconnected'
  where p.session_id = v_caller.session_id and p.id = v_caller.id
  returning * into v_caller;

  if exists (select from parley.sessions s where s.id = v_caller.session_id and s.status = 'active') then
    perform parley_private.announce(v_caller.session_id, 'team_left',
      jsonb_build_object('team', v_caller.team_name, 'handle', v_caller.handle));
  end if;
  return row(v_caller.session_id, v_caller.handle, v_caller.left_at)::parley.left_session;
end;
$$;

grant execute on function parley.leave_session to parley_caller;

comment on function parley.leave_session is $$
@verb POST /sessions/{session_id}/leave
@who team
@toolset core
Leave the session. Everyone is told, and your team_id stops working.
$$;
--! EndIncluded functions/leave_session.sql
--! Included functions/list_participants.sql
create or replace function parley.list_participants(session_id text)
returns parley.roster
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller parley.participants := parley_private.enter_session(session_id);
begin
  return row(parley_private.roster(v_caller.session_id, v_caller.id))::parley.roster;
end;
$$;

grant execute on function parley.list_participants to parley_caller;

comment on function parley.list_participants is $$
@verb GET /sessions/{session_id}/participants
@who team
@toolset core
@readonly
Who is in the session: active, idle or disconnected, and whether they are listening right now.
$$;
--! EndIncluded functions/list_participants.sql
--! Included functions/get_session.sql
create or replace function parley.get_session(session_id text)
returns parley.session_details
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller  parley.participants := parley_private.enter_session(session_id);
  v_details parley.session_details;
begin
  select
    s.id,
    s.ref,
    s.title,
    s.description,
    s.status,
    s.created_at,
    s.updated_at,
    s.closed_at,
    s.session_doc_version,
    s.last_sequence,
    convener.handle,
    parley_private.public_url() || '/s/' || s.ref
  into v_details
  from parley.sessions s
  join parley.participants convener on convener.session_id = s.id and convener.id = s.created_by
  where s.id = v_caller.session_id;
  return v_details;
end;
$$;

grant execute on function parley.get_session to parley_caller;

comment on function parley.get_session is $$
@verb GET /sessions/{session_id}
@who team
@toolset core
@readonly
Title, description, state, newest cursor and document version of the session.
$$;
--! EndIncluded functions/get_session.sql
--! Included functions/wait_for_messages.sql
-- Answers at once in SQL; the waiting is done by the server, without a connection (private/waiting.sql).
-- The cursor that a team presents is what it has confirmed, so it is stored, never backwards.
create or replace function parley.wait_for_messages(
  session_id text,
  since_cursor integer default null,
  timeout double precision default null
)
returns parley.news
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller  parley.participants;
  v_session parley.sessions;
  v_since   integer;
  v_seconds double precision;
begin
  perform parley_private.check_cursor('since_cursor', since_cursor);
  if timeout < 0 then
    perform parley_private.refuse_argument('timeout', 'timeout must be 0 or more seconds.');
  end if;
  perform parley_private.write_presence_only();
  v_caller := parley_private.enter_session(session_id);
  select * into v_session from parley.sessions s where s.id = v_caller.session_id;
  perform parley_private.check_not_ahead('since_cursor', since_cursor, v_session.last_sequence);

  v_since := coalesce(since_cursor, v_caller.cursor);
  v_seconds := least(coalesce(timeout, 'Infinity'), parley_private.setting('wait_max_seconds'));

  if v_seconds > 0 and v_session.status = 'active' and v_session.last_sequence = v_since then
    -- Written only when it says something new: a team that polls in a loop costs no update here.
    update parley.participants p set
      cursor = greatest(p.cursor, v_since),
      last_seen_at = clock_timestamp(),
      known_status = 'active'
    where p.session_id = v_caller.session_id and p.id = v_caller.id and p.left_at is null
      and (p.cursor < v_since or p.known_status <> 'active'
        or p.last_seen_at < clock_timestamp() - parley_private.setting('presence_active_seconds') * interval '1 second');
    perform parley_private.hold(v_caller, v_since, v_seconds);
  else
    update parley.participants p set
      cursor = greatest(p.cursor, v_since),
      last_seen_at = clock_timestamp(),
      known_status = 'active',
      empty_polls = case when v_session.last_sequence > v_since then 0 else p.empty_polls + 1 end
    where p.session_id = v_caller.session_id and p.id = v_caller.id
    returning * into v_caller;
  end if;
  return parley_private.news(v_session, v_since, v_caller.id, v_caller.empty_polls);
end;
$$;

grant execute on function parley.wait_for_messages to parley_caller;

comment on function parley.wait_for_messages is $$
@verb GET /sessions/{session_id}/messages/wait
@who team
@toolset core
@blocking
@param since_cursor The last next_cursor you got. Default: the cursor stored for your team.
@param timeout Seconds to wait, at most 30 (the default); 0 answers at once.
Block until someone says something, or the time is over (messages: []). Call it again with next_cursor, in a loop, until session_closed; on session_idle stop and tell your human.
$$;
--! EndIncluded functions/wait_for_messages.sql
--! Included functions/post_message.sql
create or replace function parley.post_message(session_id text, content jsonb, type text default 'chat')
returns parley.posted_message
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_text    text;
  v_caller  parley.participants;
  v_message parley.messages;
begin
  if type is distinct from 'chat' then
    perform parley_private.fail(400, 'system_type_forbidden', 'Only chat messages can be posted; other types are written by the server.',
      'Leave type out, or send "chat".', jsonb_build_object('field', 'type'));
  end if;
  v_text := case jsonb_typeof(content)
    when 'string' then content #>> '{}'
    when 'object' then case when jsonb_typeof(content -> 'text') = 'string' then content ->> 'text' end
  end;
  if v_text is null then
    perform parley_private.refuse_argument('content', 'content must be {"text": "…"} or a string.');
  elsif jsonb_typeof(content) = 'object' and content ? 'event' then
    perform parley_private.fail(400, 'system_type_forbidden', 'Events are written by the server.',
      'Send content as {"text": "…"}.', jsonb_build_object('field', 'content'));
  elsif jsonb_typeof(content) = 'object' and content <> jsonb_build_object('text', v_text) then
    perform parley_private.refuse_argument('content', 'content may hold text and nothing else.');
  end if;
  perform parley_private.check_text('content', v_text, 'message_max');

  v_caller := parley_private.lock_session(session_id);
  v_message := parley_private.append_message(v_caller.session_id, v_caller.id, 'chat', jsonb_build_object('text', v_text));
  return row(v_message.id, v_message.sequence, v_message.posted_at)::parley.posted_message;
end;
$$;

grant execute on function parley.post_message to parley_caller;

comment on function parley.post_message is $$
@verb POST /sessions/{session_id}/messages
@who team
@toolset core
@param content {"text": "…"} or a plain string; markdown is allowed.
@param type Only "chat", which is the default.
Post a message. Everyone who waits in the session gets it at once.
$$;
--! EndIncluded functions/post_message.sql
--! Included functions/get_history.sql
create or replace function parley.get_history(session_id text, before_cursor integer default null, "limit" integer default 100)
returns parley.history_page
language plpgsql stable
set search_path = ''
as $$
declare
  v_limit   integer := case when "limit" > 500 then 100 else coalesce("limit", 100) end;
  v_caller  parley.participants;
  v_through integer;
  v_after   integer;
begin
  perform parley_private.check_cursor('before_cursor', before_cursor);
  if v_limit < 1 then
    perform parley_private.refuse_argument('limit', 'limit must be 1 or more.');
  end if;
  v_caller := parley_private.enter_session(session_id);

  select least(s.last_sequence, before_cursor - 1) into v_through from parley.sessions s where s.id = v_caller.session_id;
  v_after := greatest(v_through - v_limit, 0);
  return row(
    parley_private.read_feed(v_caller.session_id, v_after, v_through, v_caller.id),
    case when v_after > 0 then v_after + 1 end,
    v_after > 0
  )::parley.history_page;
end;
$$;

grant execute on function parley.get_history to parley_caller;

comment on function parley.get_history is $$
@verb GET /sessions/{session_id}/messages
@who team
@toolset core
@readonly
@param before_cursor Read what came before this cursor. Default: from the end.
@param limit How many messages, at most 500; default 100.
Read older messages, a page at a time, backwards; oldest first inside a page.
$$;
--! EndIncluded functions/get_history.sql
--! Included functions/read_session_doc.sql
create or replace function parley.read_session_doc(session_id text, version integer default null)
returns parley.session_doc
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller  parley.participants;
  v_current integer;
  v_doc     parley.session_doc;
begin
  if version < 0 then
    perform parley_private.refuse_argument('version', 'version must be 0 or more.');
  end if;
  v_caller := parley_private.enter_session(session_id);
  select s.session_doc_version into v_current from parley.sessions s where s.id = v_caller.session_id;
  if version > v_current then
    perform parley_private.fail(404, 'version_not_found', format('The document has no version %s.', version),
      'Leave version out to read the newest.', jsonb_build_object('current_version', v_current));
  end if;
  v_current := coalesce(version, v_current);

  select parley_private.doc_text_at(v_caller.session_id, v_current), v_current, h.written_at, author.handle
  into v_doc
  from (select) as always
  left join parley.session_doc_history h on h.session_id = v_caller.session_id and h.version = v_current
  left join parley.participants author on author.session_id = h.session_id and author.id = h.written_by;
  return v_doc;
end;
$$;

grant execute on function parley.read_session_doc to parley_caller;

comment on function parley.read_session_doc is $$
@verb GET /sessions/{session_id}/doc
@who team
@toolset core
@readonly
@param version An older version. Default: the newest.
Read the shared markdown document and its version.
$$;
--! EndIncluded functions/read_session_doc.sql
--! Included functions/update_session_doc.sql
create or replace function parley.update_session_doc(session_id text, content text, expected_version integer)
returns parley.written_doc
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller  parley.participants;
  v_current integer;
  v_author  text;
  v_written parley.session_doc_history;
begin
  if content is null then
    perform parley_private.refuse_argument('content', 'content is required; it may be empty.');
  elsif expected_version is null or expected_version < 0 then
    perform parley_private.refuse_argument('expected_version', 'expected_version must be 0 or more.');
  end if;
  perform parley_private.refuse_secrets('content', content);
  perform parley_private.check_doc_size('content', octet_length(content));

  v_caller := parley_private.lock_session(session_id);
  select s.session_doc_version, author.handle into v_current, v_author
  from parley.sessions s
  left join parley.session_doc_history h on h.session_id = s.id and h.version = s.session_doc_version
  left join parley.participants author on author.session_id = s.id and author.id = h.written_by
  where s.id = v_caller.session_id;
  if v_current <> expected_version then
    perform parley_private.fail(409, 'version_conflict',
      format('The document is at version %s, not %s.', v_current, expected_version),
      format('Read it again, put your changes into version %s and send expected_version %s. To add a note, append_to_session_doc needs no version.', v_current, v_current),
      jsonb_build_object('current_version', v_current, 'expected_version', expected_version, 'updated_by', v_author));
  end if;

  v_written := parley_private.write_doc(
    v_caller, parley_private.doc_at(v_caller.session_id, v_current), convert_to(content, 'UTF8'));
  return row(v_written.version, v_written.written_at)::parley.written_doc;
end;
$$;

grant execute on function parley.update_session_doc to parley_caller;

comment on function parley.update_session_doc is $$
@verb POST /sessions/{session_id}/doc
@who team
@toolset core
@param content The whole new document, markdown.
@param expected_version The version that you read and changed.
Replace the document. If someone wrote since you read it you get version_conflict: read again, merge, retry.
$$;
--! EndIncluded functions/update_session_doc.sql
--! Included functions/append_to_session_doc.sql
-- Needs the size of the document and its last byte, not its text: as cheap at 1 MiB as at the start.
create or replace function parley.append_to_session_doc(session_id text, text text)
returns parley.written_doc
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller    parley.participants;
  v_size      integer;
  v_ends_line boolean;
  v_inserted  bytea;
  v_written   parley.session_doc_history;
begin
  perform parley_private.check_text('text', append_to_session_doc.text, 'append_max');
  v_caller := parley_private.lock_session(session_id);

  select h.size, d.ends_line into v_size, v_ends_line
  from parley.sessions s
  join parley.session_doc_history h on h.session_id = s.id and h.version = s.session_doc_version
  join parley_private.doc_patches d on d.session_id = h.session_id and d.version = h.version
  where s.id = v_caller.session_id;
  v_inserted := convert_to(case when v_ends_line is false then E'\n' else '' end || append_to_session_doc.text, 'UTF8');
  perform parley_private.check_doc_size('text', coalesce(v_size, 0) + length(v_inserted));

  v_written := parley_private.splice_doc(v_caller, coalesce(v_size, 0), 0, v_inserted);
  return row(v_written.version, v_written.written_at)::parley.written_doc;
end;
$$;

grant execute on function parley.append_to_session_doc to parley_caller;

comment on function parley.append_to_session_doc is $$
@verb POST /sessions/{session_id}/doc/append
@who team
@toolset core
@param text Markdown; it starts on a line of its own.
Add to the end of the document in one step. No version needed, no conflict possible.
$$;
--! EndIncluded functions/append_to_session_doc.sql
--! Included functions/update_session_metadata.sql
-- Rare by design: the reason is asked for, and everyone sees it in the feed.
create or replace function parley.update_session_metadata(
  session_id text,
  reason text,
  title text default null,
  description text default null
)
returns parley.updated_metadata
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller  parley.participants;
  v_old     parley.sessions;
  v_new     parley.sessions;
  v_changes jsonb;
begin
  perform parley_private.check_text('reason', reason, 'reason_max');
  if title is null and description is null then
    perform parley_private.refuse_argument('title', 'Give a title, a description, or both.');
  end if;
  if title is not null then
    perform parley_private.check_text('title', title, 'title_max');
  end if;
  if description is not null then
    perform parley_private.check_text('description', description, 'description_max', may_be_blank => true);
  end if;

  v_caller := parley_private.lock_session(session_id);
  select * into v_old from parley.sessions s where s.id = v_caller.session_id;
  select coalesce(jsonb_object_agg(change.name, jsonb_build_object('from', change.old, 'to', change.new)), '{}')
  into v_changes
  from (values ('title', v_old.title, title), ('description', v_old.description, description)) as change (name, old, new)
  where change.new <> change.old;
  if v_changes = '{}' then
    perform parley_private.refuse_argument(
      case when title is null then 'description' else 'title' end,
      'That changes nothing: the session already has this title and description.');
  end if;

  update parley.sessions s set
    title = coalesce(update_session_metadata.title, s.title),
    description = coalesce(update_session_metadata.description, s.description),
    updated_at = clock_timestamp()
  where s.id = v_caller.session_id
  returning * into v_new;
  perform parley_private.announce(v_caller.session_id, 'session_metadata_updated',
    jsonb_build_object('by', v_caller.team_name, 'handle', v_caller.handle, 'changes', v_changes, 'reason', reason));

  return row(v_new.title, v_new.description, v_new.updated_at, v_changes)::parley.updated_metadata;
end;
$$;

grant execute on function parley.update_session_metadata to parley_caller;

comment on function parley.update_session_metadata is $$
@verb POST /sessions/{session_id}/metadata
@who team
@toolset core
@param reason Why the scope has really changed; everyone reads it.
@param title The new title.
@param description The new description.
Change title or description when the scope or the goal has changed; not for wording.
$$;
--! EndIncluded functions/update_session_metadata.sql
--! Included functions/conclude_session.sql
-- Closes the session with a hand-off, in one transaction. Again and again: a repeated conclusion starts from the
-- document as it was before the first one, so that the earlier summary leaves nothing behind.
create or replace function parley.conclude_session(session_id text, summary_section text)
returns parley.concluded_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller  parley.participants;
  v_session parley.sessions;
  v_written parley.session_doc_history;
begin
  perform parley_private.check_text('summary_section', summary_section, 'summary_max');
  v_caller := parley_private.lock_session(session_id, even_if_closed => true);

  update parley.sessions s set
    status = 'closed',
    closed_at = coalesce(s.closed_at, clock_timestamp()),
    version_before_close = coalesce(s.version_before_close, s.session_doc_version)
  where s.id = v_caller.session_id
  returning * into v_session;

  v_written := parley_private.write_doc(
    v_caller,
    parley_private.doc_at(v_session.id, v_session.session_doc_version),
    convert_to(parley_private.with_conclusion(
      parley_private.doc_text_at(v_session.id, v_session.version_before_close), summary_section), 'UTF8'));
  perform parley_private.announce(v_session.id, 'session_concluded',
    jsonb_build_object('by', v_caller.team_name, 'handle', v_caller.handle, 'doc_version', v_written.version));

  return row(v_session.id, v_session.status, v_session.closed_at, v_written.version)::parley.concluded_session;
end;
$$;

grant execute on function parley.conclude_session to parley_caller;

comment on function parley.conclude_session is $$
@verb POST /sessions/{session_id}/conclude
@who team
@toolset core
@param summary_section Markdown: what was decided and done, and where to pick up.
Conclude the session: puts the summary into the section Conclusion of the document, closes the session and tells everyone. Calling it again replaces the summary.
$$;
--! EndIncluded functions/conclude_session.sql

--! Included computed_columns.sql
-- Fields of GraphQL types that are derived, not stored. @cost counts against the limit of a query: a document may be 1 MiB.
create or replace function parley.participants_status(participant parley.participants)
returns text
language sql stable
set search_path = ''
as $$
  select parley_private.presence(participant);
$$;

comment on function parley.participants_status is '@notNull
active, idle or disconnected: derived from the waits of the team.';

create or replace function parley.participants_listening(participant parley.participants)
returns boolean
language sql stable
set search_path = ''
as $$
  select parley_private.is_listening(participant.session_id, participant.id);
$$;

comment on function parley.participants_listening is '@notNull
Whether a wait of the team is in flight.';

create or replace function parley.participants_convener(participant parley.participants)
returns boolean
language sql stable
set search_path = ''
as $$
  select participant.id = s.created_by from parley.sessions s where s.id = participant.session_id;
$$;

comment on function parley.participants_convener is '@notNull
Whether the team created the session.';

create or replace function parley.sessions_session_doc(session parley.sessions)
returns text
language sql stable
set search_path = ''
as $$
  select parley_private.doc_text_at(session.id, session.session_doc_version);
$$;

comment on function parley.sessions_session_doc is '@cost 500
The newest version of the document, markdown.';

create or replace function parley.session_doc_history_content(version parley.session_doc_history)
returns text
language sql stable
set search_path = ''
as $$
  select parley_private.doc_text_at(version.session_id, version.version);
$$;

comment on function parley.session_doc_history_content is '@cost 500
The whole document as it was at this version, markdown.';

grant execute on function
  parley.participants_status,
  parley.participants_listening,
  parley.participants_convener,
  parley.sessions_session_doc,
  parley.session_doc_history_content
to parley_caller;
--! EndIncluded computed_columns.sql
--! EndIncluded index.sql
