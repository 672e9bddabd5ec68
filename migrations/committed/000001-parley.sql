--! Previous: -
--! Hash: sha1:4932df3ba62e69495957c15ed2d1b6fce90dd511
--! Message: Parley

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

-- An address that may stand in the guide, whose lines agents run: nothing in it means anything to a shell, and every parser
-- of addresses takes it. Names in xn-- are left out: only such a parser can tell whether they are names.
create or replace function parley_private.is_link(address text)
returns boolean
language plpgsql immutable strict
set search_path = ''
as $$
declare
  c_octet constant text := '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
  c_label constant text := '([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
  v_parts text[];
begin
  if length(address) > 500 then
    return false;
  end if;
  v_parts := regexp_match(
    address,
    '^https?://(?:([A-Za-z0-9.-]+)|\[([0-9A-Fa-f:]+)\])(?::([1-9][0-9]{0,4}))?(?:/[A-Za-z0-9._~-]+)*/?$');
  if v_parts is null or v_parts[3]::integer > 65535 then
    return false;
  end if;
  if v_parts[2] is not null then
    perform v_parts[2]::inet;
    return true;
  end if;
  return v_parts[1] ~ format('^(%1$s\.){3}%1$s$', c_octet)
    or v_parts[1] ~ format('^([A-Za-z0-9]%1$s\.)*[A-Za-z]%1$s$', c_label) and v_parts[1] !~* '(^|\.)xn--';
exception
  when invalid_text_representation then
    return false;
end;
$$;

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
  elsif jsonb_typeof(new.value) <> 'string'
    or new.value <> '""' and not parley_private.is_link(new.value #>> '{}') then
    perform parley_private.refuse_argument(
      new.name,
      format('%s must be empty or an address that starts with http:// or https://.', new.name),
      'A host name, IPv4 or [IPv6] address, then a port and a path of letters, digits and . _ ~ - if you like: https://parley.example.com/mcp. At most 500 characters.');
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
alter table parley.settings enable always trigger _100_stay;
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
  ('metadata_max', 'integer', '8192', 2, 100000, 'Largest metadata of a message, in characters of JSON.'),
  ('outbox_max', 'integer', '20', 1, 100, 'Most messages that one call of sync may post.'),
  ('list_text_max', 'integer', '4000', 100, 1000000, 'Longest text of a message in a list, in characters; get_message has the whole.'),
  ('digest_items', 'integer', '50', 1, 500, 'Most entries of each list in a digest.'),
  ('wait_max_seconds', 'integer', '30', 1, 50, 'Longest time that one call may wait for messages, in seconds.'),
  ('wait_page', 'integer', '100', 1, 500, 'Most messages that one wait hands over.'),
  ('page_max_bytes', 'integer', '1048576', 1024, 16777216, 'Largest page of messages, in bytes of what teams wrote; one message always comes.'),
  ('idle_polls', 'integer', '10', 1, 1000, 'After how many empty waits in a row a team is told that the session is idle.'),
  ('presence_active_seconds', 'integer', '10', 1, 3600, 'For how many seconds after its last call a team counts as active.'),
  ('presence_idle_seconds', 'integer', '60', 2, 86400, 'For how many seconds after its last call a team counts as idle, before it is disconnected.'),
  ('working_seconds', 'integer', '600', 1, 86400, 'For how many seconds after its last call a team is shown as working, before it is silent.'),
  ('live_seconds', 'integer', '120', 1, 86400, 'For how many seconds after the last call of any team a session is shown as live.')
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
  continues uuid,
  last_message_at timestamptz,
  active_minute timestamptz not null
    generated always as (date_bin('1 minute', greatest(updated_at, last_message_at), '2000-01-01T00:00:00Z')) stored,
  constraint sessions_have_an_id primary key (id),
  constraint sessions_are_found_by_their_ref unique (ref),
  constraint sessions_are_active_or_closed check (status in ('active', 'closed')),
  constraint closed_sessions_say_since_when check ((status = 'closed') = (closed_at is not null)),
  constraint sessions_continue_another foreign key (continues) references parley.sessions (id)
)
-- Every post updates this row: room on the page keeps those updates off the indexes.
with (fillfactor = 70);

create index if not exists sessions_by_creation on parley.sessions (created_at desc, id);
-- To the minute: the list is sorted by it, and yet a post seldom moves a session in it.
create index if not exists sessions_by_activity on parley.sessions (active_minute desc);
create index if not exists sessions_that_continue_another on parley.sessions (continues);

comment on table parley.sessions is 'Where teams meet: one feed, one document, one conclusion.';
comment on column parley.sessions.ref is 'The short name to hand to other teams, e.g. calm-otter-17.';
comment on column parley.sessions.last_sequence is 'The cursor of the newest message; 0 while there is none.';
comment on column parley.sessions.session_doc_version is 'How often the document was written.';
comment on column parley.sessions.created_by is '@behavior -*
The convener: always the first participant.';
comment on column parley.sessions.continues is '@behavior -*
The concluded session that this one picks up.';
comment on constraint sessions_continue_another on parley.sessions is '@fieldName continues
@foreignFieldName continuations';
comment on column parley.sessions.last_message_at is '@behavior -*
When the newest message was posted: the list is sorted by it without a look at the feeds.';
comment on column parley.sessions.active_minute is '@behavior -*
The minute in which something was last posted or written.';
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
-- Whoever watches the concluded session sees where it goes on.
create or replace function parley_private.tg_sessions__notify_continued()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('session ' || new.continues);
  return null;
end;
$$;

drop trigger if exists _500_notify_continued on parley.sessions;
create trigger _500_notify_continued after insert on parley.sessions
  for each row when (new.continues is not null) execute function parley_private.tg_sessions__notify_continued();
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
  handed_cursor integer not null default 0,
  started_from integer not null default 0,
  idle_version integer not null default 0,
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
comment on column parley.participants.handed_cursor is '@behavior -*
How far waits and syncs have handed the feed over to the team, whether it has confirmed that or not.';
comment on column parley.participants.last_seen_at is 'When a call of this team last ended.';
comment on column parley.participants.empty_polls is '@behavior -*
Waits in a row that brought nothing.';
comment on column parley.participants.started_from is '@behavior -*
The cursor that it joined with: what is older was not said to it.';
comment on column parley.participants.idle_version is '@behavior -*
The version of the document during those waits: a newer one ends their count.';
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
  when (
    old.known_status is distinct from new.known_status
    or old.left_at is distinct from new.left_at
    or old.acked_cursor is distinct from new.acked_cursor
  )
  execute function parley_private.tg_participants__notify();
--! EndIncluded tables/participants.sql
--! Included tables/presence_changes.sql
-- When each team came, fell silent, woke up and left: what the picture of a session is drawn from.
create table if not exists parley.presence_changes (
  session_id uuid not null,
  participant_id integer not null,
  at timestamptz not null default clock_timestamp(),
  status text not null,
  constraint presence_changes_are_told_apart_by_time primary key (session_id, participant_id, at),
  constraint presence_changes_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id),
  constraint presence_changes_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

comment on table parley.presence_changes is 'When each team was active, idle or disconnected.';
comment on column parley.presence_changes.status is 'What the team was from then on: active, idle or disconnected.';

alter table parley.presence_changes enable row level security;
alter table parley.presence_changes force row level security;

drop policy if exists presence_changes_are_readable on parley.presence_changes;
create policy presence_changes_are_readable on parley.presence_changes for select to parley_caller using (true);
drop policy if exists presence_changes_are_read_by_the_owner on parley.presence_changes;
create policy presence_changes_are_read_by_the_owner on parley.presence_changes for select to parley_owner using (true);
drop policy if exists presence_changes_are_appended_by_the_owner on parley.presence_changes;
create policy presence_changes_are_appended_by_the_owner on parley.presence_changes for insert to parley_owner with check (true);

grant select on parley.presence_changes to parley_caller;

create or replace function parley_private.tg_participants__record_presence()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into parley.presence_changes (session_id, participant_id, status)
  values (new.session_id, new.id, new.known_status);
  return null;
end;
$$;

drop trigger if exists _400_record_insert on parley.participants;
create trigger _400_record_insert after insert on parley.participants
  for each row execute function parley_private.tg_participants__record_presence();
drop trigger if exists _400_record_update on parley.participants;
create trigger _400_record_update after update on parley.participants
  for each row
  when (old.known_status is distinct from new.known_status)
  execute function parley_private.tg_participants__record_presence();
--! EndIncluded tables/presence_changes.sql
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

-- An agent that has lost its context still finds its session by its team_id.
create unique index if not exists credentials_are_found_by_their_hash on parley_private.credentials (hash);

alter table parley_private.credentials enable row level security;
alter table parley_private.credentials force row level security;

drop policy if exists credentials_are_kept_by_the_owner on parley_private.credentials;
create policy credentials_are_kept_by_the_owner on parley_private.credentials to parley_owner using (true) with check (true);
--! EndIncluded tables/credentials.sql
--! Included tables/team_keys.sql
-- The keys by which a team finds its way back when the answer of create, join or resume got lost, or its context did. A key
-- is as secret as a team_id, so only a hash is kept: of the verb, the session that was named and the key.
create table if not exists parley_private.team_keys (
  hash bytea not null,
  session_id uuid not null,
  participant_id integer not null,
  fingerprint bytea not null,
  constraint team_keys_are_used_once primary key (hash),
  constraint team_keys_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id),
  constraint team_keys_are_sha256 check (length(hash) = 32)
);

create index if not exists team_keys_of_a_participant on parley_private.team_keys (session_id, participant_id);

comment on column parley_private.team_keys.fingerprint is 'SHA-256 of the other arguments, to tell a retry from a mistake.';

alter table parley_private.team_keys enable row level security;
alter table parley_private.team_keys force row level security;

drop policy if exists team_keys_are_kept_by_the_owner on parley_private.team_keys;
create policy team_keys_are_kept_by_the_owner on parley_private.team_keys to parley_owner using (true) with check (true);
--! EndIncluded tables/team_keys.sql
--! Included tables/waits.sql
-- The calls that wait right now, on any replica. Each row is a lease: it ends with its own call and expires by
-- itself when the server that held the call has died. No foreign key: a lease need not lock a participant.
create table if not exists parley_private.waits (
  id uuid not null,
  session_id uuid not null,
  participant_id integer not null,
  since_cursor integer not null,
  expires_at timestamptz not null,
  verb text not null default 'wait_for_messages',
  options jsonb,
  constraint waits_have_an_id primary key (id)
);

comment on column parley_private.waits.options is 'What else was asked for; null for a plain wait, whose answer others can share.';

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
  -- Made of the session's and the cursor, so that the primary key finds it: an index of its own would cost every post.
  id uuid not null generated always as (
    overlay(overlay(session_id::text placing '8' from 15) placing lpad(to_hex(sequence), 8, '0') from 29)::uuid) stored,
  posted_by integer,
  type text not null,
  content jsonb not null,
  posted_at timestamptz not null default clock_timestamp(),
  kind text not null default 'message',
  reply_to integer,
  addressed_to text[],
  expects_reply boolean not null default false,
  metadata jsonb,
  client_message_id text,
  nth_of_author integer not null default 0,
  nth_of_kind integer,
  caused_by integer,
  bytes integer not null generated always as (octet_length(content::text) + coalesce(octet_length(metadata::text), 0)) stored,
  constraint messages_are_counted_per_session primary key (session_id, sequence),
  constraint messages_are_chat_or_system check (type in ('chat', 'system')),
  constraint chat_has_an_author_and_system_has_none check ((type = 'chat') = (posted_by is not null))
);
-- No foreign keys: who appends holds the lock of the session and has found author and answered message under it, and no row
-- that is referred to can be deleted. What GraphQL follows is said in the comment of the table.

create index if not exists messages_of_a_participant on parley.messages (session_id, posted_by, sequence);
-- What the server says itself is little; to count it, nothing else need be read.
create index if not exists messages_of_the_server on parley.messages (session_id, sequence) where posted_by is null;
create index if not exists messages_of_the_server_about_a_participant on parley.messages (session_id, caused_by, sequence)
  where posted_by is null;
create index if not exists messages_that_reply on parley.messages (session_id, reply_to) where reply_to is not null;
-- A digest finds what it shows, and counts what it does not, without reading the talk between.
create index if not exists messages_of_note on parley.messages (session_id, posted_by, kind, sequence) where nth_of_kind is not null;
create index if not exists messages_that_decide on parley.messages (session_id, sequence) where kind = 'decision';
create index if not exists messages_that_expect_a_reply on parley.messages (session_id, sequence) where expects_reply;
create unique index if not exists messages_are_posted_once on parley.messages (session_id, posted_by, client_message_id)
  where client_message_id is not null;

comment on table parley.messages is '@foreignKey (session_id) references parley.sessions (id)
@foreignKey (session_id, posted_by) references parley.participants (session_id, id)
@foreignKey (session_id, reply_to) references parley.messages (session_id, sequence)|@fieldName repliedTo|@behavior -manyRelation:resource:connection -manyRelation:resource:list
The feed of a session, in the order in which it was committed.';
comment on column parley.messages.id is 'The message_id.';
comment on column parley.messages.sequence is 'The cursor: 1, 2, 3 … per session, without a gap.';
comment on column parley.messages.posted_by is '@behavior -*
The author; null for what the server says itself.';
comment on column parley.messages.kind is 'What a chat message is: message, question, answer, decision, status or another short word.';
comment on column parley.messages.reply_to is 'The cursor of the message that this one answers.';
comment on column parley.messages.addressed_to is 'The handles of the teams that it is meant for; null: everybody.';
comment on column parley.messages.expects_reply is 'Whether its author waits for an answer.';
comment on column parley.messages.metadata is 'What the author added for programs.';
comment on column parley.messages.client_message_id is '@behavior -*
The key by which a repeated post is recognised.';
comment on column parley.messages.nth_of_author is '@behavior -*
How many its author has posted with it: what is unread is told by subtraction, however long the feed.';
comment on column parley.messages.nth_of_kind is '@behavior -*
How many of its kind its author has posted with it; null for kinds that a digest does not count.';
comment on column parley.messages.caused_by is '@behavior -*
Whose it is: who has said it, or done what the server tells. To that team it is no news.';
comment on column parley.messages.bytes is '@behavior -*
How much of a page it takes, uncut.';
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

-- The caller holds the lock of the session: nobody else counts at the same time.
create or replace function parley_private.tg_messages__count_kind()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  new.nth_of_kind := 1 + coalesce((
    select m.nth_of_kind from parley.messages m
    where m.session_id = new.session_id and m.posted_by = new.posted_by and m.kind = new.kind and m.nth_of_kind is not null
    order by m.sequence desc limit 1
  ), 0);
  return new;
end;
$$;

create or replace function parley_private.tg_messages__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  -- As notify does, without a call of its own: every post comes by here.
  if current_setting('parley.collects_topics', true) = 'yes' then
    perform set_config('parley.topics', concat_ws(',', nullif(current_setting('parley.topics', true), ''), 'feed ' || new.session_id), true);
  else
    perform pg_notify('parley', 'feed ' || new.session_id);
  end if;
  return null;
end;
$$;

-- Row security does not bind a superuser; this does, also one that calls itself a replica.
drop trigger if exists _100_append_only on parley.messages;
create trigger _100_append_only before update or delete or truncate on parley.messages
  for each statement execute function parley_private.tg_messages__append_only();
alter table parley.messages enable always trigger _100_append_only;
drop trigger if exists _300_count_kind on parley.messages;
create trigger _300_count_kind before insert on parley.messages
  for each row when (new.kind in ('question', 'answer', 'decision', 'status', 'blocked', 'blocker'))
  execute function parley_private.tg_messages__count_kind();
drop trigger if exists _500_notify on parley.messages;
create trigger _500_notify after insert on parley.messages
  for each row execute function parley_private.tg_messages__notify();
--! EndIncluded tables/messages.sql
--! Included tables/open_questions.sql
-- The questions that wait for an answer, each for as long as it does: what is open is read here, however much was ever asked.
-- No foreign key: a row comes with its message, which is never changed or deleted.
create table if not exists parley.open_questions (
  session_id uuid not null,
  sequence integer not null,
  asked_by integer not null,
  addressed_to text[],
  constraint open_questions_are_messages primary key (session_id, sequence)
);

comment on table parley.open_questions is '@behavior -*
The questions that wait for an answer.';
comment on column parley.open_questions.session_id is 'The session that it was asked in.';
comment on column parley.open_questions.sequence is 'The cursor of the question.';
comment on column parley.open_questions.asked_by is 'Its author, among the participants.';
comment on column parley.open_questions.addressed_to is 'The handles of the teams that were asked; null: everybody.';

alter table parley.open_questions enable row level security;
alter table parley.open_questions force row level security;

drop policy if exists open_questions_are_readable on parley.open_questions;
create policy open_questions_are_readable on parley.open_questions for select to parley_caller using (true);
drop policy if exists open_questions_are_kept_by_the_owner on parley.open_questions;
create policy open_questions_are_kept_by_the_owner on parley.open_questions to parley_owner using (true) with check (true);

grant select on parley.open_questions to parley_caller;

-- A question opens when it is posted; a reply may close the one that it answers. Once closed, none opens again.
create or replace function parley_private.tg_messages__open_questions()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  if new.expects_reply and parley_private.is_open(new) then
    insert into parley.open_questions (session_id, sequence, asked_by, addressed_to)
    values (new.session_id, new.sequence, new.posted_by, new.addressed_to);
  end if;
  if new.reply_to is not null then
    delete from parley.open_questions o
    using parley.messages m
    where o.session_id = new.session_id and o.sequence = new.reply_to
      and m.session_id = o.session_id and m.sequence = o.sequence
      and not parley_private.is_open(m);
  end if;
  return null;
end;
$$;

drop trigger if exists _300_open_questions on parley.messages;
create trigger _300_open_questions after insert on parley.messages
  for each row when (new.expects_reply or new.reply_to is not null)
  execute function parley_private.tg_messages__open_questions();

-- Who has left is not waited for.
create or replace function parley_private.tg_participants__close_questions()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from parley.open_questions o
  using parley.messages m
  where o.session_id = new.session_id and new.handle = any (o.addressed_to)
    and m.session_id = o.session_id and m.sequence = o.sequence
    and not parley_private.is_open(m);
  return null;
end;
$$;

drop trigger if exists _300_close_questions on parley.participants;
create trigger _300_close_questions after update of left_at on parley.participants
  for each row execute function parley_private.tg_participants__close_questions();
--! EndIncluded tables/open_questions.sql
--! Included tables/handoffs.sql
-- What the teams of a session that continues another are told about that one: made once, when it is resumed. As JSON, so that
-- its type can gain fields.
create table if not exists parley_private.handoffs (
  session_id uuid not null,
  handoff jsonb not null,
  constraint handoffs_are_one_per_session primary key (session_id),
  constraint handoffs_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

comment on table parley_private.handoffs is 'What the teams of a resumed session are told about the one that it continues.';
comment on column parley_private.handoffs.session_id is 'The session that continues another.';
comment on column parley_private.handoffs.handoff is 'A parley.handoff.';

alter table parley_private.handoffs enable row level security;
alter table parley_private.handoffs force row level security;

drop policy if exists handoffs_are_kept_by_the_owner on parley_private.handoffs;
create policy handoffs_are_kept_by_the_owner on parley_private.handoffs to parley_owner using (true) with check (true);
--! EndIncluded tables/handoffs.sql
--! Included tables/message_words.sql
-- What search finds messages by, apart from them: to index the words of a text costs more than to keep it. They follow in
-- batches, in the order of the feed and without a gap, so that the last one here says how far a session is indexed. What is
-- not yet here, search reads itself.
create table if not exists parley_private.message_words (
  session_id uuid not null,
  sequence integer not null,
  words tsvector,
  constraint message_words_are_one_row_per_message primary key (session_id, sequence)
);

comment on table parley_private.message_words is 'The words of the messages, indexed.';
comment on column parley_private.message_words.words is 'Null for what the server says itself: that is not searched.';

create index if not exists message_words_are_searched on parley_private.message_words using gin (words) where words is not null;

alter table parley_private.message_words enable row level security;
alter table parley_private.message_words force row level security;

drop policy if exists message_words_are_kept_by_the_owner on parley_private.message_words;
create policy message_words_are_kept_by_the_owner on parley_private.message_words to parley_owner using (true) with check (true);

-- Paths and names are found by their parts: refunds in src/refunds/index.ts.
create or replace function parley_private.in_parts(text text)
returns text
language sql immutable
return translate(text, '/._', '   ');

grant execute on function parley_private.in_parts to parley_caller;

-- The session is a word among the others, so that one index serves searches inside a session; a text is read up to a length
-- that always fits.
create or replace function parley_private.words_of(message parley.messages)
returns tsvector
language sql immutable
return case when message.type = 'chat'
  then to_tsvector('pg_catalog.english', parley_private.in_parts(left(message.content ->> 'text', 100000)))
    || array_to_tsvector(array['session:' || message.session_id::text])
end;
--! EndIncluded tables/message_words.sql
--! Included tables/session_doc_history.sql
-- Every version of every document: who wrote it and when. The text is rebuilt from doc_patches.
create table if not exists parley.session_doc_history (
  session_id uuid not null,
  version integer not null,
  written_by integer not null,
  written_at timestamptz not null default clock_timestamp(),
  size integer not null,
  after_cursor integer not null default 0,
  nth_of_author integer not null default 0,
  sections text[],
  constraint session_doc_versions_are_counted_per_session primary key (session_id, version),
  constraint session_doc_versions_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint session_doc_versions_have_an_author foreign key (session_id, written_by)
    references parley.participants (session_id, id)
);

create index if not exists session_doc_versions_of_an_author on parley.session_doc_history (session_id, written_by, version);
create index if not exists session_doc_versions_by_cursor on parley.session_doc_history (session_id, after_cursor, version);

comment on table parley.session_doc_history is 'The versions of the session document, from 1 on.';
comment on column parley.session_doc_history.written_by is '@behavior -*';
comment on column parley.session_doc_history.size is 'Bytes of UTF-8.';
comment on column parley.session_doc_history.after_cursor is 'The newest message of the feed when it was written.';
comment on column parley.session_doc_history.nth_of_author is '@behavior -*
How many versions its author has written with it.';
comment on column parley.session_doc_history.sections is '@behavior -*
The headings above and in what was changed, a few of them; null above the first heading.';

alter table parley.session_doc_history enable row level security;
alter table parley.session_doc_history force row level security;

drop policy if exists session_doc_history_is_readable on parley.session_doc_history;
create policy session_doc_history_is_readable on parley.session_doc_history for select to parley_caller using (true);
drop policy if exists session_doc_history_is_read_by_the_owner on parley.session_doc_history;
create policy session_doc_history_is_read_by_the_owner on parley.session_doc_history for select to parley_owner using (true);
drop policy if exists session_doc_history_is_appended_by_the_owner on parley.session_doc_history;
create policy session_doc_history_is_appended_by_the_owner on parley.session_doc_history for insert to parley_owner with check (true);

grant select on parley.session_doc_history to parley_caller;

create or replace function parley_private.tg_documents__append_only()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.fail(403, 'forbidden', 'Versions of a document are never changed or deleted.');
  return null;
end;
$$;

drop trigger if exists _100_append_only on parley.session_doc_history;
create trigger _100_append_only before update or delete or truncate on parley.session_doc_history
  for each statement execute function parley_private.tg_documents__append_only();
alter table parley.session_doc_history enable always trigger _100_append_only;
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
  bytes_to_apply integer not null,
  constraint doc_patches_are_one_per_version primary key (session_id, version),
  constraint doc_patches_belong_to_a_version foreign key (session_id, version)
    references parley.session_doc_history (session_id, version)
);

create index if not exists doc_patches_key_frames on parley_private.doc_patches (session_id, version) where key_frame;

comment on column parley_private.doc_patches.bytes_to_apply is 'How much was inserted since the key frame, with this version: what a reader of it puts together.';

alter table parley_private.doc_patches enable row level security;
alter table parley_private.doc_patches force row level security;

drop policy if exists doc_patches_are_read_by_the_owner on parley_private.doc_patches;
create policy doc_patches_are_read_by_the_owner on parley_private.doc_patches for select to parley_owner using (true);
drop policy if exists doc_patches_are_appended_by_the_owner on parley_private.doc_patches;
create policy doc_patches_are_appended_by_the_owner on parley_private.doc_patches for insert to parley_owner with check (true);

drop trigger if exists _100_append_only on parley_private.doc_patches;
create trigger _100_append_only before update or delete or truncate on parley_private.doc_patches
  for each statement execute function parley_private.tg_documents__append_only();
alter table parley_private.doc_patches enable always trigger _100_append_only;
--! EndIncluded tables/doc_patches.sql
--! Included tables/doc_keys.sql
-- The appends that were sent with a key: a retry finds its version here instead of writing again.
create table if not exists parley_private.doc_keys (
  session_id uuid not null,
  participant_id integer not null,
  key text not null,
  version integer not null,
  fingerprint bytea not null,
  constraint doc_keys_are_used_once primary key (session_id, participant_id, key),
  constraint doc_keys_belong_to_a_version foreign key (session_id, version)
    references parley.session_doc_history (session_id, version),
  constraint doc_keys_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id)
);

create index if not exists doc_keys_of_a_version on parley_private.doc_keys (session_id, version);

comment on column parley_private.doc_keys.fingerprint is 'SHA-256 of what was appended where, to tell a retry from a mistake.';

alter table parley_private.doc_keys enable row level security;
alter table parley_private.doc_keys force row level security;

drop policy if exists doc_keys_are_read_by_the_owner on parley_private.doc_keys;
create policy doc_keys_are_read_by_the_owner on parley_private.doc_keys for select to parley_owner using (true);
drop policy if exists doc_keys_are_appended_by_the_owner on parley_private.doc_keys;
create policy doc_keys_are_appended_by_the_owner on parley_private.doc_keys for insert to parley_owner with check (true);
--! EndIncluded tables/doc_keys.sql
--! Included types.sql
-- What answers of several verbs are made of; an answer of one verb stands in that verb's file. A type is made once, then
-- altered by migrations. @optional marks a field that is left out of an answer when it is null.
do $$
begin
  create domain parley.message_ref as text;
exception when duplicate_object then null;
end $$;
comment on domain parley.message_ref is '@schema {"anyOf": [{"type": "string"}, {"type": "integer"}]}
A message of the session: its message_id or its cursor.';

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
    acked_cursor integer,
    activity text
  );
exception when duplicate_object then null;
end $$;
comment on type parley.roster_entry is 'A team in a session.';
comment on column parley.roster_entry.you is 'Whether this is the calling team.';
comment on column parley.roster_entry.status is 'active, idle or disconnected: derived from the calls of the team, never declared.';
comment on column parley.roster_entry.activity is 'listening (a wait is in flight), working (it called lately), silent or left.';
comment on column parley.roster_entry.listening is 'Whether a wait of the team is in flight.';
comment on column parley.roster_entry.cursor is 'How far the team has confirmed the feed.';
comment on column parley.roster_entry.acked_cursor is 'How far the team has said that it has read.';

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
    doc_version integer,
    kind text,
    reply_to uuid,
    reply_to_cursor integer,
    "to" text[],
    expects_reply boolean,
    metadata jsonb,
    truncated boolean,
    text_length integer,
    read_by text[],
    replies integer[],
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.feed_message.cursor is 'Its place in the feed: 1, 2, 3 …';
comment on column parley.feed_message.type is 'chat or system.';
comment on column parley.feed_message.sender is 'agent, human or system: said by the server, not by the author.';
comment on column parley.feed_message.content is '@schema {"type": "object", "properties": {"text": {"type": "string"}}}
Chat: {"text": …}. System: the event and its fields.';
comment on column parley.feed_message.event is '@optional
What a system message tells: team_joined, team_left, session_metadata_updated, question_withdrawn, session_concluded.';
comment on column parley.feed_message.by is '@optional
The team that caused the event.';
comment on column parley.feed_message.changes is '@optional
@schema {"type": "object"}
What was changed, {"title": {"from": …, "to": …}}.';
comment on column parley.feed_message.reason is '@optional
Why it was changed.';
comment on column parley.feed_message.doc_version is '@optional
The version of the document that holds the conclusion.';
comment on column parley.feed_message.kind is '@optional
Chat: message, question, answer, decision, status or another word.';
comment on column parley.feed_message.reply_to is '@optional
The message_id of the message that this one answers.';
comment on column parley.feed_message.reply_to_cursor is '@optional
And its cursor.';
comment on column parley.feed_message.to is '@optional
The handles of the teams that it is meant for; left out: everybody.';
comment on column parley.feed_message.expects_reply is '@optional
True when its author waits for an answer.';
comment on column parley.feed_message.metadata is '@optional
@schema {"type": "object"}
What the author added for programs.';
comment on column parley.feed_message.truncated is '@optional
True when the text was cut: get_message has the whole.';
comment on column parley.feed_message.text_length is '@optional
How long a text that was cut is, in characters.';
comment on column parley.feed_message.read_by is '@optional
The handles of the teams that have said they have read it; on your own messages, and by get_message.';
comment on column parley.feed_message.replies is '@optional
The cursors of its replies; by get_message.';
comment on column parley.feed_message.unread is '@optional
Messages of others that no answer has handed to you yet; by get_message.';

do $$
begin
  create type parley.note as (
    cursor integer,
    message_id uuid,
    handle text,
    "to" text[],
    text text,
    at timestamptz,
    waiting_for text[]
  );
exception when duplicate_object then null;
end $$;
comment on type parley.note is 'A message in a line or two; get_message has the whole.';
comment on column parley.note.to is '@optional';
comment on column parley.note.waiting_for is '@optional
Of a question to several teams, some of which have answered: the others.';

do $$
begin
  create type parley.written_doc as (version integer, updated_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.written_doc.unread is 'Messages of others that no answer has handed to you yet.';
--! EndIncluded types.sql

--! Included private/begin_call.sql
-- After a call that wrote nothing but presence (write_presence_only) the next one of the transaction may write more.
create or replace function parley_private.flush_again()
returns text
language plpgsql volatile
set search_path = ''
as $$
begin
  set local synchronous_commit to default;
  return set_config('parley.only_presence', '', true);
end;
$$;

grant execute on function parley_private.flush_again to parley_caller;

-- Tells the rest of the transaction, up to the next call in it, who is calling: the hash of the team_id, the address that the request came
-- to, and an id for a wait, should the verb want to wait. True, so that it can stand in a CASE, whose order is certain.
create or replace function parley_private.begin_call(team_hash text, origin text, wait_id text default '')
returns boolean
language sql volatile
return (
  set_config('parley.team_hash', coalesce(team_hash, ''), true),
  set_config('parley.origin', coalesce(origin, ''), true),
  set_config('parley.wait_id', coalesce(wait_id, ''), true),
  set_config('parley.collects_topics', 'yes', true),
  set_config('parley.topics', '', true),
  set_config('parley.held', '', true),
  set_config('parley.just_seen', '', true),
  case when current_setting('parley.only_presence', true) = 'yes' then parley_private.flush_again() else '' end
) is not null;

grant execute on function parley_private.begin_call to parley_caller;

-- What the server has to know beside the answer: the topics that changed, and whether it should wait instead of
-- answering. It takes the answer as an argument to be sure that the verb has run before it looks. The sign of life comes
-- last: nobody who queues for a session holds the row of his team meanwhile.
create or replace function parley_private.end_call(inout answer json, out topics text, out held json)
language plpgsql volatile
set search_path = ''
as $$
begin
  if current_setting('parley.just_seen', true) is distinct from 'yes' then
    perform parley_private.note_call(current_setting('parley.team_hash', true));
  end if;
  topics := nullif(current_setting('parley.topics', true), '');
  held := nullif(current_setting('parley.held', true), '')::json;
end;
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
  elsif char_length(value) > v_max then
    perform parley_private.refuse_argument(
      field,
      format('%s has %s characters; at most %s are allowed.', field, char_length(value), v_max),
      'Shorten it, or split it over several calls.');
  elsif not may_be_blank and value !~ '\S' then
    perform parley_private.refuse_argument(field, format('%s must not be blank.', field));
  end if;
  if strpos(value, 'pt_') > 0 then
    perform parley_private.refuse_secrets(field, value);
  end if;
end;
$$;

grant execute on function parley_private.check_text to parley_caller;
--! EndIncluded private/check_text.sql
--! Included private/spelled_out.sql
-- What a reader cannot see, or what turns the writing around, made visible: U+202E becomes ⟨U+202E⟩. Line breaks and
-- tabs are left to those who show lines; joiners stay, as scripts and emoji need them.
create or replace function parley_private.spelled_out(text text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_unseen constant text :=
    '[\u0001-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef]';
  v_text text := text;
  v_character text;
  v_code text;
begin
  for v_character in select distinct hit[1] from regexp_matches(text, v_unseen, 'g') as hit loop
    v_code := upper(to_hex(ascii(v_character)));
    v_text := replace(v_text, v_character, format('⟨U+%s⟩', repeat('0', 4 - length(v_code)) || v_code));
  end loop;
  return v_text;
end;
$$;

grant execute on function parley_private.spelled_out to parley_caller;
--! EndIncluded private/spelled_out.sql
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
  -- No name is longer; what is, is nobody's.
  v_key     text := lower(left(session_id, 100));
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
--! Included private/find_message.sql
-- A message is named by its message_id or, shorter, by its cursor. What cannot be either is refused like any other
-- argument, before the session is looked for.
create or replace function parley_private.check_message_ref(field text, message text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if length(message) > 36 or message !~* '^([0-9]{1,9}|[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12})$' then
    perform parley_private.refuse_argument(field, format('%s must be the message_id or the cursor of a message.', field));
  end if;
end;
$$;

grant execute on function parley_private.check_message_ref to parley_caller;

create or replace function parley_private.find_message(session_id uuid, message text, field text default 'message_id')
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_sequence integer;
begin
  if message ~ '^[0-9]{1,9}$' then
    select m.sequence into v_sequence from parley.messages m
    where m.session_id = find_message.session_id and m.sequence = message::integer;
  else
    -- A message_id ends with the cursor; whether the rest is right, the message itself tells.
    select m.sequence into v_sequence from parley.messages m
    where m.session_id = find_message.session_id
      and m.sequence = ('x' || right(message::uuid::text, 8))::bit(32)::integer
      and m.id = message::uuid;
  end if;
  if v_sequence is null then
    perform parley_private.fail(404, 'message_not_found', 'This session has no such message.',
      'Give the message_id or the cursor of a message that you got from this session.', jsonb_build_object('field', field));
  end if;
  return v_sequence;
end;
$$;

grant execute on function parley_private.find_message to parley_caller;
--! EndIncluded private/find_message.sql
--! Included private/seat.sql
-- Where a caller sits: the session, and the team it is there.
do $$
begin
  create type parley_private.seat as (session parley.sessions, participant parley.participants);
exception when duplicate_object then null;
end $$;

-- Whether a session picks up another, directly or over several.
create or replace function parley_private.continues(session_id uuid, predecessor uuid)
returns boolean
language sql stable
set search_path = ''
as $$
  with recursive line as (
    select s.continues as id from parley.sessions s where s.id = continues.session_id
    union
    select s.continues from line l join parley.sessions s on s.id = l.id
  )
  select exists (select from line l where l.id = predecessor);
$$;

-- Whether a sign of life can be left out: end_call asks for none when the guard has said so.
create or replace function parley_private.was_just_seen(participant parley.participants)
returns boolean
language sql volatile
return participant.known_status = 'active' and participant.last_seen_at > clock_timestamp() - interval '0.5 seconds';

-- The long way to a seat, and the one that refuses. No header, an unknown credential, one of another session and one of a
-- team that has left all get the same answer, so that nothing can be learned by trying. Without a session the credential
-- alone tells: each belongs to one.
--
-- Who only wants to read may also be in a session that continues this one, directly or over several. Such a reader is
-- nobody here: it has no id and no handle, which would be those of another team.
create or replace function parley_private.find_seat(session parley.sessions default null, to_read boolean default false)
returns parley_private.seat
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_seat parley_private.seat;
begin
  select s, p into v_seat
  from parley_private.credentials c
  join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
  join parley.sessions s on s.id = c.session_id
  where c.hash = decode(coalesce(current_setting('parley.team_hash', true), ''), 'hex')
    and (session.id is null or c.session_id = session.id or to_read)
    and p.left_at is null;

  if (v_seat.session).id <> session.id then
    v_seat := case when parley_private.continues((v_seat.session).id, session.id)
      then row(session, jsonb_populate_record(null::parley.participants, jsonb_build_object(
        'session_id', session.id, 'team_name', (v_seat.participant).team_name, 'kind', (v_seat.participant).kind,
        'cursor', 0, 'acked_cursor', 0, 'handed_cursor', 0, 'empty_polls', 0)))::parley_private.seat
    end;
  end if;
  if (v_seat.session).id is null then
    perform parley_private.fail(401, 'unauthorized', 'This call needs the team_id of a team that is in this session.',
      'Send the team_id that create_session or join_session gave you: as the header X-Team-ID, or over MCP as the argument team_id. If you have left or lost it, join again.');
  end if;
  return v_seat;
end;
$$;

grant execute on function parley_private.find_seat to parley_caller;

-- How every verb of a team begins that does not lock the session: it exists, and the caller is in it, or may read it.
-- The credential leads to the one session that the caller may mean; every other name for it takes the long way.
create or replace function parley_private.take_seat(session_id text, to_read boolean default false)
returns parley_private.seat
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_hash bytea := decode(current_setting('parley.team_hash', true), 'hex');
  v_seat parley_private.seat;
begin
  select s, p into v_seat
  from parley_private.credentials c
  join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
  join parley.sessions s on s.id = c.session_id
  where c.hash = v_hash
    and p.left_at is null
    and (s.id::text = take_seat.session_id or s.ref = take_seat.session_id);
  if not found then
    v_seat := parley_private.find_seat(parley_private.find_session(session_id), to_read);
  elsif parley_private.was_just_seen(v_seat.participant) then
    perform set_config('parley.just_seen', 'yes', true);
  end if;
  return v_seat;
end;
$$;

grant execute on function parley_private.take_seat to parley_caller;

-- How every verb of a team that writes begins. The lock on the session row makes writers queue, so that what is
-- checked here (the team is still in, the session still open) holds until they commit. The credential is checked before:
-- strangers do not queue. Not "for update": that would also stop whoever only refers to the session.
create or replace function parley_private.lock_seat(session_id text, even_if_closed boolean default false)
returns parley_private.seat
language plpgsql volatile
set search_path = ''
as $$
declare
  v_hash bytea := decode(current_setting('parley.team_hash', true), 'hex');
  v_seat parley_private.seat;
begin
  select s, p into v_seat
  from parley_private.credentials c
  join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
  join parley.sessions s on s.id = c.session_id
  where c.hash = v_hash
    and p.left_at is null
    and (s.id::text = lock_seat.session_id or s.ref = lock_seat.session_id)
  for no key update of s;
  if not found then
    v_seat := parley_private.find_seat(parley_private.find_session(session_id));
    select s into v_seat.session from parley.sessions s where s.id = (v_seat.session).id for no key update of s;
  end if;

  -- While the lock was waited for, the team may have left.
  select p into v_seat.participant from parley.participants p
  where p.session_id = (v_seat.session).id and p.id = (v_seat.participant).id and p.left_at is null;
  if not found then
    v_seat := parley_private.find_seat(v_seat.session);
  end if;
  if parley_private.was_just_seen(v_seat.participant) then
    perform set_config('parley.just_seen', 'yes', true);
  end if;
  if not even_if_closed then
    perform parley_private.refuse_if_closed(v_seat.session);
  end if;
  return v_seat;
end;
$$;

create or replace function parley_private.refuse_if_closed(session parley.sessions)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if session.status = 'closed' then
    perform parley_private.fail(403, 'session_closed', 'This session is concluded: nothing can be added to it.',
      format('To go on, resume it: resume_session with session_id %s makes a new session that picks up from here. Its teams can still read everything.', session.ref),
      jsonb_build_object('ref', session.ref));
  end if;
end;
$$;
--! EndIncluded private/seat.sql
--! Included private/unread.sql
-- How much of the feed a team has yet to see after a cursor, by default after what it was handed last: all of it, without
-- what is its own. Subtracted, not counted: a team may post for long without ever waiting.
create or replace function parley_private.unread(reader parley.participants, after_cursor integer default null)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_after integer := coalesce(after_cursor, greatest(reader.cursor, reader.handed_cursor));
begin
  -- Who reads a session that its own one continues is not waited for there.
  if reader.id is null then
    return 0;
  end if;
  return (
    select s.last_sequence - v_after
      - coalesce((
        select m.nth_of_author from parley.messages m
        where m.session_id = s.id and m.posted_by = reader.id
        order by m.sequence desc limit 1
      ), 0)
      + coalesce((
        select m.nth_of_author from parley.messages m
        where m.session_id = s.id and m.posted_by = reader.id and m.sequence <= v_after
        order by m.sequence desc limit 1
      ), 0)
      - (
        select count(*) from parley.messages m
        where m.session_id = s.id and m.posted_by is null and m.caused_by = reader.id and m.sequence > v_after
      )
    from parley.sessions s
    where s.id = reader.session_id
  );
end;
$$;

grant execute on function parley_private.unread to parley_caller;

-- The same for who has just posted the newest message, which tells most of it.
create or replace function parley_private.unread_after_posting(author parley.participants, newest parley.messages)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_after integer := greatest(author.cursor, author.handed_cursor);
begin
  return newest.sequence - v_after - newest.nth_of_author
    + coalesce((
      select m.nth_of_author from parley.messages m
      where m.session_id = author.session_id and m.posted_by = author.id and m.sequence <= v_after
      order by m.sequence desc limit 1
    ), 0)
    - (
      select count(*) from parley.messages m
      where m.session_id = author.session_id and m.posted_by is null and m.caused_by = author.id and m.sequence > v_after
    );
end;
$$;

-- How many messages of others a cursor jumps over that were never handed to the team; null if none.
create or replace function parley_private.skipped(reader parley.participants, since_cursor integer)
returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  if since_cursor > greatest(reader.cursor, reader.handed_cursor) then
    return nullif(parley_private.unread(reader) - parley_private.unread(reader, since_cursor), 0);
  end if;
  return null;
end;
$$;

-- Whether there is something to hear after a cursor. Mostly the newest message tells: only to its author it says nothing.
create or replace function parley_private.has_messages_after(
  session parley.sessions,
  since_cursor integer,
  reader parley.participants,
  include_self boolean
)
returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  if include_self or session.last_sequence = since_cursor then
    return session.last_sequence > since_cursor;
  end if;
  return exists (
      select from parley.messages m
      where m.session_id = session.id and m.sequence = session.last_sequence and m.caused_by is distinct from reader.id
    )
    or parley_private.unread(reader, since_cursor) > 0;
end;
$$;
--! EndIncluded private/unread.sql
--! Included private/page.sql
-- How much of the feed one answer holds.

-- How many of these messages, given by their sizes, fit on a page; one always does. Texts are cut to text_max
-- characters of at most four bytes.
create or replace function parley_private.fitting(sizes integer[], text_max integer)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_room bigint := parley_private.setting('page_max_bytes');
begin
  for n in 1 .. coalesce(cardinality(sizes), 0) loop
    v_room := v_room - least(sizes[n], 4 * text_max::bigint);
    if v_room < 0 then
      return greatest(n - 1, 1);
    end if;
  end loop;
  return coalesce(cardinality(sizes), 0);
end;
$$;

grant execute on function parley_private.fitting to parley_caller;

do $$
begin
  create type parley_private.page as (cursors integer[], last integer, has_more boolean);
exception when duplicate_object then null;
end $$;

-- The page after a cursor: at most so many messages, without those of one participant (0: without nobody). Its last
-- cursor is that of its last message or, if no more is to come, the end of the feed.
create or replace function parley_private.page_after(
  session parley.sessions,
  since_cursor integer,
  without integer,
  max_items integer,
  text_max integer
)
returns parley_private.page
language plpgsql stable
set search_path = ''
as $$
declare
  v_cursors integer[];
  v_sizes   integer[];
  v_count   integer;
  v_more    boolean;
begin
  if session.last_sequence <= since_cursor then
    return row('{}'::integer[], since_cursor, false)::parley_private.page;
  end if;
  select coalesce(array_agg(m.sequence order by m.sequence), '{}'), array_agg(m.bytes order by m.sequence)
  into v_cursors, v_sizes
  from (
    select m.sequence, m.bytes from parley.messages m
    where m.session_id = session.id
      and m.sequence > since_cursor
      and m.sequence <= session.last_sequence
      and m.caused_by is distinct from without
    order by m.sequence
    limit max_items + 1
  ) m;
  v_count := least(parley_private.fitting(v_sizes, text_max), max_items);
  v_more := cardinality(v_cursors) > v_count;
  return row(v_cursors[:v_count], case when v_more then v_cursors[v_count] else session.last_sequence end, v_more)::parley_private.page;
end;
$$;

-- The cursor before the first message of the page that ends with another.
create or replace function parley_private.page_before(session_id uuid, through_cursor integer, max_items integer, text_max integer)
returns integer
language sql stable
set search_path = ''
as $$
  select greatest(through_cursor - parley_private.fitting(array(
    select m.bytes from parley.messages m
    where m.session_id = page_before.session_id and m.sequence <= through_cursor
    order by m.sequence desc
    limit max_items
  ), text_max), 0);
$$;

grant execute on function parley_private.page_before to parley_caller;
--! EndIncluded private/page.sql
--! Included private/ack.sql
-- What a team has read it has also received. Both only ever move forwards.
create or replace function parley_private.ack(seat parley_private.seat, field text, through_cursor integer)
returns parley.participants
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reader parley.participants := seat.participant;
begin
  perform parley_private.check_not_ahead(field, through_cursor, (seat.session).last_sequence);
  update parley.participants p set
    acked_cursor = greatest(p.acked_cursor, through_cursor),
    cursor = greatest(p.cursor, through_cursor)
  where p.session_id = v_reader.session_id and p.id = v_reader.id
  returning * into v_reader;
  return v_reader;
end;
$$;
--! EndIncluded private/ack.sql
--! Included private/admit_team.sql
-- Three uuids hold more than the 256 random bits that are kept of them.
create or replace function parley_private.new_team_id()
returns text
language sql volatile
set search_path = ''
as $$
  select 'pt_' || translate(rtrim(encode(
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
    'base64'), '='), '+/', '-_');
$$;

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
  v_words  text := regexp_replace(regexp_replace(lower(team_name), '[''’`]', '', 'g'), '[^a-z0-9]+', '-', 'g');
  v_slug   text := coalesce(nullif(trim(both '-' from left(ltrim(v_words, '-'), 40)), ''), 'team');
  v_number integer := 1;
  v_taken  integer := 0;
  v_free   integer;
begin
  select coalesce(max(p.id), 0) + 1 into participant_id
  from parley.participants p where p.session_id = admit_team.session_id;

  -- Of a thousand teams of one name it asks for ten or twenty: doubled until one is free, then halved towards the last that is taken.
  loop
    handle := v_slug || case v_number when 1 then '' else '-' || v_number end;
    if exists (select from parley.participants p where p.session_id = admit_team.session_id and p.handle = admit_team.handle) then
      v_taken := v_number;
    else
      v_free := v_number;
    end if;
    exit when v_free = v_taken + 1;
    v_number := case when v_free is null then 2 * v_taken else (v_taken + v_free) / 2 end;
  end loop;
  handle := v_slug || case v_free when 1 then '' else '-' || v_free end;

  team_id := parley_private.new_team_id();
  insert into parley.participants (session_id, id, handle, team_name)
  values (session_id, participant_id, handle, team_name);
  insert into parley_private.credentials (session_id, participant_id, hash)
  values (session_id, participant_id, sha256(convert_to(team_id, 'UTF8')));
end;
$$;
--! EndIncluded private/admit_team.sql
--! Included private/team_keys.sql
-- What a key is known by; null without one. Whoever comes second with the same one waits here for the first.
create or replace function parley_private.take_team_key(verb text, session_id uuid, idempotency_key text)
returns bytea
language plpgsql volatile
set search_path = ''
as $$
declare
  v_hash bytea := sha256(convert_to(concat_ws(' ', verb, session_id, idempotency_key), 'UTF8'));
begin
  if idempotency_key is null then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(encode(v_hash, 'hex'), 0));
  return v_hash;
end;
$$;

create or replace function parley_private.fingerprint_of(variadic arguments text[])
returns bytea
language sql immutable
set search_path = ''
as $$
  select sha256(convert_to(to_jsonb(arguments)::text, 'UTF8'));
$$;

-- The team that was opened under a key, with a new team_id: the one before is dead from here on. Nulls if there is none, or
-- if it has left. Sent with other arguments, the key is a mistake.
create or replace function parley_private.team_again(
  key_hash bytea,
  fingerprint bytea,
  out session_id uuid,
  out handle text,
  out team_id text,
  out participant_id integer,
  out cursor integer
)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_fingerprint bytea;
begin
  select p.session_id, p.handle, p.id, p.cursor, k.fingerprint
  into team_again.session_id, team_again.handle, team_again.participant_id, team_again.cursor, v_fingerprint
  from parley_private.team_keys k
  join parley.participants p on p.session_id = k.session_id and p.id = k.participant_id
  where k.hash = key_hash and p.left_at is null;
  if not found then
    return;
  elsif v_fingerprint <> team_again.fingerprint then
    perform parley_private.fail(409, 'idempotency_conflict', 'This idempotency_key was used before, with other arguments.',
      'Nothing was done. To get the same team again, send exactly the same; for a new one, use a new key.',
      jsonb_build_object('field', 'idempotency_key'));
  end if;
  team_id := parley_private.new_team_id();
  update parley_private.credentials c set hash = sha256(convert_to(team_again.team_id, 'UTF8'))
  where c.session_id = team_again.session_id and c.participant_id = team_again.participant_id;
  update parley.participants p set last_seen_at = clock_timestamp(), known_status = 'active'
  where p.session_id = team_again.session_id and p.id = team_again.participant_id;
end;
$$;

create or replace function parley_private.keep_team_key(key_hash bytea, fingerprint bytea, session_id uuid, participant_id integer)
returns void
language sql volatile
set search_path = ''
as $$
  insert into parley_private.team_keys (hash, session_id, participant_id, fingerprint)
  select key_hash, keep_team_key.session_id, keep_team_key.participant_id, keep_team_key.fingerprint where key_hash is not null
  on conflict on constraint team_keys_are_used_once do update set
    session_id = excluded.session_id,
    participant_id = excluded.participant_id,
    fingerprint = excluded.fingerprint;
$$;
--! EndIncluded private/team_keys.sql
--! Included private/index_words.sql
-- How far the words of a session are indexed.
create or replace function parley_private.indexed_through(session_id uuid)
returns integer
language sql stable
return coalesce((
  select w.sequence from parley_private.message_words w where w.session_id = indexed_through.session_id
  order by w.sequence desc limit 1
), 0);

-- Indexes what follows, at most so many messages. Two at the same time meet in the primary key: the later one goes on where
-- the earlier one ends.
create or replace function parley_private.index_words_of(session_id uuid, at_most integer)
returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_through integer := parley_private.indexed_through(session_id);
  v_count   integer;
begin
  insert into parley_private.message_words (session_id, sequence, words)
  select m.session_id, m.sequence, parley_private.words_of(m) from parley.messages m
  where m.session_id = index_words_of.session_id and m.sequence > v_through and m.sequence <= v_through + at_most
  order by m.sequence
  on conflict do nothing;
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;

-- Run by the worker every few seconds, over the sessions in which somebody has called lately: nowhere else is anything new.
create or replace function parley_private.index_words(at_most integer default 5000)
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session uuid;
  v_count   integer := 0;
begin
  perform parley_private.write_presence_only();
  for v_session in
    select s.id from parley.sessions s
    where s.id in (select p.session_id from parley.participants p where p.known_status <> 'disconnected')
      and s.last_sequence > parley_private.indexed_through(s.id)
  loop
    v_count := v_count + parley_private.index_words_of(v_session, at_most - v_count);
    exit when v_count >= at_most;
  end loop;
  return v_count;
end;
$$;

grant execute on function parley_private.index_words to parley_worker;

-- Where no worker keeps up, posts do it themselves, now and then and a little at a time: what search has to read stays short.
create or replace function parley_private.keep_rest_short(session_id uuid, last_sequence integer)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if last_sequence - parley_private.indexed_through(session_id) > 500 then
    perform parley_private.index_words_of(session_id, 100);
  end if;
end;
$$;
--! EndIncluded private/index_words.sql
--! Included private/append_message.sql
-- Appends one message and gives it the session's next sequence.
--
-- The sequence is counted on the session row, not drawn from a sequence object: the row lock makes
-- commit order equal sequence order, so a reader that has seen 7 can never miss a 6 that commits later.
create or replace function parley_private.append_message(
  session_id uuid,
  posted_by integer,
  type text,
  content jsonb,
  kind text default 'message',
  reply_to integer default null,
  addressed_to text[] default null,
  expects_reply boolean default false,
  metadata jsonb default null,
  client_message_id text default null
)
returns parley.messages
language plpgsql volatile
set search_path = ''
as $$
declare
  v_sequence  integer;
  v_caused_by integer := posted_by;
  v_message   parley.messages;
begin
  update parley.sessions s set last_sequence = s.last_sequence + 1, last_message_at = clock_timestamp()
  where s.id = append_message.session_id
  returning s.last_sequence into v_sequence;
  if v_sequence % 50 = 0 then
    perform parley_private.keep_rest_short(session_id, v_sequence);
  end if;
  if posted_by is null then
    select p.id into v_caused_by from parley.participants p
    where p.session_id = append_message.session_id and p.handle = append_message.content ->> 'handle';
  end if;

  insert into parley.messages (
    session_id, sequence, posted_by, type, content, kind, reply_to, addressed_to, expects_reply, metadata, client_message_id,
    caused_by, nth_of_author)
  values (
    session_id, v_sequence, posted_by, type, content, kind, reply_to, addressed_to, expects_reply, metadata, client_message_id,
    v_caused_by,
    1 + coalesce((
      select m.nth_of_author from parley.messages m
      where m.session_id = append_message.session_id and m.posted_by = append_message.posted_by
      order by m.sequence desc limit 1
    ), 0))
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
-- The teams that were there when a message came, or have replayed it, and have said that they have read it, whether they
-- are still there or not; null while there is none.
create or replace function parley_private.readers_of(message parley.messages)
returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(p.handle order by p.id)
  from parley.participants p
  where p.session_id = message.session_id
    and p.acked_cursor >= message.sequence
    and p.started_from < message.sequence
    and p.id is distinct from message.posted_by;
$$;

grant execute on function parley_private.readers_of to parley_caller;

-- The messages after one cursor up to another, as one reader sees them. Sequences have no gap, so a page is a
-- range of the primary key, as fast at the millionth message as at the first. Texts longer than text_max are cut;
-- with receipts, the reader's own messages tell who has read them. picked: these of the range alone.
create or replace function parley_private.read_feed(
  session_id uuid,
  after_cursor integer,
  through_cursor integer,
  reader integer,
  text_max integer default null,
  receipts boolean default false,
  picked integer[] default null
)
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
        coalesce(p.team_name, m.content ->> 'team', m.content ->> 'by'),
        coalesce(p.handle, m.content ->> 'handle'),
        coalesce(p.kind, 'system'),
        coalesce(m.posted_by = reader, false),
        case when cut.length is null then m.content else jsonb_build_object('text', left(m.content ->> 'text', text_max)) end,
        m.posted_at,
        case when m.type = 'system' then m.content ->> 'event' end,
        case when m.type = 'system' then m.content ->> 'by' end,
        case when m.type = 'system' then m.content -> 'changes' end,
        case when m.type = 'system' then m.content ->> 'reason' end,
        case when m.type = 'system' then (m.content ->> 'doc_version')::integer end,
        case when m.type = 'chat' then m.kind end,
        case when m.reply_to is not null
          then (select q.id from parley.messages q where q.session_id = m.session_id and q.sequence = m.reply_to)
        end,
        m.reply_to,
        m.addressed_to,
        nullif(m.expects_reply, false),
        m.metadata,
        case when cut.length is not null then true end,
        cut.length,
        case when receipts and m.posted_by = reader then parley_private.readers_of(m) end,
        null,
        null
      )::parley.feed_message
      order by m.sequence
    ),
    '{}'
  )
  from parley.messages m
  left join parley.participants p on p.session_id = m.session_id and p.id = m.posted_by
  left join lateral (select char_length(m.content ->> 'text')) as cut (length)
    on text_max is not null and m.type = 'chat' and cut.length > text_max
  where m.session_id = read_feed.session_id
    and m.sequence > after_cursor
    and m.sequence <= through_cursor
    and (picked is null or m.sequence = any (picked));
$$;

grant execute on function parley_private.read_feed to parley_caller;
--! EndIncluded private/read_feed.sql
--! Included private/notes.sql
-- A text as lists show it.
create or replace function parley_private.shortened(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select case when char_length(text) > 280 then left(text, 279) || '…' else text end;
$$;

grant execute on function parley_private.shortened to parley_caller;

-- A message in a line or two, for lists that are read to get the picture.
create or replace function parley_private.as_note(message parley.messages)
returns parley.note
language sql stable
set search_path = ''
as $$
  select row(
    message.sequence,
    message.id,
    p.handle,
    message.addressed_to,
    parley_private.shortened(message.content ->> 'text'),
    message.posted_at,
    null
  )::parley.note
  from parley.participants p
  where p.session_id = message.session_id and p.id = message.posted_by;
$$;

grant execute on function parley_private.as_note to parley_caller;

-- Whether a team has answered a question; asking back or telling how far one is answers nothing.
create or replace function parley_private.has_answered(question parley.messages, participant_id integer)
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from parley.messages r
    where r.session_id = question.session_id and r.reply_to = question.sequence
      and r.posted_by = participant_id and r.kind not in ('question', 'status')
  );
$$;

grant execute on function parley_private.has_answered to parley_caller;

-- Which of the teams that were asked by name have yet to answer. Who has left is not waited for; who left after the close
-- was there to the end.
create or replace function parley_private.yet_to_answer(question parley.messages)
returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(p.handle order by p.id)
  from parley.participants p
  join parley.sessions s on s.id = p.session_id
  where p.session_id = question.session_id
    and p.handle = any (question.addressed_to)
    and p.id <> question.posted_by
    and (p.left_at is null or p.left_at > s.closed_at)
    and not parley_private.has_answered(question, p.id);
$$;

grant execute on function parley_private.yet_to_answer to parley_caller;

-- An open question: who is still waited for is said where it is not everybody that was asked.
create or replace function parley_private.as_open_question(question parley.messages)
returns parley.note
language plpgsql stable
set search_path = ''
as $$
declare
  v_note parley.note := parley_private.as_note(question);
begin
  if cardinality(question.addressed_to) > 1 then
    v_note.waiting_for := parley_private.yet_to_answer(question);
    if cardinality(v_note.waiting_for) = cardinality(question.addressed_to) then
      v_note.waiting_for := null;
    end if;
  end if;
  return v_note;
end;
$$;

grant execute on function parley_private.as_open_question to parley_caller;

-- Questions, and whatever else expects a reply: to everybody until the first answer or reply, to some until each of them has
-- answered. Their author may answer them itself, or withdraw them.
create or replace function parley_private.is_open(question parley.messages)
returns boolean
language sql stable
set search_path = ''
as $$
  select not exists (
      select from parley.messages r
      where r.session_id = question.session_id and r.reply_to = question.sequence
        and (r.posted_by is null
          or r.kind = 'answer' and (question.addressed_to is null or r.posted_by = question.posted_by)
          or question.addressed_to is null and r.posted_by <> question.posted_by and r.kind not in ('question', 'status'))
    )
    and (question.addressed_to is null or parley_private.yet_to_answer(question) is not null);
$$;

-- Those of a session, newest first. Without a search_path of its own, so that it becomes part of the statement that reads it,
-- and who wants a few reads a few.
create or replace function parley_private.open_questions(session_id uuid, after_cursor integer default 0)
returns setof parley.messages
language sql stable
as $$
  select m.* from parley.open_questions o
  join parley.messages m on m.session_id = o.session_id and m.sequence = o.sequence
  where o.session_id = open_questions.session_id and o.sequence > after_cursor
  order by o.sequence desc;
$$;

-- And those that wait for one team.
create or replace function parley_private.open_questions_to(team parley.participants)
returns setof parley.messages
language sql stable
as $$
  select m.* from parley.open_questions o
  join parley.messages m on m.session_id = o.session_id and m.sequence = o.sequence
  where o.session_id = team.session_id
    and o.asked_by <> team.id
    and (o.addressed_to is null or team.handle = any (o.addressed_to) and not parley_private.has_answered(m, team.id))
  order by o.sequence desc;
$$;

grant execute on function parley_private.open_questions, parley_private.open_questions_to to parley_caller;
--! EndIncluded private/notes.sql
--! Included private/presence.sql
-- Presence may be lost in a crash; it is not worth a flush to disk per poll. Said inside the transaction: a setting
-- on the function would end with the function, before the commit. Never where a message or a document is written.
-- Nor after one: calls may share a transaction.
create or replace function parley_private.write_presence_only()
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if pg_current_xact_id_if_assigned() is null then
    perform set_config('synchronous_commit', 'off', true), set_config('parley.only_presence', 'yes', true);
  end if;
end;
$$;

-- Whether a wait of the team is in flight. In plpgsql, as others here that are asked for row after row: a plan that is kept.
create or replace function parley_private.is_listening(session_id uuid, participant_id integer, as_of timestamptz default clock_timestamp())
returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return exists (
    select from parley_private.waits w
    where w.session_id = is_listening.session_id
      and w.participant_id = is_listening.participant_id
      and w.expires_at > as_of
  );
end;
$$;

grant execute on function parley_private.is_listening to parley_caller;

-- Who of a session is listening.
create or replace function parley_private.listeners_in(session_id uuid)
returns integer[]
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return array(
    select distinct w.participant_id from parley_private.waits w
    where w.session_id = listeners_in.session_id and w.expires_at > clock_timestamp()
  );
end;
$$;

grant execute on function parley_private.listeners_in to parley_caller;

-- Presence is derived, never declared: every call is a sign of life, and a wait is one for as long as it lasts. This is the rule,
-- and becomes part of the statement that asks: who asks about many looks up waits and settings once.
create or replace function parley_private.presence_of(
  left_at timestamptz,
  listening boolean,
  silent_for interval,
  active_seconds integer,
  idle_seconds integer
)
returns text
language sql immutable
return case
  when left_at is not null then 'disconnected'
  when listening or silent_for <= active_seconds * interval '1 second' then 'active'
  when silent_for <= idle_seconds * interval '1 second' then 'idle'
  else 'disconnected'
end;

-- What people look at: whether a team hears what is said now, is at work between two calls, or has fallen silent.
create or replace function parley_private.activity_of(left_at timestamptz, listening boolean, silent_for interval, working_seconds integer)
returns text
language sql immutable
return case
  when left_at is not null then 'left'
  when listening then 'listening'
  when silent_for <= working_seconds * interval '1 second' then 'working'
  else 'silent'
end;

grant execute on function parley_private.presence_of, parley_private.activity_of to parley_caller;

create or replace function parley_private.presence(participant parley.participants, as_of timestamptz default clock_timestamp())
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.presence_of(
    participant.left_at,
    parley_private.is_listening(participant.session_id, participant.id, as_of),
    as_of - participant.last_seen_at,
    parley_private.setting('presence_active_seconds'),
    parley_private.setting('presence_idle_seconds'));
end;
$$;

grant execute on function parley_private.presence to parley_caller;

create or replace function parley_private.activity(participant parley.participants, as_of timestamptz default clock_timestamp())
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.activity_of(
    participant.left_at,
    parley_private.is_listening(participant.session_id, participant.id, as_of),
    as_of - participant.last_seen_at,
    parley_private.setting('working_seconds'));
end;
$$;

grant execute on function parley_private.activity to parley_caller;

-- The sign of life of a call that has just ended. Not for every call of a burst, never waiting for another call of the
-- team (that one is a sign of life too), and without a flush to disk where the call has written nothing else.
create or replace function parley_private.note_call(team_hash text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller parley.participants;
begin
  if coalesce(team_hash, '') = '' then
    return;
  end if;
  perform parley_private.write_presence_only();
  select p.* into v_caller
  from parley_private.credentials c
  join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
  where c.hash = decode(team_hash, 'hex')
    and p.left_at is null
    and (p.known_status <> 'active' or p.last_seen_at < clock_timestamp() - interval '0.5 seconds')
  for no key update of p skip locked;
  if found and v_caller.known_status <> 'active' then
    -- The record of presence refers to the session: who has locked that is not waited for either.
    perform from parley.sessions s where s.id = v_caller.session_id for key share skip locked;
  end if;
  if not found then
    return;
  end if;
  update parley.participants p set last_seen_at = clock_timestamp(), known_status = 'active'
  where p.session_id = v_caller.session_id and p.id = v_caller.id;
end;
$$;

grant execute on function parley_private.note_call to parley_caller;

-- Run by the worker every few seconds: writes, and so announces, the statuses that time alone has changed. At most a
-- thousand, so that nobody waits long for the row of his team: the worker comes back at once for the rest.
create or replace function parley_private.sweep_presence(as_of timestamptz default clock_timestamp())
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_active  integer := parley_private.setting('presence_active_seconds');
  v_idle    integer := parley_private.setting('presence_idle_seconds');
  v_changed integer;
begin
  perform parley_private.write_presence_only();
  -- Planned for as many as there are: a plan that was made for a few would take its time with ten thousand.
  perform set_config('plan_cache_mode', 'force_custom_plan', true);
  with due as (
    select p.session_id, p.id, rule.status
    from parley.participants p
    left join (
      select distinct w.session_id, w.participant_id from parley_private.waits w where w.expires_at > as_of
    ) listener on listener.session_id = p.session_id and listener.participant_id = p.id
    cross join lateral parley_private.presence_of(
      p.left_at, listener.participant_id is not null, as_of - p.last_seen_at, v_active, v_idle) as rule (status)
    where p.known_status <> 'disconnected' and p.known_status <> rule.status
    limit 1000
  ),
  changed as (
    select p.session_id, p.id, due.status
    from due
    join parley.participants p on p.session_id = due.session_id and p.id = due.id
    join parley.sessions s on s.id = p.session_id
    for no key update of p skip locked
    -- The record of presence refers to it.
    for key share of s skip locked
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
-- Everybody who is or was in a session, in the order in which they came; or some of them.
create or replace function parley_private.roster(session_id uuid, reader integer, picked integer[] default null)
returns parley.roster_entry[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_now       timestamptz := clock_timestamp();
  v_listeners integer[] := parley_private.listeners_in(session_id);
  v_active    integer := parley_private.setting('presence_active_seconds');
  v_idle      integer := parley_private.setting('presence_idle_seconds');
  v_working   integer := parley_private.setting('working_seconds');
begin
  return (
    select array_agg(
      row(
        p.handle,
        p.team_name,
        p.kind,
        p.id = s.created_by,
        coalesce(p.id = reader, false),
        p.joined_at,
        p.left_at,
        p.last_seen_at,
        parley_private.presence_of(p.left_at, listener.id is not null, v_now - p.last_seen_at, v_active, v_idle),
        listener.id is not null,
        p.cursor,
        p.acked_cursor,
        parley_private.activity_of(p.left_at, listener.id is not null, v_now - p.last_seen_at, v_working)
      )::parley.roster_entry
      order by p.id
    )
    from parley.participants p
    join parley.sessions s on s.id = p.session_id
    left join unnest(v_listeners) as listener (id) on listener.id = p.id
    where p.session_id = roster.session_id and (picked is null or p.id = any (picked))
  );
end;
$$;

grant execute on function parley_private.roster to parley_caller;

-- A roster brought up to date for one of its teams: with those of whose coming or going the feed tells after a cursor, and
-- with the team itself. Teams are counted 1, 2, 3 … in their session, so each has its place in the list.
create or replace function parley_private.roster_since(seen parley.roster_entry[], after_cursor integer, reader parley.participants)
returns parley.roster_entry[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_id integer;
begin
  for v_id in
    select m.caused_by from parley.messages m
    where m.session_id = reader.session_id and m.sequence > after_cursor and m.posted_by is null and m.caused_by is not null
    union
    select reader.id
  loop
    seen[v_id] := (parley_private.roster(reader.session_id, reader.id, array[v_id]))[1];
  end loop;
  return seen;
end;
$$;
--! EndIncluded private/roster.sql
--! Included private/analyze_new_tables.sql
-- Run by the worker: a table is analysed after its first rows, and again when it has grown tenfold, twice; from there on
-- autovacuum keeps pace. Until the first time the planner guesses, and the page pays for it; and what it plans for three rows
-- is no good for thousands. As the owner, who may analyse on every version of PostgreSQL.
create or replace function parley_private.analyze_new_tables()
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_table regclass;
  v_count integer := 0;
begin
  for v_table in
    select c.oid
    from pg_class c
    cross join lateral (select pg_relation_size(c.oid) / current_setting('block_size')::integer as pages) as now
    where c.relnamespace in ('parley'::regnamespace, 'parley_private'::regnamespace)
      and c.relkind = 'r'
      and now.pages > 0
      -- Below 0: neither analysed nor vacuumed since it was made.
      and (c.reltuples < 0 or c.relpages < 100 and now.pages >= 10 * greatest(c.relpages, 1))
  loop
    execute format('analyze %s', v_table);
    v_count := v_count + 1;
  end loop;
  return v_count;
end;
$$;

grant execute on function parley_private.analyze_new_tables to parley_worker;
--! EndIncluded private/analyze_new_tables.sql
--! Included private/stale_post.sql
-- Who says how far it has read does not want to talk past the others: if they have spoken since, the post is refused
-- with what they said.
create or replace function parley_private.refuse_if_stale(seat parley_private.seat, expected_cursor integer)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_cut     integer := parley_private.setting('list_text_max');
  v_session parley.sessions := seat.session;
  v_author  parley.participants := seat.participant;
  v_page    parley_private.page;
begin
  perform parley_private.check_not_ahead('expected_cursor', expected_cursor, v_session.last_sequence);
  if parley_private.unread(v_author, expected_cursor) = 0 then
    return;
  end if;

  -- Some of what others said, however much of the author stands between; the rest comes with the next try.
  v_page := parley_private.page_after(v_session, expected_cursor, v_author.id, 20, v_cut);
  perform parley_private.fail(409, 'stale_post', format('Others have spoken since cursor %s: your message was not posted.', expected_cursor),
    format('Read the messages in details, change yours if they matter, then post it with expected_cursor %s.', v_page.last),
    jsonb_build_object(
      'expected_cursor', expected_cursor,
      'current_cursor', v_session.last_sequence,
      'messages', (
        select jsonb_agg(jsonb_strip_nulls(to_jsonb(f)) order by f.cursor)
        from unnest(parley_private.read_feed(
          v_session.id, expected_cursor, v_page.last, v_author.id, v_cut, picked => v_page.cursors)) f
      ),
      'has_more', v_page.has_more));
end;
$$;

-- Which of the teams that a message is meant for are not there to hear it; null when all are.
create or replace function parley_private.not_listening(author parley.participants, addressed_to text[])
returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(p.handle order by p.id)
  from parley.participants p
  where p.session_id = author.session_id
    and p.id <> author.id
    and (addressed_to is null and p.left_at is null or p.handle = any (addressed_to))
    and parley_private.presence(p) <> 'active';
$$;
--! EndIncluded private/stale_post.sql
--! Included private/draft.sql
-- A message that is about to be posted, alone or in the outbox of sync.
do $$
begin
  create type parley_private.draft as (
    text text,
    kind text,
    reply_to text,
    addressed_to text[],
    expects_reply boolean,
    metadata jsonb,
    client_message_id text
  );
exception when duplicate_object then null;
end $$;

-- Everything that can be said about a message without looking at its session. prefix names it in a list: outbox[2].
create or replace function parley_private.check_draft(prefix text, draft parley_private.draft, content jsonb)
returns parley_private.draft
language plpgsql stable
set search_path = ''
as $$
begin
  draft.text := case jsonb_typeof(content)
    when 'string' then content #>> '{}'
    when 'object' then case when jsonb_typeof(content -> 'text') = 'string' then content ->> 'text' end
  end;
  if draft.text is null then
    perform parley_private.refuse_argument(prefix || 'content', 'content must be {"text": "…"} or a string.');
  elsif jsonb_typeof(content) = 'object' and content - 'text' <> '{}' then
    if content ? 'event' then
      perform parley_private.fail(400, 'system_type_forbidden', 'Events are written by the server.',
        'Send content as {"text": "…"}.', jsonb_build_object('field', prefix || 'content'));
    end if;
    perform parley_private.refuse_argument(prefix || 'content', 'content may hold text and nothing else.');
  end if;
  perform parley_private.check_text(prefix || 'content', draft.text, 'message_max');

  if draft.kind is null then
    draft.kind := 'message';
  elsif draft.kind in ('system', 'team_joined', 'team_left', 'session_metadata_updated', 'session_concluded', 'question_withdrawn') then
    perform parley_private.fail(400, 'system_type_forbidden', format('%s is a kind that only the server writes.', draft.kind),
      'Use message, question, answer, decision, status or a word of your own.', jsonb_build_object('field', prefix || 'kind'));
  elsif draft.kind !~ '^[a-z][a-z0-9_-]{0,31}$' then
    perform parley_private.refuse_argument(prefix || 'kind', 'kind must be a short word: a letter, then up to 31 letters, digits, - or _, all lower case.',
      'Use message, question, answer, decision, status or a word of your own.');
  end if;
  draft.expects_reply := coalesce(draft.expects_reply, draft.kind = 'question');

  if draft.addressed_to is not null then
    if cardinality(draft.addressed_to) > 200 then
      perform parley_private.refuse_argument(prefix || 'to', format('to names %s teams; at most 200 are allowed.', cardinality(draft.addressed_to)),
        'Leave it out to reach everybody.');
    elsif exists (select from unnest(draft.addressed_to) as h (handle) where h.handle is null or char_length(h.handle) > 200) then
      perform parley_private.refuse_argument(prefix || 'to', 'to must be a list of handles.');
    end if;
    draft.addressed_to := nullif(array(select distinct ltrim(h.handle, '@') from unnest(draft.addressed_to) as h (handle) order by 1), '{}');
    perform parley_private.refuse_secrets(prefix || 'to', array_to_string(draft.addressed_to, ' '));
  end if;
  if draft.metadata is not null then
    if jsonb_typeof(draft.metadata) <> 'object' then
      perform parley_private.refuse_argument(prefix || 'metadata', 'metadata must be an object, e.g. {"ticket": 42}.');
    end if;
    perform parley_private.check_text(prefix || 'metadata', draft.metadata::text, 'metadata_max');
  end if;
  if draft.reply_to is not null then
    perform parley_private.check_message_ref(prefix || 'reply_to', draft.reply_to);
  end if;
  if draft.client_message_id is not null then
    perform parley_private.check_key(prefix || 'client_message_id', draft.client_message_id);
  end if;
  return draft;
end;
$$;

-- A key that makes a call safe to repeat.
create or replace function parley_private.check_key(field text, key text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if key is null then
    return;
  elsif char_length(key) > 200 or key !~ '\S' then
    perform parley_private.refuse_argument(field, format('%s must have 1 to 200 characters.', field),
      'A random word per call will do; repeat it only to repeat the call.');
  end if;
  perform parley_private.refuse_secrets(field, key);
end;
$$;

create or replace function parley_private.refuse_other_content(field text, key text, details jsonb)
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(409, 'idempotency_conflict', format('You have used this %s before, with other content.', field),
    'Nothing was written. To repeat a call, send exactly the same; for something new, use a new key.',
    details || jsonb_build_object('field', field, field, key));
$$;

-- A question that nobody is left to answer would stay open for ever.
create or replace function parley_private.refuse_if_all_have_left(author parley.participants, addressed_to text[], field text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if not exists (
    select from parley.participants p
    where p.session_id = author.session_id and p.handle = any (addressed_to) and p.left_at is null
  ) then
    perform parley_private.refuse_argument(field,
      format('%s %s left: nobody would answer.', array_to_string(addressed_to, ', '), case cardinality(addressed_to) when 1 then 'has' else 'have' end),
      (
        select 'Here are: ' || string_agg(p.handle, ', ' order by p.id) || '. Or leave "to" out to ask everybody.'
        from parley.participants p where p.session_id = author.session_id and p.left_at is null
      ));
  end if;
end;
$$;

-- Posts a draft. The caller holds the lock of the session. A key is looked up before the state and before anything is
-- counted: the retry of a post that was acknowledged succeeds, whatever has happened since.
create or replace function parley_private.post_draft(
  seat parley_private.seat,
  draft parley_private.draft,
  prefix text default '',
  expected_cursor integer default null
)
returns parley.messages
language plpgsql volatile
set search_path = ''
as $$
declare
  v_author   parley.participants := seat.participant;
  v_reply_to integer;
  v_stranger text;
  v_message  parley.messages;
begin
  if draft.reply_to is not null then
    v_reply_to := parley_private.find_message(v_author.session_id, draft.reply_to, prefix || 'reply_to');
  end if;
  if draft.addressed_to is not null then
    select h.handle into v_stranger from unnest(draft.addressed_to) as h (handle)
    where not exists (
      select from parley.participants p where p.session_id = v_author.session_id and p.handle = h.handle
    );
    if found then
      perform parley_private.refuse_argument(prefix || 'to', format('No team here has the handle %s.', v_stranger),
        (select 'The handles are: ' || string_agg(p.handle, ', ' order by p.id) || '.' from parley.participants p where p.session_id = v_author.session_id));
    end if;
  end if;

  if draft.client_message_id is not null then
    select * into v_message from parley.messages m
    where m.session_id = v_author.session_id and m.posted_by = v_author.id and m.client_message_id = draft.client_message_id;
    if found then
      if (v_message.content, v_message.kind, v_message.reply_to, v_message.addressed_to, v_message.expects_reply, v_message.metadata)
        is distinct from
        (jsonb_build_object('text', draft.text), draft.kind, v_reply_to, draft.addressed_to, draft.expects_reply, draft.metadata) then
        perform parley_private.refuse_other_content(prefix || 'client_message_id', draft.client_message_id,
          jsonb_build_object('message_id', v_message.id, 'cursor', v_message.sequence));
      end if;
      return v_message;
    end if;
  end if;

  if draft.expects_reply and draft.addressed_to is not null then
    perform parley_private.refuse_if_all_have_left(v_author, draft.addressed_to, prefix || 'to');
  end if;
  if (seat.session).status = 'closed' then
    perform parley_private.refuse_if_closed(seat.session);
  end if;
  if expected_cursor is not null then
    perform parley_private.refuse_if_stale(seat, expected_cursor);
  end if;
  return parley_private.append_message(
    v_author.session_id, v_author.id, 'chat', jsonb_build_object('text', draft.text),
    draft.kind, v_reply_to, draft.addressed_to, draft.expects_reply, draft.metadata, draft.client_message_id);
end;
$$;
--! EndIncluded private/draft.sql
--! Included private/outbox.sql
-- The messages of an outbox, checked; a plain string is a message of that text.
create or replace function parley_private.read_outbox(outbox jsonb)
returns parley_private.draft[]
language plpgsql stable
set search_path = ''
as $$
declare
  v_drafts parley_private.draft[] := '{}';
  v_item   jsonb;
  v_place  text;
  v_field  text;
begin
  if jsonb_typeof(outbox) <> 'array' then
    perform parley_private.refuse_argument('outbox', 'outbox must be a list of messages.', 'Send ["…"] or [{"content": "…", "kind": "answer", "reply_to": 12}].');
  elsif jsonb_array_length(outbox) > parley_private.setting('outbox_max') then
    perform parley_private.refuse_argument('outbox', format('outbox has %s messages; at most %s are allowed.',
      jsonb_array_length(outbox), parley_private.setting('outbox_max')), 'Split it over several calls.');
  end if;

  for n in 0 .. jsonb_array_length(outbox) - 1 loop
    v_place := format('outbox[%s].', n);
    v_item := case when jsonb_typeof(outbox -> n) = 'object' then outbox -> n else jsonb_build_object('content', outbox -> n) end;
    select key into v_field from jsonb_object_keys(v_item) as key
    where key not in ('content', 'kind', 'reply_to', 'to', 'expects_reply', 'metadata', 'client_message_id');
    if found then
      perform parley_private.refuse_secrets(v_place || 'content', v_field);
      perform parley_private.refuse_argument(v_place || v_field, format('A message has no field %s.', to_json(v_field)),
        'It has content, kind, reply_to, to, expects_reply, metadata and client_message_id.');
    end if;
    perform parley_private.check_type(v_place, v_item, 'kind', '{string}');
    perform parley_private.check_type(v_place, v_item, 'reply_to', '{string,number}');
    perform parley_private.check_type(v_place, v_item, 'to', '{array}');
    perform parley_private.check_type(v_place, v_item, 'expects_reply', '{boolean}');
    perform parley_private.check_type(v_place, v_item, 'metadata', '{object}');
    perform parley_private.check_type(v_place, v_item, 'client_message_id', '{string}');
    v_drafts := v_drafts || parley_private.check_draft(
      v_place,
      row(
        null,
        v_item ->> 'kind',
        v_item ->> 'reply_to',
        (select array_agg(handle) from jsonb_array_elements_text(nullif(v_item -> 'to', 'null')) as handle),
        (v_item ->> 'expects_reply')::boolean,
        nullif(v_item -> 'metadata', 'null'),
        v_item ->> 'client_message_id'
      ),
      v_item -> 'content');
  end loop;
  return v_drafts;
end;
$$;

create or replace function parley_private.check_type(prefix text, item jsonb, field text, types text[])
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if jsonb_typeof(item -> field) <> all (types || array['null']) then
    perform parley_private.refuse_argument(prefix || field, format('%s must be of type %s.', field, array_to_string(types, ' or ')));
  end if;
end;
$$;

-- Posts them in their order, under the lock of the session.
create or replace function parley_private.post_outbox(seat parley_private.seat, drafts parley_private.draft[])
returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_sent    jsonb := '[]';
  v_message parley.messages;
begin
  for n in 1 .. cardinality(drafts) loop
    v_message := parley_private.post_draft(seat, drafts[n], format('outbox[%s].', n - 1));
    v_sent := v_sent || jsonb_build_object(
      'message_id', v_message.id, 'cursor', v_message.sequence, 'at', v_message.posted_at, 'client_message_id', v_message.client_message_id);
  end loop;
  return v_sent;
end;
$$;
--! EndIncluded private/outbox.sql
--! Included private/waiting.sql
do $$
begin
  create type parley.wait_answer as (
    messages parley.feed_message[],
    next_cursor integer,
    session_closed boolean,
    has_more boolean,
    doc_version integer,
    empty_polls integer,
    session_idle boolean,
    unread integer,
    skipped integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.wait_answer.next_cursor is 'The since_cursor of the next wait: until you present it, the same messages come again.';
comment on column parley.wait_answer.session_closed is 'True once the session is concluded: stop waiting.';
comment on column parley.wait_answer.empty_polls is 'Waits in a row that brought nothing while nobody wrote the document either.';
comment on column parley.wait_answer.session_idle is 'True when so many waits in a row were empty that the team should tell its human.';
comment on column parley.wait_answer.skipped is '@optional
How many messages of others your since_cursor jumped over that were never handed to you; get_history has them.';
comment on column parley.wait_answer.unread is 'Messages of others that no answer has handed to you yet.';

-- What makes a verb wait, in three steps. The verb itself answers at once, always; if there is nothing to say yet
-- it calls hold(). The server then learns from end_call() that it should not send that answer, keeps the call
-- without a connection, and asks answer_waits() for all its calls together whenever the session has moved.

create or replace function parley_private.hold(
  caller parley.participants,
  since_cursor integer,
  seconds double precision,
  verb text default 'wait_for_messages',
  options jsonb default null
)
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
  insert into parley_private.waits (id, session_id, participant_id, since_cursor, expires_at, verb, options)
  values (
    v_wait_id::uuid, caller.session_id, caller.id, since_cursor, clock_timestamp() + (seconds + 5) * interval '1 second', verb, options);
  perform set_config('parley.held', json_build_object('topic', 'feed ' || caller.session_id, 'seconds', seconds)::text, true);
end;
$$;

-- What a wait answers with: a page of the feed, as one team sees it. reader null: whoever has said none of it, so that
-- many can share it. Nothing new: the cursor stays where it was.
create or replace function parley_private.wait_answer(
  session parley.sessions,
  since_cursor integer,
  page parley_private.page,
  reader parley.participants,
  empty_polls integer,
  text_max integer,
  skipped integer default null
)
returns parley.wait_answer
language sql stable
set search_path = ''
as $$
  select row(
    case when cardinality(page.cursors) > 0
      then parley_private.read_feed(session.id, since_cursor, page.last, reader.id, text_max, picked => page.cursors)
      else '{}'::parley.feed_message[]
    end,
    case when cardinality(page.cursors) > 0 then page.last else since_cursor end,
    session.status = 'closed',
    page.has_more,
    session.session_doc_version,
    empty_polls,
    empty_polls >= parley_private.setting('idle_polls'),
    case when reader.id is null then session.last_sequence - page.last else parley_private.unread(reader) end,
    skipped
  )::parley.wait_answer;
$$;

-- The end of waits: those of the given ones that have something to hear, or all of them when the server gives up
-- on them (their time is over, their client is gone, the server stops). Presence is written for all in one go,
-- and waits that get the same answer share it: one row, many ids. A wait whose lease is lost (a crash of the
-- database takes the newest ones) comes back without an answer: the server has to ask the verb again. A wait whose
-- team or lease somebody else has locked does not come back at all: the server has to ask again for it.
create or replace function parley_private.answer_waits(ids uuid[], give_up boolean default false)
returns table (wait_ids uuid[], answer json)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_ready    uuid[];
  v_most     integer := parley_private.setting('wait_page');
  v_text_max integer := parley_private.setting('list_text_max');
begin
  perform parley_private.write_presence_only();
  -- Many are planned for as many as they are: by a plan that was made for a few, a thousand would take half a second.
  if cardinality(ids) > 20 then
    perform set_config('plan_cache_mode', 'force_custom_plan', true);
  end if;
  if exists (select from unnest(ids) as i (id) where not exists (select from parley_private.waits w where w.id = i.id)) then
    return query
    select array_agg(i.id), null::json
    from unnest(ids) as i (id)
    where not exists (select from parley_private.waits w where w.id = i.id);
  end if;

  v_ready := array(
    select w.id
    from parley_private.waits w
    join parley.participants p on p.session_id = w.session_id and p.id = w.participant_id
    join parley.sessions s on s.id = w.session_id
    where w.id = any (ids)
      and (give_up or s.status = 'closed' or p.left_at is not null
        or case when w.options is null
          then parley_private.has_messages_after(s, w.since_cursor, p, false)
          else parley_private.wait_is_over(w, s)
        end)
    for no key update of p skip locked
    for update of w skip locked
  );
  if cardinality(v_ready) = 0 then
    return;
  end if;

  return query select array[a.id], a.answer from parley_private.answer_one_by_one(v_ready) a;
  return query
  -- 0 stands for whoever has said nothing since, and was handed nothing by another call meanwhile.
  with ready as materialized (
    select w.id, w.session_id, w.participant_id, w.since_cursor,
      case when p.handed_cursor > w.since_cursor or exists (
          select from parley.messages m
          where m.session_id = w.session_id and m.posted_by = w.participant_id and m.sequence > w.since_cursor
        ) or exists (
          select from parley.messages m
          where m.session_id = w.session_id and m.posted_by is null and m.caused_by = w.participant_id and m.sequence > w.since_cursor
        )
        then w.participant_id else 0
      end as reader
    from parley_private.waits w
    join parley.participants p on p.session_id = w.session_id and p.id = w.participant_id
    where w.id = any (v_ready) and w.options is null
  ),
  pages as materialized (
    select r.session_id, r.since_cursor, r.reader, s as session,
      parley_private.page_after(s, r.since_cursor, r.reader, v_most, v_text_max) as page
    from (select distinct ready.session_id, ready.since_cursor, ready.reader from ready) r
    join parley.sessions s on s.id = r.session_id
  ),
  ended as (
    delete from parley_private.waits w using ready r where w.id = r.id
  ),
  seen as (
    update parley.participants p set
      cursor = greatest(p.cursor, r.since_cursor),
      last_seen_at = clock_timestamp(),
      handed_cursor = greatest(p.handed_cursor, r.handed),
      empty_polls = parley_private.count_poll(p, r.doc_version, r.has_news),
      idle_version = r.doc_version
    from (
      select r.session_id, r.participant_id,
        max(r.since_cursor) as since_cursor,
        max((pages.page).last) as handed,
        max((pages.session).session_doc_version) as doc_version,
        bool_or(cardinality((pages.page).cursors) > 0) as has_news
      from ready r
      join pages using (session_id, since_cursor, reader)
      group by r.session_id, r.participant_id
    ) r
    where p.session_id = r.session_id and p.id = r.participant_id
    returning p as participant
  ),
  answers as (
    select array_agg(r.id) as ids, r.session_id, r.since_cursor, r.reader, (seen.participant).empty_polls,
      (array_agg(seen.participant) filter (where r.reader > 0))[1] as participant
    from ready r
    join seen on (seen.participant).session_id = r.session_id and (seen.participant).id = r.participant_id
    group by r.session_id, r.since_cursor, r.reader, (seen.participant).empty_polls
  )
  select a.ids, to_json(parley_private.wait_answer(pages.session, a.since_cursor, pages.page, a.participant, a.empty_polls, v_text_max))
  from answers a
  join pages using (session_id, since_cursor, reader);
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
  with ended as (
    delete from parley_private.waits w
    where w.id in (select x.id from parley_private.waits x where x.id = any (ids) for update skip locked)
    returning w.session_id, w.participant_id
  ),
  free as (
    select p.session_id, p.id from parley.participants p
    where (p.session_id, p.id) in (select e.session_id, e.participant_id from ended e)
    for no key update skip locked
  )
  update parley.participants p set last_seen_at = clock_timestamp()
  from free
  where p.session_id = free.session_id and p.id = free.id;
end;
$$;

grant execute on function parley_private.abandon_waits to parley_caller;
--! EndIncluded private/waiting.sql
--! Included private/waiting_with_options.sql
do $$
begin
  create type parley.replies as (messages parley.feed_message[], session_closed boolean, unread integer, yet_to_answer text[]);
exception when duplicate_object then null;
end $$;
comment on column parley.replies.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.replies.yet_to_answer is '@optional
Those of the asked who are here and have not answered.';

do $$
begin
  create type parley.sent_message as (message_id uuid, cursor integer, at timestamptz, client_message_id text);
exception when duplicate_object then null;
end $$;
comment on column parley.sent_message.client_message_id is '@optional';

do $$
begin
  create type parley.synced as (
    sent parley.sent_message[],
    messages parley.feed_message[],
    next_cursor integer,
    session_closed boolean,
    has_more boolean,
    doc_version integer,
    empty_polls integer,
    session_idle boolean,
    unread integer,
    skipped integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.synced.sent is 'What was posted from the outbox, in its order.';
comment on column parley.synced.next_cursor is 'The since_cursor of the next call: until you present it, the same messages come again.';
comment on column parley.synced.skipped is '@optional
How many messages of others your since_cursor jumped over that were never handed to you; get_history has them.';
comment on column parley.synced.unread is 'Messages of others that no answer has handed to you yet.';

-- Waits that ask for more than a plain one, and so cannot share an answer: whole texts, sync, wait_for_reply.

-- Whether another team than the one that waits has replied to a message; of_all: whether nobody who was asked by name has
-- yet to answer, or it was withdrawn.
create or replace function parley_private.has_reply(session_id uuid, reply_to integer, reader integer, of_all boolean default false)
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from parley.messages m
    where m.session_id = has_reply.session_id and m.reply_to = has_reply.reply_to
      and (not of_all and m.posted_by <> reader or of_all and m.posted_by is null)
  ) or of_all and exists (
    select from parley.messages q
    where q.session_id = has_reply.session_id and q.sequence = has_reply.reply_to
      and case when q.addressed_to is null
        then parley_private.has_reply(q.session_id, q.sequence, reader)
        else parley_private.yet_to_answer(q) is null
      end
  );
$$;

create or replace function parley_private.replies(reader parley.participants, session parley.sessions, reply_to integer)
returns parley.replies
language sql stable
set search_path = ''
as $$
  select row(
    array(
      select (parley_private.read_feed(
        m.session_id, m.sequence - 1, m.sequence, reader.id, parley_private.setting('list_text_max')))[1]
      from parley.messages m
      where m.session_id = session.id and m.reply_to = replies.reply_to and m.posted_by <> reader.id
      order by m.sequence
      limit parley_private.setting('wait_page')
    ),
    session.status = 'closed',
    parley_private.unread(reader),
    (
      select parley_private.yet_to_answer(q) from parley.messages q
      where q.session_id = session.id and q.sequence = replies.reply_to and q.expects_reply
    )
  )::parley.replies;
$$;

-- Waits in a row that brought nothing, after one more: as long as the document stands still, too.
create or replace function parley_private.count_poll(reader parley.participants, doc_version integer, has_news boolean)
returns integer
language plpgsql immutable
set search_path = ''
as $$
begin
  return case
    when has_news then 0
    when reader.idle_version = doc_version then reader.empty_polls + 1
    else 1
  end;
end;
$$;

-- Stores the cursor that a team presents with a wait. A team that polls in a loop costs no update here, and waits for nobody
-- who holds its row: the cursor is in the lease, too, and is stored when the wait ends.
create or replace function parley_private.confirm(reader parley.participants, since_cursor integer)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if since_cursor <= reader.cursor then
    return;
  end if;
  update parley.participants p set cursor = greatest(p.cursor, since_cursor), last_seen_at = clock_timestamp()
  from (
    select x.session_id, x.id from parley.participants x
    where x.session_id = reader.session_id and x.id = reader.id
    for no key update skip locked
  ) free
  where p.session_id = free.session_id and p.id = free.id;
end;
$$;

-- The row of a team, locked, or null: another call of the team is over in a moment and is waited for, but whoever keeps the
-- row longer is not.
create or replace function parley_private.lock_reader(reader parley.participants)
returns parley.participants
language plpgsql volatile
set search_path = ''
as $$
declare
  v_patience text := current_setting('lock_timeout');
  v_row      parley.participants;
begin
  select p.* into v_row from parley.participants p
  where p.session_id = reader.session_id and p.id = reader.id
  for no key update skip locked;
  if found then
    return v_row;
  end if;

  perform set_config('lock_timeout', '100ms', true);
  select p.* into v_row from parley.participants p
  where p.session_id = reader.session_id and p.id = reader.id
  for no key update;
  perform set_config('lock_timeout', v_patience, true);
  return v_row;
exception when lock_not_available then
  return null;
end;
$$;

-- The receiving half of a wait or sync that is answered on its own: a page of what came after the cursor, and how far the team
-- has got with it. If somebody keeps the row of the team nothing of that is written, and the same comes again.
--
-- options: max_items, include_self, full, skipped; peek: the cursor is not stored; poll: an empty answer is counted; spoke: the team
-- has said something with this call.
create or replace function parley_private.hear(reader parley.participants, session parley.sessions, since_cursor integer, options jsonb)
returns parley.wait_answer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_text_max integer := case when not coalesce((options ->> 'full')::boolean, false) then parley_private.setting('list_text_max') end;
  v_page     parley_private.page := parley_private.page_after(
    session,
    since_cursor,
    case when (options ->> 'include_self')::boolean then 0 else reader.id end,
    coalesce((options ->> 'max_items')::integer, parley_private.setting('wait_page')),
    v_text_max);
  v_awake    boolean := cardinality(v_page.cursors) > 0 or coalesce((options ->> 'spoke')::boolean, false);
  v_fresh    parley.participants := parley_private.lock_reader(reader);
begin
  if v_fresh.id is not null then
    reader := v_fresh;
  end if;

  if not coalesce((options ->> 'peek')::boolean, false) then
    reader.cursor := greatest(reader.cursor, since_cursor);
  end if;
  reader.handed_cursor := greatest(reader.handed_cursor, v_page.last);
  if v_awake or (options ->> 'poll')::boolean then
    reader.empty_polls := parley_private.count_poll(reader, session.session_doc_version, v_awake);
    reader.idle_version := session.session_doc_version;
  elsif reader.idle_version <> session.session_doc_version then
    reader.empty_polls := 0;
  end if;
  if v_fresh.id is not null then
    update parley.participants p set
      cursor = reader.cursor,
      handed_cursor = reader.handed_cursor,
      empty_polls = reader.empty_polls,
      idle_version = reader.idle_version,
      last_seen_at = clock_timestamp()
    where p.session_id = reader.session_id and p.id = reader.id;
  end if;
  return parley_private.wait_answer(
    session, since_cursor, v_page, reader, reader.empty_polls, v_text_max, (options ->> 'skipped')::integer);
end;
$$;

-- What sync answers with: what it has posted, and what it has heard. Its cursor goes past what the team has said itself.
create or replace function parley_private.synced(heard parley.wait_answer, session parley.sessions, options jsonb)
returns parley.synced
language sql stable
set search_path = ''
as $$
  select row(
    coalesce((select array_agg(s) from jsonb_populate_recordset(null::parley.sent_message, options -> 'sent') s), '{}'),
    heard.messages,
    case when heard.has_more then heard.next_cursor else session.last_sequence end,
    heard.session_closed,
    heard.has_more,
    heard.doc_version,
    heard.empty_polls,
    heard.session_idle,
    heard.unread,
    heard.skipped
  )::parley.synced;
$$;

create or replace function parley_private.wait_is_over(wait parley_private.waits, session parley.sessions)
returns boolean
language sql stable
set search_path = ''
as $$
  select case wait.verb
    when 'wait_for_reply' then parley_private.has_reply(wait.session_id, (wait.options ->> 'reply_to')::integer, wait.participant_id, (wait.options ->> 'all')::boolean)
    else (
      select parley_private.has_messages_after(session, wait.since_cursor, p, coalesce((wait.options ->> 'include_self')::boolean, false))
      from parley.participants p where p.session_id = wait.session_id and p.id = wait.participant_id
    )
  end;
$$;

-- Ends the given waits of this kind, each with an answer of its own. Their participants are locked by answer_waits.
create or replace function parley_private.answer_one_by_one(ids uuid[])
returns table (id uuid, answer json)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_wait    parley_private.waits;
  v_session parley.sessions;
  v_reader  parley.participants;
begin
  for v_wait in
    delete from parley_private.waits w where w.id = any (ids) and w.options is not null returning w.*
  loop
    select * into v_session from parley.sessions s where s.id = v_wait.session_id;
    select * into v_reader from parley.participants p where p.session_id = v_wait.session_id and p.id = v_wait.participant_id;

    id := v_wait.id;
    -- Nobody is idle who waits for one reply: it is the feed that tells whether a session has fallen silent.
    answer := case v_wait.verb
      when 'wait_for_reply' then to_json(parley_private.replies(v_reader, v_session, (v_wait.options ->> 'reply_to')::integer))
      when 'sync' then to_json(parley_private.synced(
        parley_private.hear(v_reader, v_session, v_wait.since_cursor, v_wait.options), v_session, v_wait.options))
      else to_json(parley_private.hear(v_reader, v_session, v_wait.since_cursor, v_wait.options))
    end;
    if v_wait.verb = 'wait_for_reply' then
      update parley.participants p set last_seen_at = clock_timestamp()
      where p.session_id = v_reader.session_id and p.id = v_reader.id;
    end if;
    return next;
  end loop;
end;
$$;
--! EndIncluded private/waiting_with_options.sql
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

-- Stores the next version as a splice of the one before: from start_at on, removed bytes give way to inserted ones. Stored
-- whole as soon as a reader would have to put together more than 64 KiB or a hundred splices. The caller holds the lock of
-- the session.
create or replace function parley_private.splice_doc(
  author parley.participants,
  start_at integer,
  removed integer,
  inserted bytea,
  sections text[]
)
returns parley.session_doc_history
language plpgsql volatile
set search_path = ''
as $$
declare
  v_version   parley.session_doc_history;
  v_last      integer;
  v_feed      integer;
  v_size      integer;
  v_to_apply  integer;
  v_key_frame boolean;
begin
  select s.session_doc_version, s.last_sequence into v_last, v_feed from parley.sessions s where s.id = author.session_id;
  select h.size, d.bytes_to_apply + length(splice_doc.inserted) into v_size, v_to_apply
  from parley.session_doc_history h
  join parley_private.doc_patches d on d.session_id = h.session_id and d.version = h.version
  where h.session_id = author.session_id and h.version = v_last;
  v_size := coalesce(v_size, 0);
  v_key_frame := v_last = 0 or v_to_apply > 65536 or v_last - 99 >= (
    select max(k.version) from parley_private.doc_patches k where k.session_id = author.session_id and k.key_frame);

  insert into parley.session_doc_history (session_id, version, written_by, size, after_cursor, sections, nth_of_author)
  values (
    author.session_id, v_last + 1, author.id, v_size - removed + length(inserted), v_feed, sections,
    1 + coalesce((
      select h.nth_of_author from parley.session_doc_history h
      where h.session_id = author.session_id and h.written_by = author.id
      order by h.version desc limit 1
    ), 0))
  returning * into v_version;

  insert into parley_private.doc_patches (session_id, version, key_frame, start_at, removed, inserted, bytes_to_apply)
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
    case when v_key_frame then 0 else v_to_apply end
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
    substring(new_doc from v_prefix + 1 for length(new_doc) - v_prefix - v_suffix),
    parley_private.sections_changed(new_doc, v_prefix, length(new_doc) - v_suffix)
  );
end;
$$;

-- room is what a document may have beyond its limit: a conclusion gets some, so that a full document can be closed.
create or replace function parley_private.check_doc_size(field text, size integer, room integer default 0)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if size > parley_private.setting('doc_max_bytes') + room then
    perform parley_private.refuse_argument(
      field,
      format('The document would have %s bytes; at most %s are allowed.', size, parley_private.setting('doc_max_bytes') + room),
      case when room > 0
        then 'Shorten the summary: one of 4,000 bytes always fits. Or shorten the document first, with update_session_doc.'
        else 'Shorten the document with update_session_doc.'
      end);
  end if;
end;
$$;
--! EndIncluded private/write_doc.sql
--! Included private/append_to_doc.sql
-- Needs the size of the document and how it ends, not its text: as cheap at 1 MiB as at the start. How it ends is told by
-- what was written last, unless that was written in its middle. Read as single bytes: a letter may be cut there, and the
-- marks of markdown are plain ones. The caller holds the lock of the session.
create or replace function parley_private.append_to_doc(author parley.participants, added text)
returns parley.session_doc_history
language plpgsql volatile
set search_path = ''
as $$
declare
  v_size     integer;
  v_version  integer;
  v_end      bytea;
  v_before   text;
  v_inserted bytea;
  v_sections text[];
begin
  select h.size, h.version, case when d.start_at + length(d.inserted) = h.size then d.inserted end,
    case when not d.key_frame then h.sections end
  into v_size, v_version, v_end, v_sections
  from parley.sessions s
  join parley.session_doc_history h on h.session_id = s.id and h.version = s.session_doc_version
  join parley_private.doc_patches d on d.session_id = h.session_id and d.version = h.version
  where s.id = author.session_id;
  if v_size > 0 and coalesce(length(v_end), 0) = 0 then
    v_end := parley_private.doc_at(author.session_id, v_version);
    v_sections := null;
  end if;
  v_before := convert_from(substring(coalesce(v_end, '') from greatest(coalesce(length(v_end), 0) - 20000, 1)), 'LATIN1');
  v_inserted := convert_to(
    parley_private.break_between(v_before, added, parley_private.line_break_of(v_before)) || added, 'UTF8');
  perform parley_private.check_doc_size('text', coalesce(v_size, 0) + length(v_inserted));
  v_sections := coalesce(v_sections, array[parley_private.last_heading(v_end)]);
  return parley_private.splice_doc(author, coalesce(v_size, 0), 0, v_inserted,
    parley_private.sections_of(added, v_sections[cardinality(v_sections)]));
end;
$$;

-- Reads the document to find the section; stores, as always, only what was put in.
create or replace function parley_private.append_to_section(author parley.participants, section text, added text)
returns parley.session_doc_history
language plpgsql volatile
set search_path = ''
as $$
declare
  v_old bytea := parley_private.doc_at(author.session_id, (select s.session_doc_version from parley.sessions s where s.id = author.session_id));
  v_new bytea := convert_to(parley_private.with_text_in_section(convert_from(v_old, 'UTF8'), section, added), 'UTF8');
begin
  perform parley_private.check_doc_size('text', length(v_new));
  return parley_private.write_doc(author, v_old, v_new);
end;
$$;
--! EndIncluded private/append_to_doc.sql
--! Included private/doc_outline.sql
-- What a document is made of: code, headings, sections. It may be a mebibyte of nothing but headings or fences, so one
-- section is found by searching the whole, not by reading lines; and where each line counts, it is read without patterns.

-- The text with every letter in its place, but nothing in a code fence looks like a heading any more; and the mark of a
-- fence that is left open. It is cut where a line may be a fence, so that only those lines are looked at.
create or replace function parley_private.without_code(doc text, out prose text, out open_fence text)
language plpgsql immutable
set search_path = ''
as $$
declare
  v_cut    text;
  v_mark   text;
  v_pieces text[];
  -- What each piece begins with: so many backticks, or so many tildes below 0; then what is open after it.
  v_fences integer[];
  v_opens  boolean[];
  v_closes boolean[];
  v_open   integer := 0;
begin
  if strpos(doc, '```') = 0 and strpos(doc, '~~~') = 0 then
    prose := doc;
    return;
  end if;
  v_cut := E'\n' || replace(doc, E'\u0001', ' ');
  foreach v_mark in array array['```', ' ```', '  ```', '   ```', '~~~', ' ~~~', '  ~~~', '   ~~~'] loop
    v_cut := replace(v_cut, E'\n' || v_mark, E'\n\u0001' || v_mark);
  end loop;

  v_pieces := string_to_array(v_cut, E'\u0001');
  select
    array_agg(case left(f.line, 1) when '~' then -1 else 1 end * (length(f.line) - length(f.info))),
    array_agg(left(f.line, 1) = '~' or strpos(f.info, '`') = 0),
    array_agg(btrim(f.info, E' \t\r') = '')
  into v_fences, v_opens, v_closes
  from (
    select l.line, ltrim(l.line, left(l.line, 1)) as info
    from (select ltrim(split_part(p.text, E'\n', 1), ' ') as line from unnest(v_pieces) as p (text) offset 0) l
    -- Each line is cut once, not once for every use.
    offset 0
  ) f;
  v_fences[1] := 0;
  for n in 2 .. cardinality(v_fences) loop
    if v_open = 0 then
      if v_opens[n] then
        v_open := v_fences[n];
      end if;
    elsif v_closes[n] and (v_open > 0 and v_fences[n] >= v_open or v_open < 0 and v_fences[n] <= v_open) then
      v_open := 0;
    end if;
    v_fences[n] := v_open;
  end loop;

  prose := substr((
    select string_agg(case p.fence when 0 then p.text else translate(p.text, '#=-', '   ') end, '')
    from unnest(v_pieces, v_fences) as p (text, fence)
  ), 2);
  open_fence := nullif(repeat(case sign(v_open) when 1 then '`' else '~' end, abs(v_open)), '');
end;
$$;

-- Where the first heading of these levels stands in a text that begins and ends with a line break: at the break before it,
-- or null. Lines that begin with hashes, of any title or of one (as a pattern).
--
-- The lines are matched with their breaks: the same lines elsewhere would be the same heading, so the first place where
-- they stand is the one that was found. To ask for the place of a match would look for all of them.
create or replace function parley_private.find_hash_heading(text text, lowest_level integer, highest_level integer, title text default null)
returns integer
language sql immutable
set search_path = ''
as $$
  select strpos(text, (regexp_match(
    text,
    format('(\n {0,3}#{%s,%s}%s\n)', lowest_level, highest_level, coalesce('[ \t]+' || title || '(?:[ \t]+#+)?[ \t\r]*', '(?:[ \t\r][^\n]*)?')),
    'i'))[1]);
$$;

-- Lines that are underlined, by = for level 1, by - for level 2. Only a single line is: above it stands nothing, a heading or
-- the end of code. What begins a list, a quote or code is none.
create or replace function parley_private.find_underlined_heading(text text, underline text, title text default null)
returns integer
language sql immutable
set search_path = ''
as $$
  select strpos(text, array_to_string(found.parts, '')) + length(found.parts[1])
  from regexp_match(
    text,
    '(\A|\n(?:[ \t\r]*| {0,3}(?:#{1,6}(?:[ \t][^\n]*)?|=+|-+|```[^\n]*|~~~[^\n]*)[ \t\r]*))(\n {0,3}'
      || coalesce(title || '[ \t\r]*', '(?![-*+][ \t\r\n]|[>#]|```|~~~|[0-9]{1,9}[.)][ \t\r\n]|(?:=+|-+)[ \t\r]*\n)[^ \t\r\n][^\n]*')
      || '\n {0,3}(?:' || underline || ')[ \t\r]*\n)',
    'i') as found (parts);
$$;

-- The section of that name, or nulls; where several have it, the first of level 2, which is what sections usually are. It
-- ends at the next heading of its level or above. And the mark of a fence that is left open, since who asks wants to write.
create or replace function parley_private.find_section(
  doc text,
  section text,
  out level integer,
  out starts integer,
  out body_starts integer,
  out ends integer,
  out open_fence text
)
language plpgsql immutable
set search_path = ''
as $$
declare
  v_title      text := regexp_replace(section, '([!-/:-@\[-`{-~])', '\\\1', 'g');
  v_text       text;
  v_underlined boolean;
  v_rest       text;
  v_last_line  integer := 1;
  v_end        integer := length(doc) + 1;
begin
  select E'\n' || c.prose || E'\n', c.open_fence into v_text, find_section.open_fence from parley_private.without_code(doc) c;
  v_underlined := v_text ~ '\n {0,3}(=+|-+)[ \t\r]*\n';
  starts := least(
    parley_private.find_hash_heading(v_text, 2, 2, v_title),
    case when v_underlined then parley_private.find_underlined_heading(v_text, '-+', v_title) end);
  level := 2;
  if starts is null then
    starts := least(
      parley_private.find_hash_heading(v_text, 1, 6, v_title),
      case when v_underlined then parley_private.find_underlined_heading(v_text, '=+', v_title) end);
    level := coalesce(length(substring(substr(v_text, starts, 10) from '^\n {0,3}(#{1,6})[ \t]')), 1);
  end if;
  if starts is null then
    level := null;
    return;
  end if;

  v_rest := substr(v_text, starts + 1);
  body_starts := starts + strpos(v_rest, E'\n');
  if v_rest !~ '^ {0,3}#{1,6}[ \t]' then
    v_last_line := strpos(v_rest, E'\n') + 1;
    body_starts := body_starts + strpos(substr(v_rest, v_last_line), E'\n');
  end if;
  v_rest := substr(v_text, starts + v_last_line - 1);
  ends := starts + v_last_line - 2 + least(
    nullif(parley_private.find_hash_heading(substr(v_rest, 2), 1, level), 0) + 1,
    case when v_underlined then parley_private.find_underlined_heading(v_rest, case level when 1 then '=+' else '=+|-+' end) end);
  ends := coalesce(ends, v_end);
  body_starts := least(body_starts, v_end);
end;
$$;

-- All headings: the level, the title, and where each begins, counted in bytes from 0.
create or replace function parley_private.doc_outline(doc text)
returns table (level integer, title text, at_byte integer)
language sql immutable
set search_path = ''
as $$
  with line as (
    select
      l.line,
      lag(l.line) over lines as above,
      lag(l.line, 2) over lines as above_that,
      sum(octet_length(l.line) + 1) over lines - octet_length(l.line) - 1 as at_byte
    from parley_private.without_code(doc) as c, string_to_table(c.prose, E'\n') as l (line)
    window lines as (rows unbounded preceding)
  )
  select
    length(found.marks) - length(found.rest),
    case when right(found.title, 1) = '#' and right(rtrim(found.title, '#'), 1) in ('', ' ', E'\t')
      then rtrim(rtrim(found.title, '#'), E' \t')
      else found.title
    end,
    l.at_byte::integer
  from line l
  cross join lateral (
    select marks, rest, btrim(rest, E' \t\r') as title from ltrim(l.line, ' ') as marks cross join ltrim(marks, '#') as rest
  ) found
  where left(found.marks, 1) = '#'
    and length(found.marks) - length(found.rest) <= 6
    and left(found.rest, 1) in ('', ' ', E'\t', E'\r')
    and length(l.line) - length(found.marks) <= 3
  union all
  select
    case left(ltrim(l.line, ' '), 1) when '=' then 1 else 2 end,
    btrim(l.above, E' \t\r'),
    (l.at_byte - octet_length(l.above) - 1)::integer
  from line l
  where left(ltrim(l.line, ' '), 1) in ('=', '-')
    and parley_private.find_underlined_heading(
      concat(E'\n' || l.above_that, E'\n', l.above, E'\n', l.line, E'\n'), '=+|-+') > 0
  order by 3;
$$;

grant execute on function
  parley_private.without_code,
  parley_private.find_underlined_heading,
  parley_private.doc_outline
to parley_caller;

create or replace function parley_private.line_break_of(doc text)
returns text
language sql immutable
set search_path = ''
as $$
  select case when strpos(doc, E'\r\n') > 0 then E'\r\n' else E'\n' end;
$$;

-- A document with a section added at its end: an open fence is closed first, and a blank line goes between.
create or replace function parley_private.with_section_at_end(doc text, section text, open_fence text)
returns text
language sql immutable
set search_path = ''
as $$
  select case
    when doc = '' then section
    when open_fence is not null then doc || br || open_fence || br || br || section
    when right(doc, 1) = E'\n' then doc || br || section
    else doc || br || br || section
  end
  from parley_private.line_break_of(doc) as br;
$$;

-- What a line begins, or is part of: blank, heading, rule, fence, list, quote, table, or text.
create or replace function parley_private.line_kind(line text)
returns text
language sql immutable
set search_path = ''
as $$
  select case
    when line ~ '^\s*$' then 'blank'
    when line ~ '^ {0,3}#{1,6}(\s|$)' then 'heading'
    when line ~ '^ {0,3}(=+|([-*_][ \t]*){3,}|-+)\s*$' then 'rule'
    when line ~ '^ {0,3}(```|~~~)' then 'fence'
    when line ~ '^\s*([-*+]|[0-9]{1,9}[.)])(\s|$)' then 'list'
    when line ~ '^ {0,3}>' then 'quote'
    when line ~ '^ {0,3}\|' then 'table'
    when line ~ '^(  |\t)' then 'indented'
    else 'text'
  end;
$$;

-- The line breaks that go between a text and what is added to it: the first line of it starts on a line of its own, and
-- where markdown would draw it into the list item, the quote or the table above, after a blank line. What goes on with the
-- text, list, quote or table that stands there goes on.
create or replace function parley_private.break_between(before text, added text, line_break text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_lines text[] := string_to_array(right(before, 20000), E'\n');
  v_last  text := v_lines[cardinality(v_lines)];
  v_break text := '';
  v_above text;
  v_below text := parley_private.line_kind(split_part(added, E'\n', 1));
begin
  if before = '' then
    return '';
  elsif v_last <> '' then
    v_break := line_break;
    v_above := parley_private.line_kind(v_last);
  else
    v_above := parley_private.line_kind(v_lines[cardinality(v_lines) - 1]);
  end if;
  if v_above = 'blank' or v_below = 'blank' then
    return v_break;
  end if;
  return v_break || case
    when v_below = 'heading' then line_break
    when v_above in ('heading', 'rule', 'fence') then ''
    when v_above = v_below then ''
    when v_above in ('list', 'indented') and v_below in ('list', 'indented') then ''
    when v_above in ('text', 'indented') and (v_below in ('quote', 'fence') or v_below = 'list' and added ~ '^\s*([-*+]|1[.)])\s') then ''
    else line_break
  end;
end;
$$;

-- A document with a text added at the end of the section of that name; the section is made if there is none.
create or replace function parley_private.with_text_in_section(doc text, section text, added text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_break   text := parley_private.line_break_of(doc);
  v_section record;
  v_body    text;
  v_added   text := rtrim(added, E' \t\r\n\f\x0b') || v_break;
begin
  select * into v_section from parley_private.find_section(doc, section);
  if v_section.starts is null then
    return parley_private.with_section_at_end(doc, '## ' || section || v_break || v_break || v_added, v_section.open_fence);
  end if;

  v_body := rtrim(substr(doc, v_section.body_starts, v_section.ends - v_section.body_starts), E' \t\r\n\f\x0b');
  -- What is added is text, even after a fence that was left open.
  if v_body <> '' and v_section.ends > length(doc) then
    v_body := v_body || coalesce(v_break || v_section.open_fence, '');
  end if;
  return case
      when v_body <> '' then left(doc, v_section.body_starts - 1) || v_body || parley_private.break_between(v_body, v_added, v_break)
      when right(left(doc, v_section.body_starts - 1), 1) = E'\n' then left(doc, v_section.body_starts - 1) || v_break
      else doc || v_break || v_break
    end
    || v_added
    || case when v_section.ends <= length(doc) then v_break || substr(doc, v_section.ends) else '' end;
end;
$$;
--! EndIncluded private/doc_outline.sql
--! Included private/doc_sections.sql
-- Under which headings a change of the document stands: told when it is written, when the text is at hand. A digest says so.

-- The title of the last heading of a text; looked for near its end only, since a document may be a mebibyte of headings.
create or replace function parley_private.last_heading(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select left(o.title, 100) from parley_private.doc_outline(right(text, 8000)) o order by o.at_byte desc limit 1;
$$;

-- Of a document whose end was read as bytes: a letter may be cut where the reading begins.
create or replace function parley_private.last_heading(doc bytea)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_from integer := greatest(length(doc) - 8000, 0);
begin
  while v_from < length(doc) and get_byte(doc, v_from) & 192 = 128 loop
    v_from := v_from + 1;
  end loop;
  return parley_private.last_heading(convert_from(substring(doc from v_from + 1), 'UTF8'));
end;
$$;

-- The sections that a text is part of or brings along, given the one that it is put into: at most five, the last one among
-- them. What begins with a heading says nothing about the section above.
create or replace function parley_private.sections_of(added text, above text)
returns text[]
language sql immutable
set search_path = ''
as $$
  with heading as (
    select o.title, o.at_byte, row_number() over (order by o.at_byte) as nth, count(*) over () as headings
    from parley_private.doc_outline(left(added, 8000)) o
    where o.title <> ''
  )
  select nullif(array_remove(
    array[case when not exists (
      select from heading h where h.nth = 1 and btrim(left(added, h.at_byte), E' \t\r\n') = ''
    ) then left(above, 100) end]
    || array(select left(h.title, 100) from heading h where h.nth < 4 or h.nth = h.headings order by h.nth),
    null), '{}');
$$;

-- The sections of what stands between two bytes of a document, from the line on in which it begins.
create or replace function parley_private.sections_changed(doc bytea, from_byte integer, to_byte integer)
returns text[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_from  integer := from_byte;
  v_to    integer := greatest(to_byte, from_byte);
  v_prose text;
  v_line  integer;
  v_back  integer;
begin
  -- Two letters may differ in their last byte only.
  while v_from > 0 and v_from < length(doc) and get_byte(doc, v_from) & 192 = 128 loop
    v_from := v_from - 1;
  end loop;
  -- The last line is read to its end, too: it may be a heading.
  if v_to > 0 and get_byte(doc, v_to - 1) <> 10 then
    v_to := v_to + coalesce(nullif(position('\x0a'::bytea in substring(doc from v_to + 1)), 0) - 1, length(doc) - v_to);
  end if;
  select c.prose into v_prose from parley_private.without_code(convert_from(substring(doc for v_to), 'UTF8')) c;
  v_line := length(convert_from(substring(doc for v_from), 'UTF8'));
  if substr(v_prose, v_line + 1, 1) <> E'\n' then
    v_back := strpos(reverse(right(left(v_prose, v_line), 8000)), E'\n');
    v_line := case v_back when 0 then greatest(v_line - 8000, 0) else v_line - v_back + 1 end;
  end if;
  return parley_private.sections_of(substr(v_prose, v_line + 1), parley_private.last_heading(left(v_prose, v_line)));
end;
$$;
--! EndIncluded private/doc_sections.sql
--! Included private/with_conclusion.sql
-- A document with the summary as its "## Conclusion" section: in place of the one it has, or else at its end. A fence that
-- the summary leaves open is closed: what follows in the document stays text.
create or replace function parley_private.with_conclusion(doc text, summary text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_break   text := parley_private.line_break_of(doc);
  v_body    text := regexp_replace(
    summary, '^\s*(#{1,6}[ \t]+conclusion[ \t]*#*[ \t]*|conclusion[ \t]*\r?\n {0,3}(=+|-+)[ \t]*)(\r?\n|$)', '', 'i');
  v_section text;
  v_old     record;
begin
  v_body := rtrim(regexp_replace(v_body, '^(\s*\n)+', ''), E' \t\r\n\f\x0b');
  v_section := '## Conclusion' || v_break || v_break || v_body || v_break
    || coalesce((select c.open_fence || v_break from parley_private.without_code(v_body) c), '');

  select * into v_old from parley_private.find_section(doc, 'Conclusion');
  if v_old.level is distinct from 2 then
    return parley_private.with_section_at_end(doc, v_section, v_old.open_fence);
  end if;
  return left(doc, v_old.starts - 1) || v_section
    || case when v_old.ends <= length(doc) then v_break || substr(doc, v_old.ends) else '' end;
end;
$$;
--! EndIncluded private/with_conclusion.sql
--! Included private/digest.sql
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
    activity text,
    you boolean,
    blocked boolean,
    last_status parley.note,
    last_message parley.note
  );
exception when duplicate_object then null;
end $$;
comment on type parley.digest_team is 'What a team did.';
comment on column parley.digest_team.last_cursor is 'Its newest message; null while it has said nothing.';
comment on column parley.digest_team.activity is 'listening, working, silent or left.';
comment on column parley.digest_team.you is '@optional
True for the calling team.';
comment on column parley.digest_team.blocked is '@optional
True when its last status says so: of kind blocked or blocker, or a text that begins with that word or with stuck.';
comment on column parley.digest_team.last_status is '@optional
Its newest message of kind status, blocked or blocker.';
comment on column parley.digest_team.last_message is '@optional
What it said last, if it has told no status.';

do $$
begin
  create type parley.doc_change as (cursor integer, version integer, handle text, bytes integer, at timestamptz, sections text[]);
exception when duplicate_object then null;
end $$;
comment on type parley.doc_change is 'A new version of the document.';
comment on column parley.doc_change.cursor is 'The newest message when it was written.';
comment on column parley.doc_change.bytes is 'By how much the document grew.';
comment on column parley.doc_change.sections is '@optional
The headings above and in what was changed, a few of them.';

do $$
begin
  create type parley.digest_event as (cursor integer, event text, handle text, at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.digest_totals as (open_questions integer, decisions integer, doc_changes integer, events integer);
exception when duplicate_object then null;
end $$;
comment on type parley.digest_totals is 'How many entries there are, with those that the lists leave out.';

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
    unread integer,
    totals parley.digest_totals,
    items integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.digest.messages is 'How many messages the teams posted.';
comment on column parley.digest.omitted is '@optional
How many older entries the lists leave out.';
comment on column parley.digest.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.digest.totals is '@optional
Given when something was left out.';
comment on column parley.digest.items is '@optional
The most entries of each list, if you asked for so many.';

-- How many messages of each kind that a digest counts a team has posted after a cursor, and the newest of them.
create or replace function parley_private.messages_of_note(session_id uuid, team integer, since_cursor integer)
returns table (kind text, messages integer, last_cursor integer)
language sql stable
set search_path = ''
as $$
  select k.kind, newest.nth_of_kind - coalesce(before.nth_of_kind, 0), newest.sequence
  from unnest(array['question', 'answer', 'decision', 'status', 'blocked', 'blocker']) as k (kind)
  cross join lateral (
    select m.nth_of_kind, m.sequence from parley.messages m
    where m.session_id = messages_of_note.session_id and m.posted_by = team and m.kind = k.kind and m.nth_of_kind is not null
      and m.sequence > since_cursor
    order by m.sequence desc limit 1
  ) newest
  left join lateral (
    select m.nth_of_kind from parley.messages m
    where m.session_id = messages_of_note.session_id and m.posted_by = team and m.kind = k.kind and m.nth_of_kind is not null
      and m.sequence <= since_cursor
    order by m.sequence desc limit 1
  ) before on true;
$$;

grant execute on function parley_private.messages_of_note to parley_caller;

-- What each team said and wrote after a cursor, and after the version of the document at that time. Counted by what its newest
-- messages say of themselves, so that a long feed is not read: the nth of its author, the nth of its kind.
create or replace function parley_private.digest_teams(session parley.sessions, since_cursor integer, version_before integer, reader integer)
returns setof parley.digest_team
language sql stable
set search_path = ''
as $$
  -- Each looked up by itself: joined, the planner may take a long feed for a short one, or a thousand teams for one.
  select
    p.handle, p.team_name, parley_private.presence(p),
    coalesce(newest.nth_of_author - coalesce(before.nth_of_author, 0), 0),
    coalesce(said.questions, 0), coalesce(said.answers, 0), coalesce(said.decisions, 0), coalesce(wrote.doc_changes, 0),
    newest.sequence, parley_private.activity(p),
    nullif(p.id = reader, false),
    nullif(latest.is_status and (
      (latest.message).kind in ('blocked', 'blocker') or (latest.message).content ->> 'text' ~* '^\W*(blocked|blocker|stuck)\y'), false),
    case when latest.is_status then parley_private.as_note(latest.message) end,
    case when not latest.is_status then parley_private.as_note(latest.message) end
  from parley.participants p
  left join lateral (
    select m.sequence, m.nth_of_author from parley.messages m
    where m.session_id = session.id and m.posted_by = p.id and m.sequence > since_cursor
    order by m.sequence desc limit 1
  ) newest on true
  left join lateral (
    select m.nth_of_author from parley.messages m
    where m.session_id = session.id and m.posted_by = p.id and m.sequence <= since_cursor
    order by m.sequence desc limit 1
  ) before on newest.sequence is not null
  left join lateral (
    select
      max(k.messages) filter (where k.kind = 'question') as questions,
      max(k.messages) filter (where k.kind = 'answer') as answers,
      max(k.messages) filter (where k.kind = 'decision') as decisions,
      max(k.last_cursor) filter (where k.kind in ('status', 'blocked', 'blocker')) as status_cursor
    from parley_private.messages_of_note(session.id, p.id, since_cursor) k
  ) said on newest.sequence is not null
  left join lateral (
    select h.nth_of_author - coalesce((
      select o.nth_of_author from parley.session_doc_history o
      where o.session_id = session.id and o.written_by = p.id and o.version <= version_before
      order by o.version desc limit 1
    ), 0) as doc_changes
    from parley.session_doc_history h
    where h.session_id = session.id and h.written_by = p.id and h.version > version_before
    order by h.version desc limit 1
  ) wrote on true
  left join lateral (
    select m as message, said.status_cursor is not null as is_status from parley.messages m
    where m.session_id = session.id and m.sequence = coalesce(said.status_cursor, newest.sequence)
    limit 1
  ) latest on true
  where p.session_id = session.id
  order by p.id;
$$;

grant execute on function parley_private.digest_teams to parley_caller;

create or replace function parley_private.digest_doc_changes(session_id uuid, version_before integer, longest integer)
returns setof parley.doc_change
language sql stable
set search_path = ''
as $$
  select h.after_cursor, h.version, author.handle, h.size - coalesce(before.size, 0), h.written_at, h.sections
  from (
    select * from parley.session_doc_history n
    where n.session_id = digest_doc_changes.session_id and n.version > version_before
    order by n.version desc
    limit longest
  ) h
  join parley.participants author on author.session_id = h.session_id and author.id = h.written_by
  left join lateral (
    select b.size from parley.session_doc_history b where b.session_id = h.session_id and b.version = h.version - 1 limit 1
  ) before on true
  order by h.version;
$$;

grant execute on function parley_private.digest_doc_changes to parley_caller;

-- Each list holds the newest entries, oldest first; omitted counts what was left out of them. Nothing is read that is not
-- shown: what is left out is told by subtraction.
create or replace function parley_private.digest(
  session parley.sessions,
  since_cursor integer,
  unread integer,
  reader integer default null,
  items integer default null
)
returns parley.digest
language plpgsql stable
set search_path = ''
as $$
declare
  v_longest integer := coalesce(items, parley_private.setting('digest_items'));
  v_before  integer := coalesce((
    select h.version from parley.session_doc_history h
    where h.session_id = session.id and h.after_cursor < since_cursor
    order by h.after_cursor desc, h.version desc limit 1
  ), 0);
  v_digest  parley.digest;
  v_totals  parley.digest_totals;
begin
  v_digest.since_cursor := since_cursor;
  v_digest.through_cursor := session.last_sequence;
  v_digest.unread := unread;
  v_digest.items := items;
  v_digest.teams := array(select t::parley.digest_team from parley_private.digest_teams(session, since_cursor, v_before, reader) t);
  select coalesce(sum(t.messages), 0), coalesce(sum(t.decisions), 0) into v_digest.messages, v_totals.decisions
  from unnest(v_digest.teams) t;
  v_totals.events := session.last_sequence - since_cursor - v_digest.messages;
  v_totals.doc_changes := session.session_doc_version - v_before;
  v_totals.open_questions := (
    select count(*) from parley.open_questions o where o.session_id = session.id and o.sequence > since_cursor
  );
  v_digest.open_questions := array(
    select parley_private.as_open_question(q) from (
      select * from parley_private.open_questions(session.id, since_cursor) limit v_longest
    ) q
    order by q.sequence
  );
  v_digest.decisions := array(
    select parley_private.as_note(d) from (
      select * from parley.messages m
      where m.session_id = session.id and m.sequence > since_cursor and m.kind = 'decision'
      order by m.sequence desc limit v_longest
    ) d
    order by d.sequence
  );
  v_digest.doc_changes := array(
    select c::parley.doc_change from parley_private.digest_doc_changes(session.id, v_before, v_longest) c
  );
  v_digest.events := array(
    select row(e.sequence, e.content ->> 'event', e.content ->> 'handle', e.posted_at)::parley.digest_event from (
      select * from parley.messages m
      where m.session_id = session.id and m.sequence > since_cursor and m.posted_by is null
      order by m.sequence desc limit v_longest
    ) e
    order by e.sequence
  );
  v_digest.omitted := nullif(
    v_totals.open_questions + v_totals.decisions + v_totals.doc_changes + v_totals.events
    - cardinality(v_digest.open_questions) - cardinality(v_digest.decisions)
    - cardinality(v_digest.doc_changes) - cardinality(v_digest.events), 0);
  if v_digest.omitted is not null then
    v_digest.totals := v_totals;
  end if;
  return v_digest;
end;
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
      + 110 * (
        select count(*) from (
          select from parley.messages m where m.session_id = session.id and m.posted_by is null limit lists.longest
        ) event
      )
      + coalesce((
        select sum(150 + least(char_length(note.content ->> 'text'), 280))
        from (
          (select q.content from parley_private.open_questions(session.id) q limit lists.longest)
          union all
          (
            select m.content from parley.messages m
            where m.session_id = session.id and m.kind = 'decision'
            order by m.sequence desc limit lists.longest
          )
        ) note
      ), 0)
    ) / 4
  )::parley.earlier
  from (select parley_private.setting('digest_items') as longest) lists
  where session.last_sequence > 0;
$$;
--! EndIncluded private/digest.sql
--! Included private/search.sql
-- A query as a search engine takes it, once its length is known to be small. A run of dashes is no "without" of a "without":
-- the parser would go down a step for each.
create or replace function parley_private.words_to_find(query text)
returns tsquery
language plpgsql stable
set search_path = ''
as $$
declare
  v_words tsquery;
begin
  begin
    v_words := websearch_to_tsquery('pg_catalog.english', parley_private.in_parts(regexp_replace(query, '-[\s-]*-', '-', 'g')));
  exception when others then
    perform parley_private.refuse_argument('query', 'query cannot be read as a search.', 'Use words, "a phrase", or, -without.');
  end;
  if numnode(v_words) = 0 then
    perform parley_private.refuse_argument('query', 'query holds no word that could be found.', 'Use words that carry a meaning; the, of and the like are not kept.');
  end if;
  return v_words;
end;
$$;

grant execute on function parley_private.words_to_find to parley_caller;

-- A part of a name or a title to look for in many rows, in small letters: a long one would be read again for each.
create or replace function parley_private.part_to_find(field text, part text)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if char_length(part) > parley_private.setting('title_max') then
    perform parley_private.check_text(field, part, 'title_max');
  end if;
  return lower(part);
end;
$$;

grant execute on function parley_private.part_to_find to parley_caller;

-- Ranks the newest thousand that match. The end of the feed that is not indexed yet is read itself; it is short, unless
-- somebody has filled the table by hand: then its newest ten thousand.
create or replace function parley_private.search_messages(session_id uuid, words tsquery)
returns table (place text, rank real, cursor integer, message_id uuid, handle text, section text, text text, at timestamptz)
language sql stable security definer
set search_path = ''
as $$
  with hits as materialized (
    (
      select m.sequence, w.words
      from (
        select m from parley.messages m
        where m.session_id = search_messages.session_id
          and m.sequence > parley_private.indexed_through(search_messages.session_id)
        order by m.sequence desc
        limit 10000
      ) rest (m)
      cross join parley_private.words_of(rest.m) as w (words)
      cross join lateral (select (rest.m).sequence) as m (sequence)
      where w.words @@ search_messages.words
    )
    union all
    (
      -- The session is a word of the index. Named as a column too, it would be walked through from end to end.
      select w.sequence, w.words from parley_private.message_words w
      where w.words @@ (search_messages.words && quote_literal('session:' || search_messages.session_id)::tsquery)
      order by w.sequence desc
      limit 1000
    )
    order by sequence desc
    limit 1000
  )
  select 'message', ts_rank(h.words, search_messages.words), m.sequence, m.id, p.handle, null, m.content ->> 'text', m.posted_at
  from hits h
  join parley.messages m on m.session_id = search_messages.session_id and m.sequence = h.sequence
  join parley.participants p on p.session_id = m.session_id and p.id = m.posted_by;
$$;

grant execute on function parley_private.search_messages to parley_caller;

-- The document section by section, as it is now; its words are read when asked for, since every line changes it.
-- Sections are cut out by bytes: by characters each would be found by counting from the beginning. A long one is read
-- in pieces that overlap a little, since the words of one text have a limit. So is a document of more than 50,000 lines, as
-- one: it may be nothing but headings, and to look at each of half a million sections takes too long.
create or replace function parley_private.search_doc(session_id uuid, words tsquery)
returns table (place text, rank real, cursor integer, message_id uuid, handle text, section text, text text, at timestamptz)
language sql stable
set search_path = ''
as $$
  select distinct on (part.at_byte, part.title)
    'doc', ts_rank(v.words, search_doc.words), null::integer, null::uuid, null, part.title, piece.text, session.updated_at
  from parley.sessions session
  cross join parley_private.doc_text_at(session.id, session.session_doc_version) as doc
  cross join convert_to(doc, 'UTF8') as bytes
  cross join lateral (
    select o.title, o.at_byte, lead(o.at_byte, 1, length(bytes)) over (order by o.at_byte, o.title nulls first) as ends
    from (
      select null as title, 0 as at_byte
      union all
      select o.title, o.at_byte
      from parley_private.doc_outline(case when length(doc) - length(replace(doc, E'\n', '')) <= 50000 then doc else '' end) o
    ) o
  ) part
  cross join convert_from(substring(bytes from part.at_byte + 1 for part.ends - part.at_byte), 'UTF8') as whole
  cross join generate_series(1, length(whole), 50000) as start_at
  cross join substr(whole, start_at, 50200) as piece (text)
  cross join to_tsvector('pg_catalog.english', parley_private.in_parts(piece.text)) as v (words)
  where session.id = search_doc.session_id and v.words @@ search_doc.words
  order by part.at_byte, part.title, 2 desc;
$$;

grant execute on function parley_private.search_doc to parley_caller;
--! EndIncluded private/search.sql
--! Included private/handoff.sql
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
    questions parley.note[]
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
  -- What was continued goes on from its newest end, so that no work is done beside it.
  with recursive line as (
    select s.id, s.created_at from parley.sessions s where s.continues = session.id
    union
    select s.id, s.created_at from line l join parley.sessions s on s.continues = l.id
  )
  select s.* into v_newest from line l join parley.sessions s on s.id = l.id order by l.created_at desc limit 1;
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
language sql volatile
set search_path = ''
as $$
  insert into parley.sessions (ref, title, description, continues)
  values (
    parley_private.new_ref(),
    coalesce(continue_session.title, old.title),
    coalesce(continue_session.description, old.description),
    old.id)
  returning *;
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
    nullif(concat_ws(E'\n',
      parley_private.carried_part(decisions, session), parley_private.unwritten_decisions(session.id, decisions)), ''),
    '## Where the last session ended',
    parley_private.carried_part(parley_private.conclusion_of(session), session)
  ) || E'\n'
  from parley_private.doc_text_at(session.id, session.session_doc_version) as doc
  cross join parley_private.section_of(doc, 'Decisions') as decisions;
$$;

-- Writes down what the next teams should know about the session that this one continues, and how much there is to read.
create or replace function parley_private.keep_handoff(session parley.sessions)
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
    )
  )::parley.handoff)
  from parley.sessions old
  cross join parley_private.doc_text_at(old.id, old.session_doc_version) as doc
  where old.id = session.continues;
$$;

-- Null for a session that continues none.
create or replace function parley_private.handoff_of(session_id uuid)
returns parley.handoff
language sql stable
set search_path = ''
as $$
  select jsonb_populate_record(null::parley.handoff, h.handoff) from parley_private.handoffs h where h.session_id = handoff_of.session_id;
$$;
--! EndIncluded private/handoff.sql

--! Included functions/create_session.sql
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

-- Retried with its idempotency_key, it leads back to the session and the team that it made.
create or replace function parley.create_session(title text, description text, creator_team_name text, idempotency_key text default null)
returns parley.created_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key         bytea;
  v_fingerprint bytea;
  v_session     parley.sessions;
  v_team        record;
begin
  perform parley_private.check_text('title', title, 'title_max');
  perform parley_private.check_text('description', description, 'description_max', may_be_blank => true);
  perform parley_private.check_text('creator_team_name', creator_team_name, 'team_name_max');
  perform parley_private.check_key('idempotency_key', idempotency_key);
  v_fingerprint := parley_private.fingerprint_of(title, description, creator_team_name);
  v_key := parley_private.take_team_key('create_session', null, idempotency_key);

  v_team := parley_private.team_again(v_key, v_fingerprint);
  if v_team.team_id is null then
    insert into parley.sessions (ref, title, description)
    values (parley_private.new_ref(), title, description)
    returning * into v_session;
    v_team := parley_private.admit_team(v_session.id, creator_team_name);
    perform parley_private.keep_team_key(v_key, v_fingerprint, v_session.id, v_team.participant_id);
  else
    select * into v_session from parley.sessions s where s.id = v_team.session_id;
  end if;

  return row(
    v_session.id,
    v_session.ref,
    parley_private.public_url() || '/s/' || v_session.ref,
    v_team.team_id,
    v_team.handle,
    (select p.cursor from parley.participants p where p.session_id = v_session.id and p.id = v_team.participant_id),
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
@param title The topic.
@param description The goal; may be empty.
@param creator_team_name Who you are.
@param idempotency_key Random secret; repeat it to retry.
Create a session and join it. Keep the team_id, your secret; hand the ref to the other teams.
$$;
--! EndIncluded functions/create_session.sql
--! Included functions/join_session.sql
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
    doc_version integer,
    unread integer,
    handoff parley.handoff,
    earlier parley.earlier
  );
exception when duplicate_object then null;
end $$;
comment on column parley.joined_session.team_id is 'The secret of this team in this session. It is shown once.';
comment on column parley.joined_session.participants is '@notNull';
comment on column parley.joined_session.cursor is 'Where to start waiting from.';
comment on column parley.joined_session.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.joined_session.handoff is '@optional
The session that this one continues.';
comment on column parley.joined_session.earlier is '@optional
What was said before you came: get_digest has it in short, get_history in full.';

create or replace function parley.join_session(
  session_id text,
  team_name text,
  replay_from integer default null,
  idempotency_key text default null
)
returns parley.joined_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key         bytea;
  v_fingerprint bytea;
  v_session     parley.sessions;
  v_seen        integer;
  v_roster      parley.roster_entry[];
  v_team        record;
  v_cursor      integer;
  v_caller      parley.participants;
begin
  perform parley_private.check_text('team_name', team_name, 'team_name_max');
  perform parley_private.check_cursor('replay_from', replay_from);
  perform parley_private.check_key('idempotency_key', idempotency_key);
  v_fingerprint := parley_private.fingerprint_of(team_name, replay_from::text);
  v_session := parley_private.find_session(session_id);
  -- Before the lock, since it may be long: those who come or go meanwhile are looked up again under it.
  select s.last_sequence, parley_private.roster(s.id, null) into v_seen, v_roster from parley.sessions s where s.id = v_session.id;
  select * into v_session from parley.sessions s where s.id = v_session.id for no key update;
  v_key := parley_private.take_team_key('join_session', v_session.id, idempotency_key);

  v_team := parley_private.team_again(v_key, v_fingerprint);
  if v_team.team_id is null then
    perform parley_private.refuse_if_closed(v_session);
    perform parley_private.check_not_ahead('replay_from', replay_from, v_session.last_sequence);
    v_team := parley_private.admit_team(v_session.id, team_name);
    perform parley_private.keep_team_key(v_key, v_fingerprint, v_session.id, v_team.participant_id);
    v_cursor := parley_private.announce(
      v_session.id, 'team_joined', jsonb_build_object('team', team_name, 'handle', v_team.handle));
    v_cursor := coalesce(replay_from, v_cursor);
    update parley.participants p set cursor = v_cursor, started_from = v_cursor
    where p.session_id = v_session.id and p.id = v_team.participant_id;
  end if;
  select * into v_caller from parley.participants p where p.session_id = v_session.id and p.id = v_team.participant_id;

  return row(
    v_session.id,
    v_session.ref,
    v_team.team_id,
    v_team.handle,
    v_caller.cursor,
    parley_private.roster_since(v_roster, v_seen, v_caller),
    v_session.title,
    v_session.description,
    v_session.session_doc_version,
    parley_private.unread(v_caller),
    parley_private.handoff_of(v_session.id),
    parley_private.earlier(v_session)
  )::parley.joined_session;
end;
$$;

grant execute on function parley.join_session to parley_caller;

comment on function parley.join_session is $$
@verb POST /sessions/{session_id}/join
@who open
@toolset core
@clamped
@param session_id Its ref, e.g. calm-otter-17.
@param team_name Who you are.
@param replay_from Cursor to read from; 0: all. Default: now.
@param idempotency_key Random secret; repeat it to retry.
Join a session by its ref. Keep the team_id, your secret here; then wait_for_messages from the cursor.
$$;
--! EndIncluded functions/join_session.sql
--! Included functions/leave_session.sql
do $$
begin
  create type parley.left_session as (session_id uuid, handle text, left_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.left_session.unread is 'Messages of others that no answer has handed to you yet.';

-- The row stays, so that the history keeps its names; the credential is dead from here on.
create or replace function parley.leave_session(session_id text)
returns parley.left_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat   parley_private.seat := parley_private.lock_seat(session_id, even_if_closed => true);
  v_caller parley.participants := v_seat.participant;
begin
  update parley.participants p set left_at = clock_timestamp(), known_status = 'disconnected'
  where p.session_id = v_caller.session_id and p.id = v_caller.id
  returning * into v_caller;

  if (v_seat.session).status = 'active' then
    perform parley_private.announce(v_caller.session_id, 'team_left',
      jsonb_build_object('team', v_caller.team_name, 'handle', v_caller.handle));
  end if;
  return row(v_caller.session_id, v_caller.handle, v_caller.left_at, parley_private.unread(v_caller))::parley.left_session;
end;
$$;

grant execute on function parley.leave_session to parley_caller;

comment on function parley.leave_session is $$
@verb POST /sessions/{session_id}/leave
@who team
@toolset core
Leave for good; your team_id stops working.
$$;
--! EndIncluded functions/leave_session.sql
--! Included functions/list_participants.sql
do $$
begin
  create type parley.roster as (participants parley.roster_entry[], unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.roster.participants is '@notNull';
comment on column parley.roster.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley.list_participants(session_id text)
returns parley.roster
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller parley.participants := (parley_private.take_seat(session_id, to_read => true)).participant;
begin
  return row(parley_private.roster(v_caller.session_id, v_caller.id), parley_private.unread(v_caller))::parley.roster;
end;
$$;

grant execute on function parley.list_participants to parley_caller;

comment on function parley.list_participants is $$
@verb GET /sessions/{session_id}/participants
@who team
@toolset core
@readonly
Who is here, and who is listening.
$$;
--! EndIncluded functions/list_participants.sql
--! Included functions/get_session.sql
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
    url text,
    continues text,
    continued_by text[],
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.session_details.convener is 'The handle of the team that created the session.';
comment on column parley.session_details.url is 'The page where people watch the session.';
comment on column parley.session_details.continues is '@optional
The ref of the session that this one picks up.';
comment on column parley.session_details.continued_by is '@optional
The refs of the sessions that pick this one up.';
comment on column parley.session_details.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley.get_session(session_id text)
returns parley.session_details
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller  parley.participants := (parley_private.take_seat(session_id, to_read => true)).participant;
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
    parley_private.public_url() || '/s/' || s.ref,
    (select o.ref from parley.sessions o where o.id = s.continues),
    (select array_agg(o.ref order by o.created_at) from parley.sessions o where o.continues = s.id),
    parley_private.unread(v_caller)
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
Title, status, newest cursor, document version.
$$;
--! EndIncluded functions/get_session.sql
--! Included functions/wait_for_messages.sql
-- Answers at once in SQL; the waiting is done by the server, without a connection (private/waiting.sql).
-- The cursor that a team presents is what it has confirmed, so it is stored, never backwards.
create or replace function parley.wait_for_messages(
  session_id text,
  since_cursor integer default null,
  timeout double precision default null,
  "full" boolean default false,
  include_self boolean default false
)
returns parley.wait_answer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_session parley.sessions;
  v_since   integer;
  v_seconds double precision;
  v_options jsonb;
begin
  perform parley_private.check_cursor('since_cursor', since_cursor);
  if timeout < 0 then
    perform parley_private.refuse_argument('timeout', 'timeout must be 0 or more seconds.');
  end if;
  perform parley_private.write_presence_only();
  v_seat := parley_private.take_seat(session_id);
  v_caller := v_seat.participant;
  v_session := v_seat.session;
  perform parley_private.check_not_ahead('since_cursor', since_cursor, v_session.last_sequence);

  v_since := coalesce(since_cursor, v_caller.cursor);
  v_seconds := least(coalesce(timeout, 'Infinity'), parley_private.setting('wait_max_seconds'));
  v_options := jsonb_strip_nulls(jsonb_build_object(
    'full', nullif("full", false),
    'include_self', nullif(include_self, false),
    'skipped', parley_private.skipped(v_caller, v_since)));

  if v_seconds > 0 and v_session.status = 'active' and not parley_private.has_messages_after(v_session, v_since, v_caller, include_self) then
    perform parley_private.confirm(v_caller, v_since);
    perform parley_private.hold(v_caller, v_since, v_seconds,
      options => case when v_options <> '{}' then v_options || '{"poll": true}' end);
    return parley_private.wait_answer(
      v_session, v_since, row('{}'::integer[], v_session.last_sequence, false)::parley_private.page, v_caller, v_caller.empty_polls, 0);
  end if;
  return parley_private.hear(v_caller, v_session, v_since, v_options || '{"poll": true}');
end;
$$;

grant execute on function parley.wait_for_messages to parley_caller;

comment on function parley.wait_for_messages is $$
@verb GET /sessions/{session_id}/messages/wait
@who team
@toolset core
@clamped
@blocking
@idempotent
@param since_cursor The last next_cursor.
@param timeout Seconds, at most 30.
@param full Whole texts.
@param include_self Your own messages too.
Block until someone else speaks or the time is over. Call it in a loop, with next_cursor, until closed; when idle, stop and tell your human.
$$;
--! EndIncluded functions/wait_for_messages.sql
--! Included functions/post_message.sql
do $$
begin
  create type parley.posted_message as (message_id uuid, cursor integer, at timestamptz, unread integer, not_listening text[]);
exception when duplicate_object then null;
end $$;
comment on column parley.posted_message.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.posted_message.not_listening is '@optional
Those it is meant for who are not there to hear it now.';

create or replace function parley.post_message(
  session_id text,
  content jsonb,
  type text default 'chat',
  kind text default null,
  reply_to parley.message_ref default null,
  "to" text[] default null,
  expects_reply boolean default null,
  metadata jsonb default null,
  client_message_id text default null,
  expected_cursor integer default null
)
returns parley.posted_message
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_draft   parley_private.draft := row(null, kind, reply_to, "to", expects_reply, metadata, client_message_id);
  v_seat    parley_private.seat;
  v_message parley.messages;
begin
  if type is distinct from 'chat' then
    perform parley_private.fail(400, 'system_type_forbidden', 'Only chat messages can be posted; other types are written by the server.',
      'Leave type out, or send "chat".', jsonb_build_object('field', 'type'));
  end if;
  v_draft := parley_private.check_draft('', v_draft, content);
  if expected_cursor is not null then
    perform parley_private.check_cursor('expected_cursor', expected_cursor);
  end if;

  v_seat := parley_private.lock_seat(session_id, even_if_closed => true);
  v_message := parley_private.post_draft(v_seat, v_draft, expected_cursor => expected_cursor);
  return row(
    v_message.id,
    v_message.sequence,
    v_message.posted_at,
    case when v_message.sequence > (v_seat.session).last_sequence
      then parley_private.unread_after_posting(v_seat.participant, v_message)
      else parley_private.unread(v_seat.participant)
    end,
    case when v_message.expects_reply or v_message.addressed_to is not null
      then parley_private.not_listening(v_seat.participant, v_message.addressed_to)
    end
  )::parley.posted_message;
end;
$$;

grant execute on function parley.post_message to parley_caller;

comment on function parley.post_message is $$
@verb POST /sessions/{session_id}/messages
@who team
@toolset core
@clamped
@param content Markdown.
@schema content {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}]}
@param type Only chat.
@param kind question, answer, decision, status …
@param reply_to message_id or cursor.
@param to Handles; everyone still sees it.
@param expects_reply Default: for a question.
@param metadata For programs.
@schema metadata {"type": "object"}
@param client_message_id Repeat to retry safely.
@param expected_cursor Newest cursor seen: refused if others spoke since.
Post a message. Whoever waits gets it at once.
$$;
--! EndIncluded functions/post_message.sql
--! Included functions/get_history.sql
do $$
begin
  create type parley.history_page as (messages parley.feed_message[], next_cursor integer, has_more boolean, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.history_page.messages is '@notNull';
comment on column parley.history_page.next_cursor is 'The before_cursor of the next older page; null at the beginning.';
comment on column parley.history_page.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley.get_history(session_id text, before_cursor integer default null, "limit" integer default 100, "full" boolean default false)
returns parley.history_page
language plpgsql stable
set search_path = ''
as $$
declare
  v_limit   integer := case when "limit" > 500 then 100 else coalesce("limit", 100) end;
  v_cut     integer := case when not "full" then parley_private.setting('list_text_max') end;
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_through integer;
  v_after   integer;
begin
  perform parley_private.check_cursor('before_cursor', before_cursor);
  if v_limit < 1 then
    perform parley_private.refuse_argument('limit', 'limit must be 1 or more.');
  end if;
  v_seat := parley_private.take_seat(session_id, to_read => true);
  v_caller := v_seat.participant;

  v_through := least((v_seat.session).last_sequence, before_cursor - 1);
  v_after := parley_private.page_before(v_caller.session_id, v_through, v_limit, v_cut);
  return row(
    parley_private.read_feed(v_caller.session_id, v_after, v_through, v_caller.id, v_cut, receipts => true),
    case when v_after > 0 then v_after + 1 end,
    v_after > 0,
    parley_private.unread(v_caller)
  )::parley.history_page;
end;
$$;

grant execute on function parley.get_history to parley_caller;

comment on function parley.get_history is $$
@verb GET /sessions/{session_id}/messages
@who team
@toolset core
@clamped
@readonly
@param before_cursor Default: the end.
@param limit Default 100.
@param full Whole texts.
Older messages, page by page.
$$;
--! EndIncluded functions/get_history.sql
--! Included functions/read_session_doc.sql
do $$
begin
  create type parley.session_doc as (content text, version integer, updated_at timestamptz, updated_by text, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.session_doc.updated_by is 'The handle of the team that wrote this version.';
comment on column parley.session_doc.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley.read_session_doc(session_id text, version integer default null)
returns parley.session_doc
language plpgsql stable
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_current integer;
  v_doc     parley.session_doc;
begin
  if version < 0 then
    perform parley_private.refuse_argument('version', 'version must be 0 or more.');
  end if;
  v_seat := parley_private.take_seat(session_id, to_read => true);
  v_caller := v_seat.participant;
  v_current := (v_seat.session).session_doc_version;
  if version > v_current then
    perform parley_private.fail(404, 'version_not_found', format('The document has no version %s.', version),
      'Leave version out to read the newest.', jsonb_build_object('current_version', v_current));
  end if;
  v_current := coalesce(version, v_current);

  select parley_private.doc_text_at(v_caller.session_id, v_current), v_current, h.written_at, author.handle,
    parley_private.unread(v_caller)
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
@clamped
@readonly
@param version An older one.
The shared markdown document and its version.
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
  perform parley_private.check_doc_size('content', octet_length(content));
  perform parley_private.refuse_secrets('content', content);

  v_caller := (parley_private.lock_seat(session_id)).participant;
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
  return row(v_written.version, v_written.written_at, parley_private.unread(v_caller))::parley.written_doc;
end;
$$;

grant execute on function parley.update_session_doc to parley_caller;

comment on function parley.update_session_doc is $$
@verb POST /sessions/{session_id}/doc
@who team
@toolset core
@clamped
@param content All of it.
@param expected_version The version you changed.
Replace the document. On version_conflict read again, merge, retry.
$$;
--! EndIncluded functions/update_session_doc.sql
--! Included functions/append_to_session_doc.sql
create or replace function parley.append_to_session_doc(
  session_id text,
  text text,
  section text default null,
  idempotency_key text default null
)
returns parley.written_doc
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_section     text;
  v_fingerprint bytea;
  v_seat        parley_private.seat;
  v_caller      parley.participants;
  v_before      record;
  v_written     parley.session_doc_history;
begin
  perform parley_private.check_text('text', append_to_session_doc.text, 'append_max');
  if section is not null then
    perform parley_private.check_text('section', section, 'title_max');
    v_section := trim(regexp_replace(section, '^\s*#{1,6}\s+|\s+#+\s*$', '', 'g'));
    perform parley_private.check_text('section', v_section, 'title_max');
    if v_section ~ '[\r\n]' then
      perform parley_private.refuse_argument('section', 'section must be the title of a section, on one line.');
    end if;
  end if;
  perform parley_private.check_key('idempotency_key', idempotency_key);
  v_seat := parley_private.lock_seat(session_id, even_if_closed => true);
  v_caller := v_seat.participant;

  v_fingerprint := sha256(convert_to(jsonb_build_array(append_to_session_doc.text, v_section)::text, 'UTF8'));
  select k.fingerprint, h.version, h.written_at into v_before
  from parley_private.doc_keys k join parley.session_doc_history h on h.session_id = k.session_id and h.version = k.version
  where k.session_id = v_caller.session_id and k.participant_id = v_caller.id and k.key = idempotency_key;
  if found then
    if v_before.fingerprint <> v_fingerprint then
      perform parley_private.refuse_other_content('idempotency_key', idempotency_key, jsonb_build_object('version', v_before.version));
    end if;
    return row(v_before.version, v_before.written_at, parley_private.unread(v_caller))::parley.written_doc;
  end if;
  perform parley_private.refuse_if_closed(v_seat.session);

  if v_section is null then
    v_written := parley_private.append_to_doc(v_caller, append_to_session_doc.text);
  else
    v_written := parley_private.append_to_section(v_caller, v_section, append_to_session_doc.text);
  end if;
  if idempotency_key is not null then
    insert into parley_private.doc_keys (session_id, participant_id, key, version, fingerprint)
    values (v_caller.session_id, v_caller.id, idempotency_key, v_written.version, v_fingerprint);
  end if;
  return row(v_written.version, v_written.written_at, parley_private.unread(v_caller))::parley.written_doc;
end;
$$;

grant execute on function parley.append_to_session_doc to parley_caller;

comment on function parley.append_to_session_doc is $$
@verb POST /sessions/{session_id}/doc/append
@who team
@toolset core
@param text Markdown.
@param section E.g. Decisions; made if missing.
@param idempotency_key Repeat to retry safely.
Add to the document, without conflicts.
$$;
--! EndIncluded functions/append_to_session_doc.sql
--! Included functions/update_session_metadata.sql
do $$
begin
  create type parley.updated_metadata as (title text, description text, updated_at timestamptz, changes jsonb, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.updated_metadata.unread is 'Messages of others that no answer has handed to you yet.';

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
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_old     parley.sessions;
  v_new     parley.sessions;
  v_changes jsonb;
  v_told    jsonb;
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

  v_seat := parley_private.lock_seat(session_id);
  v_caller := v_seat.participant;
  v_old := v_seat.session;
  -- The feed tells it in short: everyone reads it there, and get_session has the whole.
  select
    coalesce(jsonb_object_agg(change.name, jsonb_build_object('from', change.old, 'to', change.new)), '{}'),
    jsonb_object_agg(change.name, jsonb_build_object(
      'from', parley_private.shortened(change.old), 'to', parley_private.shortened(change.new)))
  into v_changes, v_told
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
    jsonb_build_object('by', v_caller.team_name, 'handle', v_caller.handle, 'changes', v_told, 'reason', reason));

  return row(v_new.title, v_new.description, v_new.updated_at, v_changes, parley_private.unread(v_caller))::parley.updated_metadata;
end;
$$;

grant execute on function parley.update_session_metadata to parley_caller;

comment on function parley.update_session_metadata is $$
@verb POST /sessions/{session_id}/metadata
@who team
@toolset core
@param reason Why; everyone reads it.
@param title New one.
@param description New one.
Change title or description when the scope changes.
$$;
--! EndIncluded functions/update_session_metadata.sql
--! Included functions/conclude_session.sql
do $$
begin
  create type parley.concluded_session as (session_id uuid, status text, closed_at timestamptz, doc_version integer, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.concluded_session.unread is 'Messages of others that no answer has handed to you yet.';

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
  v_doc     bytea;
  v_written parley.session_doc_history;
begin
  perform parley_private.check_text('summary_section', summary_section, 'summary_max');
  v_caller := (parley_private.lock_seat(session_id, even_if_closed => true)).participant;

  update parley.sessions s set
    status = 'closed',
    closed_at = coalesce(s.closed_at, clock_timestamp()),
    version_before_close = coalesce(s.version_before_close, s.session_doc_version)
  where s.id = v_caller.session_id
  returning * into v_session;

  v_doc := convert_to(parley_private.with_conclusion(
    parley_private.doc_text_at(v_session.id, v_session.version_before_close), summary_section), 'UTF8');
  perform parley_private.check_doc_size('summary_section', length(v_doc), room => 4096);
  v_written := parley_private.write_doc(v_caller, parley_private.doc_at(v_session.id, v_session.session_doc_version), v_doc);
  perform parley_private.announce(v_session.id, 'session_concluded',
    jsonb_build_object('by', v_caller.team_name, 'handle', v_caller.handle, 'doc_version', v_written.version));

  return row(v_session.id, v_session.status, v_session.closed_at, v_written.version, parley_private.unread(v_caller))::parley.concluded_session;
end;
$$;

grant execute on function parley.conclude_session to parley_caller;

comment on function parley.conclude_session is $$
@verb POST /sessions/{session_id}/conclude
@who team
@toolset core
@param summary_section What was decided, done, and is left.
Close the session for everyone; the summary goes under ## Conclusion in the document.
$$;
--! EndIncluded functions/conclude_session.sql
--! Included functions/resume_session.sql
do $$
begin
  create type parley.resumed_session as (
    session_id uuid,
    ref text,
    url text,
    team_id text,
    handle text,
    cursor integer,
    title text,
    description text,
    doc_version integer,
    handoff parley.handoff
  );
exception when duplicate_object then null;
end $$;
comment on column parley.resumed_session.team_id is 'The secret of this team in this session. It is shown once.';
comment on column parley.resumed_session.doc_version is 'The document starts with what the old one left.';

-- Continues a concluded session in a new one: linked both ways, its document starting from what was left.
create or replace function parley.resume_session(
  session_id text,
  team_name text,
  title text default null,
  description text default null,
  idempotency_key text default null
)
returns parley.resumed_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key         bytea;
  v_fingerprint bytea;
  v_old         parley.sessions;
  v_session     parley.sessions;
  v_team        record;
  v_caller      parley.participants;
begin
  perform parley_private.check_text('team_name', team_name, 'team_name_max');
  if title is not null then
    perform parley_private.check_text('title', title, 'title_max');
  end if;
  if description is not null then
    perform parley_private.check_text('description', description, 'description_max', may_be_blank => true);
  end if;
  perform parley_private.check_key('idempotency_key', idempotency_key);
  v_fingerprint := parley_private.fingerprint_of(team_name, title, description);
  v_old := parley_private.find_session(session_id);
  -- The lock makes two teams that resume the same session meet in one.
  select * into v_old from parley.sessions s where s.id = v_old.id for no key update;
  v_key := parley_private.take_team_key('resume_session', v_old.id, idempotency_key);

  v_team := parley_private.team_again(v_key, v_fingerprint);
  if v_team.team_id is null then
    perform parley_private.refuse_if_not_resumable(v_old);
    v_session := parley_private.continue_session(v_old, title, description);
    v_team := parley_private.admit_team(v_session.id, team_name);
    perform parley_private.keep_team_key(v_key, v_fingerprint, v_session.id, v_team.participant_id);
    select * into v_caller from parley.participants p where p.session_id = v_session.id and p.id = v_team.participant_id;
    perform parley_private.write_doc(v_caller, '', convert_to(parley_private.carried_over(v_old), 'UTF8'));
    perform parley_private.keep_handoff(v_session);
  else
    select * into v_caller from parley.participants p where p.session_id = v_team.session_id and p.id = v_team.participant_id;
  end if;
  select * into v_session from parley.sessions s where s.id = v_caller.session_id;

  return row(
    v_session.id,
    v_session.ref,
    parley_private.public_url() || '/s/' || v_session.ref,
    v_team.team_id,
    v_team.handle,
    v_caller.cursor,
    v_session.title,
    v_session.description,
    v_session.session_doc_version,
    parley_private.handoff_of(v_session.id)
  )::parley.resumed_session;
end;
$$;

grant execute on function parley.resume_session to parley_caller;

comment on function parley.resume_session is $$
@verb POST /sessions/{session_id}/resume
@who open
@toolset sessions
@param session_id The ref of the concluded session.
@param team_name Who you are.
@param title Default: as before.
@param description Default: as before.
@param idempotency_key Random secret; repeated: the same team again.
Go on where a concluded session ended, in a new one: its document starts with the goals, decisions and conclusion, handoff tells the rest. Keep the team_id.
$$;
--! EndIncluded functions/resume_session.sql
--! Included functions/list_sessions.sql
do $$
begin
  create type parley.session_summary as (
    session_id uuid,
    ref text,
    title text,
    description text,
    status text,
    teams integer,
    last_cursor integer,
    doc_version integer,
    last_activity_at timestamptz,
    continues text
  );
exception when duplicate_object then null;
end $$;
comment on column parley.session_summary.continues is '@optional
The ref of the session that it picks up.';

do $$
begin
  create type parley.session_list as (sessions parley.session_summary[], has_more boolean);
exception when duplicate_object then null;
end $$;

create or replace function parley.list_sessions(status text default null, text text default null, "limit" integer default 20)
returns parley.session_list
language plpgsql stable
set search_path = ''
as $$
declare
  v_limit    integer := least(coalesce("limit", 20), 100);
  v_sessions parley.session_summary[];
begin
  if list_sessions.status not in ('active', 'closed') then
    perform parley_private.refuse_argument('status', 'status must be active or closed.', 'Leave it out to see both.');
  elsif v_limit < 1 then
    perform parley_private.refuse_argument('limit', 'limit must be 1 or more.');
  end if;
  perform parley_private.part_to_find('text', list_sessions.text);

  v_sessions := array(
    select row(
      s.id,
      s.ref,
      s.title,
      parley_private.shortened(s.description),
      s.status,
      (select count(*) from parley.participants p where p.session_id = s.id and p.left_at is null),
      s.last_sequence,
      s.session_doc_version,
      parley.sessions_last_activity_at(s),
      (select o.ref from parley.sessions o where o.id = s.continues)
    )::parley.session_summary
    from parley.find_sessions(list_sessions.status, list_sessions.text) s
    limit v_limit + 1
  );
  return row(v_sessions[:v_limit], cardinality(v_sessions) > v_limit)::parley.session_list;
end;
$$;

grant execute on function parley.list_sessions to parley_caller;

comment on function parley.list_sessions is $$
@verb GET /sessions
@who open
@toolset sessions
@clamped
@readonly
@param status active or closed; default both.
@param text To be found in ref, title or description.
@param limit At most 100; default 20.
Sessions to join or to resume, the latest activity first.
$$;
--! EndIncluded functions/list_sessions.sql
--! Included functions/whoami.sql
do $$
begin
  create type parley.own_state as (
    session_id uuid,
    ref text,
    title text,
    description text,
    status text,
    handle text,
    team_name text,
    convener boolean,
    cursor integer,
    acked_cursor integer,
    last_cursor integer,
    doc_version integer,
    open_questions parley.note[],
    url text,
    unread integer,
    unconfirmed integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.own_state.convener is 'Whether your team created the session.';
comment on column parley.own_state.open_questions is 'Questions to you or to everybody that wait for an answer, newest first.';
comment on column parley.own_state.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.own_state.unconfirmed is 'Messages of others that were handed to you, but never confirmed by a cursor: they come again from your stored cursor.';

-- What an agent needs that has lost its context but not its team_id: a credential belongs to one session.
create or replace function parley.whoami(session_id text default null)
returns parley.own_state
language plpgsql stable
set search_path = ''
as $$
declare
  v_seat    parley_private.seat := case
    when session_id is null then parley_private.find_seat()
    else parley_private.take_seat(session_id, to_read => true)
  end;
  v_caller  parley.participants := v_seat.participant;
  v_session parley.sessions := v_seat.session;
begin
  return row(
    v_session.id,
    v_session.ref,
    v_session.title,
    v_session.description,
    v_session.status,
    v_caller.handle,
    v_caller.team_name,
    coalesce(v_caller.id = v_session.created_by, false),
    v_caller.cursor,
    v_caller.acked_cursor,
    v_session.last_sequence,
    v_session.session_doc_version,
    array(
      select parley_private.as_note(q) from parley_private.open_questions_to(v_caller) q
      limit parley_private.setting('digest_items')
    ),
    parley_private.public_url() || '/s/' || v_session.ref,
    parley_private.unread(v_caller),
    parley_private.unread(v_caller, v_caller.cursor) - parley_private.unread(v_caller)
  )::parley.own_state;
end;
$$;

grant execute on function parley.whoami to parley_caller;

comment on function parley.whoami is $$
@verb GET /whoami
@verb GET /sessions/{session_id}/whoami
@who team
@toolset reading
@readonly
@param session_id May be left out: your team_id tells.
After losing your context: who you are, in which session, your cursor, what is unread or unconfirmed, and which questions wait for you.
$$;
--! EndIncluded functions/whoami.sql
--! Included functions/sync.sql
-- One call for a whole turn: says what the team has to say, hands over what it has not heard, and waits if asked to.
-- An outbox is posted whole or not at all. As with a wait, the cursor moves when the next one is presented and never with
-- the answer, which may get lost: then the same comes again.
create or replace function parley.sync(
  session_id text,
  outbox jsonb default '[]',
  since_cursor integer default null,
  timeout double precision default 0,
  max_items integer default 50,
  include_self boolean default false,
  auto_advance boolean default true,
  ack_through integer default null,
  "full" boolean default false
)
returns parley.synced
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_drafts  parley_private.draft[];
  v_max     integer := least(max_items, 500);
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_session parley.sessions;
  v_since   integer;
  v_sent    jsonb := '[]';
  v_options jsonb;
  v_seconds double precision;
begin
  perform parley_private.check_cursor('since_cursor', since_cursor);
  perform parley_private.check_cursor('ack_through', ack_through);
  if timeout < 0 then
    perform parley_private.refuse_argument('timeout', 'timeout must be 0 or more seconds.');
  elsif max_items < 1 then
    perform parley_private.refuse_argument('max_items', 'max_items must be 1 or more.');
  end if;
  v_drafts := parley_private.read_outbox(outbox);

  if cardinality(v_drafts) > 0 then
    v_seat := parley_private.lock_seat(session_id, even_if_closed => true);
    v_sent := parley_private.post_outbox(v_seat, v_drafts);
    select s into v_seat.session from parley.sessions s where s.id = (v_seat.session).id;
  else
    v_seat := parley_private.take_seat(session_id);
    -- A receipt is worth a flush to disk; presence is not.
    if ack_through is null then
      perform parley_private.write_presence_only();
    end if;
  end if;
  v_session := v_seat.session;
  perform parley_private.check_not_ahead('since_cursor', since_cursor, v_session.last_sequence);
  v_caller := case when ack_through is null then v_seat.participant else parley_private.ack(v_seat, 'ack_through', ack_through) end;

  v_since := coalesce(since_cursor, v_caller.cursor);
  v_options := jsonb_build_object(
    'max_items', v_max,
    'include_self', include_self,
    'peek', auto_advance is false,
    'full', "full",
    'skipped', parley_private.skipped(v_caller, v_since),
    'sent', v_sent);
  v_seconds := least(timeout, parley_private.setting('wait_max_seconds'));

  if v_seconds > 0 and v_session.status = 'active' and not parley_private.has_messages_after(v_session, v_since, v_caller, include_self) then
    perform parley_private.hold(v_caller, v_since, v_seconds, 'sync', v_options || '{"poll": true}');
  end if;
  return parley_private.synced(
    parley_private.hear(v_caller, v_session, v_since, v_options || jsonb_build_object('spoke', v_sent <> '[]')), v_session, v_options);
end;
$$;

grant execute on function parley.sync to parley_caller;

comment on function parley.sync is $$
@verb POST /sessions/{session_id}/sync
@who team
@toolset reading
@clamped
@blocking
@param outbox Messages to post: strings or objects with the arguments of post_message.
@schema outbox {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"content": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}]}, "kind": {"type": "string"}, "reply_to": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "to": {"type": "array", "items": {"type": "string"}}, "expects_reply": {"type": "boolean"}, "metadata": {"type": "object", "properties": {"url": {"type": "string"}}}, "client_message_id": {"type": "string"}}, "required": ["content"]}]}}
@param since_cursor Default: your stored cursor.
@param timeout Seconds to wait for others, at most 30; default 0.
@param max_items At most 500; default 50.
@param include_self Your own messages too.
@param auto_advance False: since_cursor is not stored as yours.
@param ack_through Tell the others that you have read up to here.
@param full Whole texts.
Post and receive in one call: sent, then messages of others since your cursor. Present next_cursor next time: until then the same come again.
$$;
--! EndIncluded functions/sync.sql
--! Included functions/wait_for_reply.sql
create or replace function parley.wait_for_reply(session_id text, message_id parley.message_ref, timeout double precision default null, "all" boolean default false)
returns parley.replies
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat     parley_private.seat;
  v_caller   parley.participants;
  v_session  parley.sessions;
  v_reply_to integer;
  v_seconds  double precision;
begin
  if timeout < 0 then
    perform parley_private.refuse_argument('timeout', 'timeout must be 0 or more seconds.');
  end if;
  perform parley_private.check_message_ref('message_id', message_id);
  perform parley_private.write_presence_only();
  v_seat := parley_private.take_seat(session_id);
  v_caller := v_seat.participant;
  v_session := v_seat.session;
  v_reply_to := parley_private.find_message(v_caller.session_id, message_id);
  v_seconds := least(coalesce(timeout, 'Infinity'), parley_private.setting('wait_max_seconds'));

  if v_session.status = 'active' and not parley_private.has_reply(v_session.id, v_reply_to, v_caller.id, coalesce("all", false)) then
    perform parley_private.hold(v_caller, v_session.last_sequence, v_seconds, 'wait_for_reply', jsonb_build_object('reply_to', v_reply_to, 'all', coalesce("all", false)));
  end if;
  return parley_private.replies(v_caller, v_session, v_reply_to);
end;
$$;

grant execute on function parley.wait_for_reply to parley_caller;

comment on function parley.wait_for_reply is $$
@verb GET /sessions/{session_id}/messages/{message_id}/replies
@who team
@toolset reading
@blocking
@idempotent
@param message_id A message_id or a cursor.
@param timeout Seconds; at most 30, the default.
@param all Until each team that was asked has answered.
Block until another team replies to a message or the time is over (messages: []). Your cursor stays where it is.
$$;
--! EndIncluded functions/wait_for_reply.sql
--! Included functions/withdraw_question.sql
do $$
begin
  create type parley.withdrawn_question as (message_id uuid, cursor integer, at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.withdrawn_question.at is 'When it was withdrawn.';
comment on column parley.withdrawn_question.unread is 'Messages of others that no answer has handed to you yet.';

-- The feed is never changed: that a question was withdrawn is told by a message of the server that replies to it.
create or replace function parley.withdraw_question(session_id text, message parley.message_ref)
returns parley.withdrawn_question
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat      parley_private.seat;
  v_caller    parley.participants;
  v_cursor    integer;
  v_question  parley.messages;
  v_withdrawn parley.messages;
begin
  if message is null then
    perform parley_private.refuse_argument('message', 'message is required.');
  end if;
  perform parley_private.check_message_ref('message', message);
  v_seat := parley_private.lock_seat(session_id, even_if_closed => true);
  v_caller := v_seat.participant;
  v_cursor := parley_private.find_message(v_caller.session_id, message, 'message');
  select * into v_question from parley.messages m where m.session_id = v_caller.session_id and m.sequence = v_cursor;
  if not v_question.expects_reply then
    perform parley_private.refuse_argument('message', format('Message %s is no question.', v_question.sequence),
      'Give the message_id or the cursor of a question that you have asked.');
  elsif v_question.posted_by <> v_caller.id then
    perform parley_private.fail(403, 'forbidden', 'Only the team that asked a question can withdraw it.',
      'Answer it instead: post_message with kind answer and reply_to.');
  end if;

  select * into v_withdrawn from parley.messages m
  where m.session_id = v_caller.session_id and m.reply_to = v_question.sequence and m.posted_by is null;
  if not found then
    perform parley_private.refuse_if_closed(v_seat.session);
    v_withdrawn := parley_private.append_message(
      v_caller.session_id, null, 'system',
      jsonb_build_object(
        'event', 'question_withdrawn', 'by', v_caller.team_name, 'handle', v_caller.handle, 'cursor', v_question.sequence),
      reply_to => v_question.sequence);
  end if;
  return row(v_question.id, v_question.sequence, v_withdrawn.posted_at, parley_private.unread(v_caller))::parley.withdrawn_question;
end;
$$;

grant execute on function parley.withdraw_question to parley_caller;

comment on function parley.withdraw_question is $$
@verb POST /sessions/{session_id}/messages/{message}/withdraw
@who team
@toolset reading
@idempotent
@param message Its message_id or cursor.
Withdraw a question of yours: it is no longer open.
$$;
--! EndIncluded functions/withdraw_question.sql
--! Included functions/ack_messages.sql
do $$
begin
  create type parley.acked_messages as (acked_cursor integer, cursor integer, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.acked_messages.unread is 'Messages of others that no answer has handed to you yet.';

-- A silent receipt instead of a "thanks": the others see how far the team has read, and nobody is woken.
create or replace function parley.ack_messages(session_id text, through_cursor integer)
returns parley.acked_messages
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller parley.participants;
begin
  if through_cursor is null then
    perform parley_private.refuse_argument('through_cursor', 'through_cursor is required.');
  end if;
  perform parley_private.check_cursor('through_cursor', through_cursor);
  v_caller := parley_private.ack(parley_private.take_seat(session_id), 'through_cursor', through_cursor);
  return row(v_caller.acked_cursor, v_caller.cursor, parley_private.unread(v_caller))::parley.acked_messages;
end;
$$;

grant execute on function parley.ack_messages to parley_caller;

comment on function parley.ack_messages is $$
@verb POST /sessions/{session_id}/ack
@who team
@toolset reading
@clamped
@idempotent
@param through_cursor The newest message that you have read.
Say silently that you have read up to a message: the others see it, nobody is woken. Never goes backwards.
$$;
--! EndIncluded functions/ack_messages.sql
--! Included functions/get_message.sql
create or replace function parley.get_message(session_id text, message_id parley.message_ref)
returns parley.feed_message
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller  parley.participants;
  v_cursor  integer;
  v_message parley.feed_message;
begin
  perform parley_private.check_message_ref('message_id', message_id);
  v_caller := (parley_private.take_seat(session_id, to_read => true)).participant;
  v_cursor := parley_private.find_message(v_caller.session_id, message_id);
  v_message := (parley_private.read_feed(v_caller.session_id, v_cursor - 1, v_cursor, v_caller.id))[1];
  v_message.read_by := (
    select coalesce(parley_private.readers_of(m), '{}') from parley.messages m
    where m.session_id = v_caller.session_id and m.sequence = v_cursor
  );
  v_message.replies := array(
    select m.sequence from parley.messages m
    where m.session_id = v_caller.session_id and m.reply_to = v_cursor and m.posted_by is not null
    order by m.sequence
  );
  v_message.unread := parley_private.unread(v_caller);
  return v_message;
end;
$$;

grant execute on function parley.get_message to parley_caller;

comment on function parley.get_message is $$
@verb GET /sessions/{session_id}/messages/{message_id}
@who team
@toolset reading
@readonly
@param message_id A message_id or a cursor.
Read one message with its whole text, who has read it and the cursors of its replies.
$$;
--! EndIncluded functions/get_message.sql
--! Included functions/get_digest.sql
-- What happened, made of what the teams marked while they talked: no model reads along.
create or replace function parley.get_digest(session_id text, since_cursor integer default 0, "limit" integer default null)
returns parley.digest
language plpgsql stable
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_session parley.sessions;
begin
  perform parley_private.check_cursor('since_cursor', since_cursor);
  if "limit" < 1 then
    perform parley_private.refuse_argument('limit', 'limit must be 1 or more.');
  end if;
  v_seat := parley_private.take_seat(session_id, to_read => true);
  v_session := v_seat.session;
  perform parley_private.check_not_ahead('since_cursor', since_cursor, v_session.last_sequence);
  return parley_private.digest(
    v_session, coalesce(since_cursor, 0), parley_private.unread(v_seat.participant), (v_seat.participant).id,
    case when "limit" > 500 then 500 else "limit" end);
end;
$$;

grant execute on function parley.get_digest to parley_caller;

comment on function parley.get_digest is $$
@verb GET /sessions/{session_id}/digest
@who team
@toolset reading
@clamped
@readonly
@param since_cursor Only what came after it; default 0, all.
@param limit Entries of each list.
After an absence: open questions, each team and its latest status, decisions, document changes by section, events.
$$;
--! EndIncluded functions/get_digest.sql
--! Included functions/search.sql
do $$
begin
  create type parley.search_hit as (
    place text,
    cursor integer,
    message_id uuid,
    handle text,
    section text,
    snippet text,
    at timestamptz
  );
exception when duplicate_object then null;
end $$;
comment on column parley.search_hit.place is 'message or doc.';
comment on column parley.search_hit.cursor is '@optional';
comment on column parley.search_hit.message_id is '@optional';
comment on column parley.search_hit.handle is '@optional';
comment on column parley.search_hit.section is '@optional
The heading above the place in the document.';

do $$
begin
  create type parley.search_results as (hits parley.search_hit[], has_more boolean, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.search_results.unread is 'Messages of others that no answer has handed to you yet.';

-- Full text, as a search engine takes it: words, "a phrase", or, -without. English endings do not matter.
create or replace function parley.search(session_id text, query text, "limit" integer default 20)
returns parley.search_results
language plpgsql stable
set search_path = ''
as $$
declare
  v_limit  integer := least(coalesce("limit", 20), 100);
  v_words  tsquery;
  v_stems  text[];
  v_caller parley.participants;
  v_hits   parley.search_hit[];
begin
  perform parley_private.check_text('query', query, 'title_max');
  if v_limit < 1 then
    perform parley_private.refuse_argument('limit', 'limit must be 1 or more.');
  end if;
  v_words := parley_private.words_to_find(query);
  v_stems := tsvector_to_array(to_tsvector('pg_catalog.english', parley_private.in_parts(query)));
  v_caller := (parley_private.take_seat(session_id, to_read => true)).participant;

  v_hits := array(
    select row(hit.place, hit.cursor, hit.message_id, hit.handle, hit.section,
      -- From shortly before the first of the words on: a long text is not read to its end for a line of it.
      ts_headline('pg_catalog.english', substr(hit.text, greatest(hit.first_word - 1000, 1), 20000), v_words, 'StartSel="", StopSel="", MaxWords=40, MinWords=15'), hit.at)::parley.search_hit
    from (
      select *, (select min(nullif(strpos(lower(h.text), stem), 0)) from unnest(v_stems) stem) as first_word
      from (
        select * from parley_private.search_messages(v_caller.session_id, v_words)
        union all
        select * from parley_private.search_doc(v_caller.session_id, v_words)
        order by rank desc, cursor desc nulls first
        limit v_limit + 1
      ) h
    ) hit
    order by hit.rank desc, hit.cursor desc nulls first
  );
  return row(v_hits[:v_limit], cardinality(v_hits) > v_limit, parley_private.unread(v_caller))::parley.search_results;
end;
$$;

grant execute on function parley.search to parley_caller;

comment on function parley.search is $$
@verb GET /sessions/{session_id}/search
@who team
@toolset reading
@clamped
@readonly
@param query Words, "a phrase", or, -without.
@param limit At most 100; default 20.
Full text search in the messages and the document of the session, best first.
$$;
--! EndIncluded functions/search.sql

--! Included lines/texts.sql
-- Answers as lines (?format=lines). The first line is written by the server alone: name and value, joined by " · ".
-- Every line below begins with a word of the server; a text of others stays on it or is indented under it. So nobody can
-- write a line that passes for one of the server or of another team. The comment of a type names the function that
-- writes it: @text.

-- A text with every line break of Unicode as a newline, and what would move the cursor of a terminal or turn the
-- direction of the writing spelled out.
create or replace function parley_private.shown(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select regexp_replace(parley_private.spelled_out(text), E'\r\n?|[\u000b\u000c\u0085\u2028\u2029]', E'\n', 'g');
$$;

-- For a name or a title: one line, and not a long one.
create or replace function parley_private.on_one_line(text text, longest integer default 500)
returns text
language sql immutable
set search_path = ''
as $$
  select case when char_length(text) > longest then left(t.line, longest - 1) || '…' else t.line end
  from (select regexp_replace(parley_private.shown(left(text, longest + 1)), E'[\n\t ]+', ' ', 'g')) as t (line);
$$;

-- For a text that may be long: its later lines are indented.
create or replace function parley_private.indented(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select replace(parley_private.shown(text), E'\n', E'\n  ');
$$;

create or replace function parley_private.yes_or_no(value boolean)
returns text
language sql immutable
set search_path = ''
as $$
  select case when value then 'yes' else 'no' end;
$$;

create or replace function parley_private.time_as_text(at timestamptz)
returns text
language sql immutable
set search_path = ''
as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
$$;

-- How long ago something was, in one unit.
create or replace function parley_private.age_as_text(at timestamptz)
returns text
language sql stable
set search_path = ''
as $$
  select case
    when s.ago < 60 then 'just now'
    when s.ago < 3600 then s.ago / 60 || ' min ago'
    when s.ago < 172800 then s.ago / 3600 || ' h ago'
    else s.ago / 86400 || ' d ago'
  end
  from (select extract(epoch from clock_timestamp() - at)::integer) as s (ago);
$$;

-- For a text of which the beginning tells enough.
create or replace function parley_private.first_sentence(text text, longest integer)
returns text
language sql immutable
set search_path = ''
as $$
  select coalesce(substring(t.line from '^(.{15,}?[.!?]) '), t.line) from (select parley_private.on_one_line(text, longest)) as t (line);
$$;

-- What a session is about, in at most so many characters of its description.
create or replace function parley_private.topic_as_lines(title text, description text, longest integer default 2000)
returns text
language sql immutable
set search_path = ''
as $$
  select concat_ws(E'\n',
    'title: ' || parley_private.on_one_line(title),
    'description: ' || parley_private.indented(case when char_length(description) > longest
      then left(description, longest) || ' … (cut: get_session has the whole)'
      else nullif(description, '')
    end));
$$;

-- The form of a type without a writer of its own: those of its fields that only the server can have written (numbers,
-- yes and no, uuids, times), then the JSON.
create or replace function parley_private.anything_as_text(answer json, fields text[])
returns text
language sql immutable
set search_path = ''
as $$
  select concat_ws(E'\n',
    coalesce(
      case json_typeof(answer)
        when 'object' then (
          select string_agg(
            f.name || ' ' || case answer ->> f.name when 'true' then 'yes' when 'false' then 'no' else answer ->> f.name end,
            ' · ' order by f.place)
          from unnest(fields) with ordinality as f (name, place)
          where answer ->> f.name is not null
        )
        when 'array' then 'rows ' || json_array_length(answer)
        when 'number' then 'value ' || (answer #>> '{}')
        when 'boolean' then 'value ' || parley_private.yes_or_no((answer #>> '{}')::boolean)
      end,
      'done yes'),
    case when json_typeof(answer) in ('object', 'array', 'string') then '  ' || parley_private.on_one_line(answer::text, 1000000) end);
$$;

grant execute on function
  parley_private.shown,
  parley_private.on_one_line,
  parley_private.indented,
  parley_private.yes_or_no,
  parley_private.time_as_text,
  parley_private.age_as_text,
  parley_private.first_sentence,
  parley_private.topic_as_lines,
  parley_private.anything_as_text
to parley_caller;
--! EndIncluded lines/texts.sql
--! Included lines/messages.sql
-- What an event tells beside its name and its team.
create or replace function parley_private.event_as_text(event text, content jsonb)
returns text
language sql stable
set search_path = ''
as $$
  select case event
    when 'session_concluded' then format(' (doc v%s)', content ->> 'doc_version')
    when 'question_withdrawn' then format(' #%s', content ->> 'cursor')
    when 'session_metadata_updated' then concat_ws(E'\n  ',
      ': ' || parley_private.on_one_line(content ->> 'reason'),
      'title: ' || parley_private.on_one_line(content #>> '{changes,title,to}', 200),
      'description: ' || parley_private.on_one_line(content #>> '{changes,description,to}', 200))
    else coalesce(' ' || parley_private.on_one_line(nullif((content - array['event', 'team', 'by', 'handle'])::text, '{}')), '')
  end;
$$;

-- #22 amber question →blue re #20: text. What the server itself says has a * in place of the team.
create or replace function parley_private.message_as_line(message parley.feed_message)
returns text
language sql stable
set search_path = ''
as $$
  select format('#%s ', message.cursor) || case message.type
    when 'system' then concat_ws(' ', '*', message.event, message.handle) || parley_private.event_as_text(message.event, message.content)
    else concat_ws(' ',
      message.handle,
      case when message.sender = 'human' then '(human)' end,
      case when message.mine then '(you)' end,
      nullif(message.kind, 'message'),
      '→' || array_to_string(message.to, ','),
      're #' || message.reply_to_cursor,
      case when message.expects_reply and message.kind <> 'question' then '(expects a reply)' end,
      case when message.metadata is not null then '(metadata)' end,
      '(read by ' || nullif(array_to_string(message.read_by, ', '), '') || ')'
    ) || ': ' || parley_private.indented(message.content ->> 'text')
      || case when message.truncated then format(' … %s more: get_message %s',
        to_char(message.text_length - char_length(message.content ->> 'text'), 'FM9,999,999'), message.cursor) else '' end
  end;
$$;

create or replace function parley_private.messages_as_lines(messages parley.feed_message[])
returns text
language sql stable
set search_path = ''
as $$
  select string_agg(parley_private.message_as_line(messages[i]), E'\n' order by i) from generate_subscripts(messages, 1) i;
$$;

-- The one message of get_message, with what lists leave out.
create or replace function parley_private.message_as_text(answer parley.feed_message)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ', 'cursor ' || answer.cursor, 'message_id ' || answer.message_id, 'at ' || parley_private.time_as_text(answer.at), 'unread ' || answer.unread),
    parley_private.message_as_line(answer),
    'replies: #' || nullif(array_to_string(answer.replies, ', #'), ''),
    'metadata: ' || parley_private.on_one_line(answer.metadata::text, 1000000));
$$;

create or replace function parley_private.note_as_line(note parley.note)
returns text
language sql stable
set search_path = ''
as $$
  select format('#%s %s: %s', note.cursor,
    concat_ws(' ', note.handle, '→' || array_to_string(note.to, ',')),
    parley_private.on_one_line(note.text, 140));
$$;

grant execute on function
  parley_private.event_as_text,
  parley_private.message_as_line,
  parley_private.messages_as_lines,
  parley_private.message_as_text,
  parley_private.note_as_line
to parley_caller;

comment on type parley.feed_message is '@text parley_private.message_as_text
A message as the calling team sees it.';
--! EndIncluded lines/messages.sql
--! Included lines/reading.sql
create or replace function parley_private.wait_answer_as_text(answer parley.wait_answer)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'next_cursor ' || answer.next_cursor,
      'unread ' || answer.unread,
      'doc v' || answer.doc_version,
      'closed ' || parley_private.yes_or_no(answer.session_closed),
      case when answer.has_more then 'more yes' end,
      case when answer.session_idle then 'idle yes' end,
      'skipped ' || answer.skipped),
    parley_private.messages_as_lines(answer.messages));
$$;

create or replace function parley_private.synced_as_text(answer parley.synced)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'next_cursor ' || answer.next_cursor,
      'unread ' || answer.unread,
      'doc v' || answer.doc_version,
      'closed ' || parley_private.yes_or_no(answer.session_closed),
      'sent ' || (select string_agg(s.cursor::text, ',' order by s.cursor) from unnest(answer.sent) s),
      case when answer.has_more then 'more yes' end,
      case when answer.session_idle then 'idle yes' end,
      'skipped ' || answer.skipped),
    parley_private.messages_as_lines(answer.messages));
$$;

create or replace function parley_private.history_as_text(answer parley.history_page)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'next_cursor ' || answer.next_cursor,
      'more ' || parley_private.yes_or_no(answer.has_more),
      'unread ' || answer.unread),
    parley_private.messages_as_lines(answer.messages));
$$;

create or replace function parley_private.replies_as_text(answer parley.replies)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'replies ' || cardinality(answer.messages),
      'closed ' || parley_private.yes_or_no(answer.session_closed),
      'unread ' || answer.unread),
    parley_private.messages_as_lines(answer.messages),
    'yet to answer: ' || nullif(array_to_string(answer.yet_to_answer, ', '), ''));
$$;

grant execute on function
  parley_private.wait_answer_as_text,
  parley_private.synced_as_text,
  parley_private.history_as_text,
  parley_private.replies_as_text
to parley_caller;

comment on type parley.wait_answer is '@text parley_private.wait_answer_as_text
What a wait brought.';
comment on type parley.replies is '@text parley_private.replies_as_text';
comment on type parley.synced is '@text parley_private.synced_as_text';
comment on type parley.history_page is '@text parley_private.history_as_text';
--! EndIncluded lines/reading.sql
--! Included lines/teams.sql
create or replace function parley_private.team_as_line(team parley.roster_entry)
returns text
language sql stable
set search_path = ''
as $$
  select format('team %s (%s): %s', team.handle,
    concat_ws(', ',
      case when team.you then 'you' end,
      case when team.convener then 'convener' end,
      nullif(team.kind, 'agent'),
      team.activity),
    parley_private.on_one_line(team.team_name));
$$;

create or replace function parley_private.teams_as_lines(teams parley.roster_entry[])
returns text
language sql stable
set search_path = ''
as $$
  select string_agg(parley_private.team_as_line(teams[i]), E'\n' order by i) from generate_subscripts(teams, 1) i;
$$;

create or replace function parley_private.roster_as_text(answer parley.roster)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('teams %s · unread %s', cardinality(answer.participants), answer.unread),
    parley_private.teams_as_lines(answer.participants));
$$;

grant execute on function parley_private.team_as_line, parley_private.teams_as_lines, parley_private.roster_as_text to parley_caller;

comment on type parley.roster is '@text parley_private.roster_as_text';
--! EndIncluded lines/teams.sql
--! Included lines/entering.sql
create or replace function parley_private.handoff_as_lines(handoff parley.handoff)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('continues %s (%s teams, %s messages, open questions: %s): %s', handoff.continues,
      handoff.teams, handoff.messages, handoff.open_questions, parley_private.on_one_line(handoff.title)),
    'conclusion: ' || parley_private.indented(handoff.conclusion),
    (select string_agg('open ' || parley_private.note_as_line(handoff.questions[i]), E'\n' order by i desc)
      from generate_subscripts(handoff.questions, 1) i
      where i > cardinality(handoff.questions) - 8),
    case when handoff.open_questions > 8
      then format('open %s more: get_digest of %s', handoff.open_questions - 8, handoff.continues)
    end)
  where handoff.continues is not null;
$$;

-- What a program keeps of its entrance stands in the first line: the ref, the secret, where to listen from.
create or replace function parley_private.created_as_text(answer parley.created_session)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ', 'ref ' || answer.ref, 'team_id ' || answer.team_id, 'handle ' || answer.handle, 'cursor ' || answer.cursor),
    parley_private.topic_as_lines(answer.title, answer.description),
    'page: ' || answer.url);
$$;

create or replace function parley_private.joined_as_text(answer parley.joined_session)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref, 'team_id ' || answer.team_id, 'handle ' || answer.handle, 'cursor ' || answer.cursor,
      'unread ' || answer.unread, 'doc v' || answer.doc_version),
    parley_private.topic_as_lines(answer.title, answer.description),
    parley_private.teams_as_lines(answer.participants),
    parley_private.handoff_as_lines(answer.handoff),
    'earlier: ' || (answer.earlier).messages || ' messages: get_digest has them in short, get_history in full');
$$;

create or replace function parley_private.resumed_as_text(answer parley.resumed_session)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref, 'team_id ' || answer.team_id, 'handle ' || answer.handle, 'cursor ' || answer.cursor,
      'doc v' || answer.doc_version),
    parley_private.topic_as_lines(answer.title, answer.description),
    parley_private.handoff_as_lines(answer.handoff),
    'page: ' || answer.url);
$$;

grant execute on function
  parley_private.created_as_text,
  parley_private.joined_as_text,
  parley_private.resumed_as_text,
  parley_private.handoff_as_lines
to parley_caller;

comment on type parley.created_session is '@text parley_private.created_as_text';
comment on type parley.joined_session is '@text parley_private.joined_as_text';
comment on type parley.resumed_session is '@text parley_private.resumed_as_text';
--! EndIncluded lines/entering.sql
--! Included lines/writing.sql
create or replace function parley_private.posted_as_text(answer parley.posted_message)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('cursor %s · unread %s', answer.cursor, answer.unread),
    'not listening: ' || nullif(array_to_string(answer.not_listening, ', '), ''));
$$;

create or replace function parley_private.written_doc_as_text(answer parley.written_doc)
returns text
language sql stable
set search_path = ''
as $$
  select format('doc v%s · unread %s', answer.version, answer.unread);
$$;

create or replace function parley_private.concluded_as_text(answer parley.concluded_session)
returns text
language sql stable
set search_path = ''
as $$
  select format('closed yes · doc v%s · unread %s', answer.doc_version, answer.unread);
$$;

create or replace function parley_private.updated_metadata_as_text(answer parley.updated_metadata)
returns text
language sql stable
set search_path = ''
as $$
  select format('changed %s · unread %s', (select string_agg(c.field, ',' order by c.field desc) from jsonb_object_keys(answer.changes) as c (field)), answer.unread);
$$;

create or replace function parley_private.acked_as_text(answer parley.acked_messages)
returns text
language sql stable
set search_path = ''
as $$
  select format('acked_cursor %s · cursor %s · unread %s', answer.acked_cursor, answer.cursor, answer.unread);
$$;

create or replace function parley_private.withdrawn_as_text(answer parley.withdrawn_question)
returns text
language sql stable
set search_path = ''
as $$
  select format('withdrawn %s · unread %s', answer.cursor, answer.unread);
$$;

create or replace function parley_private.left_as_text(answer parley.left_session)
returns text
language sql stable
set search_path = ''
as $$
  select format('left yes · unread %s', answer.unread);
$$;

-- The document as it is, from the second line on: nothing of the server comes after it.
create or replace function parley_private.doc_as_text(answer parley.session_doc)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(' · ',
      'doc v' || answer.version, 'unread ' || answer.unread, 'by ' || answer.updated_by, 'at ' || parley_private.time_as_text(answer.updated_at))
    || E'\n' || parley_private.shown(answer.content);
$$;

grant execute on function
  parley_private.posted_as_text,
  parley_private.written_doc_as_text,
  parley_private.concluded_as_text,
  parley_private.updated_metadata_as_text,
  parley_private.acked_as_text,
  parley_private.withdrawn_as_text,
  parley_private.left_as_text,
  parley_private.doc_as_text
to parley_caller;

comment on type parley.posted_message is '@text parley_private.posted_as_text';
comment on type parley.session_doc is '@text parley_private.doc_as_text';
comment on type parley.written_doc is '@text parley_private.written_doc_as_text';
comment on type parley.concluded_session is '@text parley_private.concluded_as_text';
comment on type parley.updated_metadata is '@text parley_private.updated_metadata_as_text';
comment on type parley.acked_messages is '@text parley_private.acked_as_text';
comment on type parley.withdrawn_question is '@text parley_private.withdrawn_as_text';
comment on type parley.left_session is '@text parley_private.left_as_text';
--! EndIncluded lines/writing.sql
--! Included lines/finding.sql
-- Where one stands and what there is: whoami, get_session, list_sessions, search.

-- The questions that wait for a team: two in words, three more by their cursors, the rest counted. Those to it by name come
-- first, then the newest.
create or replace function parley_private.own_questions_as_lines(questions parley.note[])
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    string_agg(
      format('open #%s %s: %s', q.cursor, concat_ws(' ', q.handle, case when q.to is not null then '→you' end),
        parley_private.on_one_line(q.text, case q.questions when 1 then 140 when 2 then 70 else 50 end)),
      E'\n' order by q.nth) filter (where q.nth <= 2),
    'open ' || string_agg('#' || q.cursor, ' ' order by q.nth) filter (where q.nth between 3 and 5)
      || case when max(q.questions) > 5
        then format(' and %s more', case when max(q.questions) < parley_private.setting('digest_items') then (max(q.questions) - 5)::text else 'many' end)
        else ''
      end || ': get_digest')
  from (
    select *, count(*) over () as questions, row_number() over (order by n.to is null, n.cursor desc) as nth
    from unnest(questions) n
  ) q;
$$;

create or replace function parley_private.own_state_as_text(answer parley.own_state)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref, 'handle ' || answer.handle, 'cursor ' || answer.cursor, 'last_cursor ' || answer.last_cursor,
      'unread ' || answer.unread, 'unconfirmed ' || nullif(answer.unconfirmed, 0), 'doc v' || answer.doc_version,
      'closed ' || parley_private.yes_or_no(answer.status = 'closed'),
      case when answer.convener then 'convener yes' end),
    'title: ' || parley_private.on_one_line(answer.title, 100),
    'description: ' || parley_private.on_one_line(nullif(answer.description, ''), case cardinality(answer.open_questions) when 0 then 200 else 60 end),
    nullif(parley_private.own_questions_as_lines(answer.open_questions), ''));
$$;

create or replace function parley_private.session_as_text(answer parley.session_details)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref, 'last_cursor ' || answer.last_cursor, 'unread ' || answer.unread, 'doc v' || answer.session_doc_version,
      'closed ' || parley_private.yes_or_no(answer.status = 'closed'),
      'convener ' || answer.convener,
      'created_at ' || parley_private.time_as_text(answer.created_at),
      'closed_at ' || parley_private.time_as_text(answer.closed_at)),
    parley_private.topic_as_lines(answer.title, answer.description, 100000),
    'continues ' || answer.continues,
    'continued by ' || array_to_string(answer.continued_by, ', '),
    'page: ' || answer.url);
$$;

create or replace function parley_private.session_list_as_text(answer parley.session_list)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('sessions %s · more %s', cardinality(answer.sessions), parley_private.yes_or_no(answer.has_more)),
    string_agg(
      format('session %s (%s, teams %s, messages %s, doc v%s, %s): %s', s.ref, s.status, s.teams, s.last_cursor, s.doc_version,
        parley_private.age_as_text(s.last_activity_at), parley_private.on_one_line(concat_ws(' — ', s.title, nullif(s.description, '')), 200)),
      E'\n' order by i))
  from generate_subscripts(answer.sessions, 1) i, lateral (select (answer.sessions[i]).*) s;
$$;

create or replace function parley_private.search_as_text(answer parley.search_results)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('hits %s · more %s · unread %s', cardinality(answer.hits), parley_private.yes_or_no(answer.has_more), answer.unread),
    string_agg(
      case when h.place = 'message' then format('#%s %s: ', h.cursor, h.handle)
        else concat_ws(' ', 'doc', '[' || parley_private.on_one_line(h.section, 100) || ']') || ': '
      end || parley_private.on_one_line(h.snippet, 1000),
      E'\n' order by i))
  from generate_subscripts(answer.hits, 1) i, lateral (select (answer.hits[i]).*) h;
$$;

grant execute on function
  parley_private.own_questions_as_lines,
  parley_private.own_state_as_text,
  parley_private.session_as_text,
  parley_private.session_list_as_text,
  parley_private.search_as_text
to parley_caller;

comment on type parley.session_details is '@text parley_private.session_as_text';
comment on type parley.own_state is '@text parley_private.own_state_as_text';
comment on type parley.session_list is '@text parley_private.session_list_as_text';
comment on type parley.search_results is '@text parley_private.search_as_text';
--! EndIncluded lines/finding.sql
--! Included lines/digest.sql
-- The digest as lines, for a team that comes back: what it is asked, where the others stand, what was agreed, what was
-- written. Few lines, unless it asked for more; what they leave out is counted at the end.

-- →blue,amber (you): the teams that a question waits for.
create or replace function parley_private.asked_as_text(note parley.note, reader text)
returns text
language sql immutable
set search_path = ''
as $$
  select '→' || string_agg(h.handle || case h.handle when reader then ' (you)' else '' end, ',' order by h.nth)
  from unnest(coalesce(note.waiting_for, note.to)) with ordinality as h (handle, nth);
$$;

create or replace function parley_private.digest_team_as_line(team parley.digest_team, longest integer)
returns text
language sql stable
set search_path = ''
as $$
  select format('team %s (%s)', team.handle,
      concat_ws(', ',
        case when team.you then 'you' end,
        team.activity,
        nullif(team.messages, 0) || case team.messages when 1 then ' message' else ' messages' end,
        nullif(team.doc_changes, 0) || case team.doc_changes when 1 then ' document change' else ' document changes' end))
    || case
      when latest.cursor is null then ''
      else format(' %s #%s %s: %s',
        case when team.blocked then 'blocked' when (team.last_status).cursor is not null then 'status' else 'last' end,
        latest.cursor, parley_private.age_as_text(latest.at), parley_private.first_sentence(latest.text, longest))
    end
  from (select (coalesce(team.last_status, team.last_message)).*) latest;
$$;

-- Which sections were written in how often, by whom, and last when: the newest first.
create or replace function parley_private.doc_changes_as_lines(changes parley.doc_change[], most integer)
returns text
language sql stable
set search_path = ''
as $$
  select string_agg(
    format('doc v%s %s %s%s: %s', s.version, s.handles[1], parley_private.age_as_text(s.at),
      case when s.changes > 1 then format(' (%s)', concat_ws(', ', s.changes || ' changes', 'also by ' || nullif(array_to_string(s.handles[2:], ', '), ''))) end,
      coalesce(parley_private.on_one_line(s.section, 60), 'above the first heading')),
    E'\n' order by s.version desc)
  from (
    select t.section, max(t.version) as version, max(t.at) as at, sum(t.changes) as changes, array_agg(t.handle order by t.version desc) as handles
    from (
      select c.handle, s.section, max(c.version) as version, max(c.at) as at, count(*) as changes
      from unnest(changes) c
      cross join unnest(coalesce(nullif(c.sections, '{}'), array[null])) as s (section)
      group by c.handle, s.section
    ) t
    group by t.section
    order by 2 desc
    limit most
  ) s;
$$;

create or replace function parley_private.digest_as_text(answer parley.digest)
returns text
language sql stable
set search_path = ''
as $$
  with most as (
    select coalesce(answer.items, 6) as entries, case when answer.items is null then 140 else 280 end as characters
  ),
  reader as (select (select t.handle from unnest(answer.teams) t where t.you) as handle),
  question as (
    select q::parley.note as note, row_number() over (order by coalesce(reader.handle = any (coalesce(q.waiting_for, q.to)), false) desc, q.cursor desc) as place
    from unnest(answer.open_questions) q, reader
  ),
  team as (
    select t::parley.digest_team as team,
      row_number() over (order by t.blocked desc nulls last, t.activity = 'left', t.last_cursor desc nulls last) as place
    from unnest(answer.teams) t
  ),
  left_out as (
    select concat_ws(', ',
      'open questions ' || nullif(greatest(coalesce((answer.totals).open_questions, cardinality(answer.open_questions)) - most.entries, 0), 0),
      'decisions ' || nullif(greatest(coalesce((answer.totals).decisions, cardinality(answer.decisions)) - most.entries, 0), 0),
      'document changes ' || nullif((answer.totals).doc_changes - cardinality(answer.doc_changes), 0),
      'events ' || nullif((answer.totals).events - cardinality(answer.events), 0),
      'teams ' || nullif(greatest(cardinality(answer.teams) - most.entries - 2, 0), 0)
    ) as what
    from most
  )
  select concat_ws(E'\n',
    concat_ws(' · ',
      'since_cursor ' || answer.since_cursor, 'through_cursor ' || answer.through_cursor, 'messages ' || answer.messages,
      'unread ' || answer.unread),
    (select string_agg(
        format('open #%s %s: %s', (q.note).cursor,
          concat_ws(' ', (q.note).handle, parley_private.asked_as_text(q.note, reader.handle), parley_private.age_as_text((q.note).at)),
          parley_private.on_one_line((q.note).text, most.characters)), E'\n' order by q.place)
      from question q where q.place <= most.entries),
    (select string_agg(parley_private.digest_team_as_line(t.team, most.characters), E'\n' order by t.place)
      from team t where t.place <= most.entries + 2),
    (select string_agg(
        format('decided #%s %s %s: %s', d.cursor, d.handle, parley_private.age_as_text(d.at), parley_private.on_one_line(d.text, most.characters)), E'\n' order by d.cursor desc)
      from (select * from unnest(answer.decisions) n order by n.cursor desc limit most.entries) d),
    parley_private.doc_changes_as_lines(answer.doc_changes, most.entries),
    (select string_agg(format('event %s: %s%s', e.event, e.teams, case when e.others > 0 then format(' and %s before', e.others) end), E'\n' order by e.newest desc)
      from (
        select n.event, max(n.cursor) as newest, count(*) filter (where n.place > most.entries) as others,
          string_agg(concat_ws(' ', '#' || n.cursor, n.handle), ', ' order by n.cursor desc) filter (where n.place <= most.entries) as teams
        from (select *, row_number() over (partition by v.event order by v.cursor desc) as place from unnest(answer.events) v) n
        group by n.event
      ) e),
    'left out: ' || nullif(left_out.what, '') || '; get_digest with a limit has more')
  from most, reader, left_out;
$$;

grant execute on function
  parley_private.asked_as_text,
  parley_private.digest_team_as_line,
  parley_private.doc_changes_as_lines,
  parley_private.digest_as_text
to parley_caller;

comment on type parley.digest is '@text parley_private.digest_as_text
What happened after a cursor, in short.';
--! EndIncluded lines/digest.sql

--! Included graphql/participants.sql
-- Fields of the GraphQL type Participant that are derived, not stored. With return, so that they become part of the statement:
-- a list of sessions asks for hundreds.
create or replace function parley.participants_status(participant parley.participants)
returns text
language sql stable
return parley_private.presence(participant);

comment on function parley.participants_status is '@notNull
active, idle or disconnected: derived from the calls of the team.';

create or replace function parley.participants_listening(participant parley.participants)
returns boolean
language sql stable
return parley_private.is_listening(participant.session_id, participant.id);

comment on function parley.participants_listening is '@notNull
Whether a wait of the team is in flight.';

create or replace function parley.participants_activity(participant parley.participants)
returns text
language sql stable
return parley_private.activity(participant);

comment on function parley.participants_activity is '@notNull
listening (a wait is in flight), working (it called lately), silent or left.';

create or replace function parley.participants_convener(participant parley.participants)
returns boolean
language sql stable
set search_path = ''
as $$
  select participant.id = s.created_by from parley.sessions s where s.id = participant.session_id;
$$;

comment on function parley.participants_convener is '@notNull
Whether the team created the session.';

grant execute on function
  parley.participants_status,
  parley.participants_listening,
  parley.participants_activity,
  parley.participants_convener
to parley_caller;
--! EndIncluded graphql/participants.sql
--! Included graphql/documents.sql
-- The document as fields of the GraphQL types Session and SessionDocHistory. @cost counts against the limit of a
-- query: a document may be 1 MiB.
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

grant execute on function parley.sessions_session_doc, parley.session_doc_history_content to parley_caller;
--! EndIncluded graphql/documents.sql
--! Included graphql/sessions.sql
-- Fields of the GraphQL type Session that are derived, not stored, and the list that the page shows.
create or replace function parley.sessions_state(session parley.sessions)
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_since timestamptz := clock_timestamp() - parley_private.setting('live_seconds') * interval '1 second';
begin
  return case
    when session.status = 'closed' then 'concluded'
    when exists (
      select from parley.participants p where p.session_id = session.id and p.left_at is null and p.last_seen_at > v_since
    ) then 'live'
    when exists (
      select from unnest(parley_private.listeners_in(session.id)) as listener (id)
      join parley.participants p on p.session_id = session.id and p.id = listener.id
      where p.left_at is null
    ) then 'live'
    else 'quiet'
  end;
end;
$$;

comment on function parley.sessions_state is '@notNull
live while a team has called lately, concluded after the close, else quiet.';

create or replace function parley.sessions_last_message(session parley.sessions)
returns parley.messages
language sql stable
set search_path = ''
as $$
  select m from parley.messages m where m.session_id = session.id and m.sequence = session.last_sequence;
$$;

comment on function parley.sessions_last_message is 'The newest message; null while there is none.';

create or replace function parley.sessions_last_activity_at(session parley.sessions)
returns timestamptz
language sql stable
return greatest(session.updated_at, session.last_message_at);

comment on function parley.sessions_last_activity_at is '@notNull
When something was last posted or written.';

-- What pages are read from has no search_path of its own: so it becomes part of the statement that asks for the page, and
-- that reads no more than the page. With one it would be run to its end first, whatever it finds.

-- Sequences have no gap, so any stretch of the feed is a range of the primary key: the page jumps to a message
-- in a feed of a hundred thousand as fast as to the last one.
create or replace function parley.sessions_feed(session parley.sessions, from_cursor integer, to_cursor integer)
returns setof parley.messages
language sql stable
as $$
  select m.* from parley.messages m
  where m.session_id = session.id and m.sequence between from_cursor and to_cursor
  order by m.sequence;
$$;

comment on function parley.sessions_feed is 'The messages from one cursor to another, both included.';

create or replace function parley.sessions_find_messages(
  session parley.sessions,
  search text default null,
  team text default null,
  kind text default null
)
returns setof parley.messages
language sql stable
as $$
  select m.* from parley.messages m
  where m.session_id = session.id
    and (team is null or m.posted_by = (
      select p.id from parley.participants p where p.session_id = session.id and p.handle = team))
    and (sessions_find_messages.kind is null or m.type = 'chat' and m.kind = sessions_find_messages.kind)
    and (search is null or strpos(lower(m.content ->> 'text'), (select parley_private.part_to_find('search', search))) > 0)
  order by m.sequence desc;
$$;

comment on function parley.sessions_find_messages is '@cost 1000
The messages that hold a text, newest first; of one team, if its handle is given; of one kind.';

create or replace function parley.sessions_digest(session parley.sessions, since_cursor integer default 0)
returns parley.digest
language sql stable
set search_path = ''
as $$
  select parley_private.digest(session, since_cursor, null);
$$;

comment on function parley.sessions_digest is '@cost 200
@notNull
Who did what, open questions, decisions and document changes after a cursor.';

create or replace function parley.sessions_open_questions(session parley.sessions)
returns integer[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(q.sequence order by q.sequence), '{}') from parley_private.open_questions(session.id) q;
$$;

comment on function parley.sessions_open_questions is '@cost 50
@notNull
The cursors of the questions that nobody has answered.';

create or replace function parley.messages_read_by(message parley.messages)
returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce(parley_private.readers_of(message), '{}');
$$;

comment on function parley.messages_read_by is '@notNull
The handles of the teams that have said they have read it.';

create or replace function parley.find_sessions(status text default null, search text default null)
returns setof parley.sessions
language sql stable
as $$
  select s.* from parley.sessions s
  where (find_sessions.status is null or s.status = find_sessions.status)
    and (search is null
      or strpos(lower(concat_ws(' ', s.ref, s.title, s.description)), (select parley_private.part_to_find('search', search))) > 0)
  order by s.active_minute desc, greatest(s.updated_at, s.last_message_at) desc, s.id;
$$;

comment on function parley.find_sessions is '@cost 100
The sessions, those with the newest activity first; of one status (active, closed), or with a text in ref, title or description.';

-- Beside the list: to count what is in order would put it in order first.
create or replace function parley.count_sessions(status text default null, search text default null)
returns integer
language sql stable
set search_path = ''
as $$
  select count(*) from parley.sessions s
  where (count_sessions.status is null or s.status = count_sessions.status)
    and (search is null
      or strpos(lower(concat_ws(' ', s.ref, s.title, s.description)), (select parley_private.part_to_find('search', search))) > 0);
$$;

comment on function parley.count_sessions is '@cost 100
@notNull
How many sessions findSessions has for these arguments.';

grant execute on function
  parley.sessions_state,
  parley.sessions_last_message,
  parley.sessions_last_activity_at,
  parley.sessions_feed,
  parley.sessions_find_messages,
  parley.sessions_digest,
  parley.sessions_open_questions,
  parley.messages_read_by,
  parley.find_sessions,
  parley.count_sessions
to parley_caller;
--! EndIncluded graphql/sessions.sql
--! Included graphql/exports.sql
-- A whole session to take away: the feed and the document.

-- Names and titles stand in lines of the server, where none of their characters is markdown.
create or replace function parley_private.as_plain_markdown(name text)
returns text
language sql immutable
set search_path = ''
as $$
  select regexp_replace(parley_private.on_one_line(name), '([][\\`*_{}()<>#+!|~&-])', '\\\1', 'g');
$$;

-- Markdown in which a text of others can only be a quote: whatever it is, no line of it looks like one of the server.
create or replace function parley_private.as_quote(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select '> ' || replace(parley_private.shown(text), E'\n', E'\n> ');
$$;

create or replace function parley_private.as_markdown(message parley.feed_message)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(' · ',
      case message.type
        when 'system' then 'Parley'
        else format('**%s** `%s`', parley_private.as_plain_markdown(message.team), message.handle)
      end,
      to_char(message.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
      '#' || message.cursor)
    || E'\n\n' || parley_private.as_quote(coalesce(message.content ->> 'text', message.content::text));
$$;

grant execute on function parley_private.as_plain_markdown, parley_private.as_quote, parley_private.as_markdown to parley_caller;

-- The document comes last: it is markdown of the teams, and whatever follows it could be theirs.
create or replace function parley.sessions_as_markdown(session parley.sessions)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n\n',
    '# ' || parley_private.as_plain_markdown(session.title),
    parley_private.as_quote(nullif(session.description, '')),
    format('Session `%s`, %s.', session.ref, session.status),
    '# Feed',
    (
      select string_agg(parley_private.as_markdown(m), E'\n\n' order by m.cursor)
      from unnest(parley_private.read_feed(session.id, 0, session.last_sequence, null)) m
    ),
    '# Document',
    nullif(parley_private.doc_text_at(session.id, session.session_doc_version), '')
  ) || E'\n';
$$;

comment on function parley.sessions_as_markdown is '@cost 5000
@notNull
The whole feed and the document as one markdown text.';

create or replace function parley.sessions_as_json(session parley.sessions)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'session', to_jsonb(session) - 'created_by' - 'version_before_close' - 'last_message_at' - 'active_minute',
    'participants', (
      select jsonb_agg(to_jsonb(p) - 'you') from unnest(parley_private.roster(session.id, null)) p
    ),
    'document', jsonb_build_object(
      'version', session.session_doc_version,
      'content', parley_private.doc_text_at(session.id, session.session_doc_version)
    ),
    'messages', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(m) - 'mine') order by m.cursor), '[]')
      from unnest(parley_private.read_feed(session.id, 0, session.last_sequence, null)) m
    )
  );
$$;

comment on function parley.sessions_as_json is '@cost 5000
@notNull
Session, roster, document and the whole feed as data.';

grant execute on function parley.sessions_as_markdown, parley.sessions_as_json to parley_caller;
--! EndIncluded graphql/exports.sql
--! Included graphql/update_setting.sql
-- For people, on the settings page: no verb, so that no agent is offered it as a tool. Checked by the trigger of the table.
--
-- Access is open, so whoever reaches the server could move its rules: the server says whether a request was sent on its own
-- machine, and only those may.
create or replace function parley.update_setting(name text, value jsonb)
returns parley.settings
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_setting parley.settings;
begin
  if current_setting('parley.local', true) is distinct from 'on' then
    perform parley_private.fail(
      403, 'forbidden', 'Settings are changed only on the machine that the server runs on.',
      'Open the settings there, under http://localhost, or change them by SQL: update parley.settings set value = … where name = ….');
  end if;

  update parley.settings s set value = update_setting.value
  where s.name = update_setting.name
  returning * into v_setting;
  if not found then
    perform parley_private.fail(404, 'setting_not_found', 'There is no setting of this name.', 'The settings are rows of the table settings.');
  end if;
  return v_setting;
end;
$$;

grant execute on function parley.update_setting to parley_caller;

comment on function parley.update_setting is 'Change a setting. It applies at once, on every replica.';
--! EndIncluded graphql/update_setting.sql

--! Included mcp/session_resource.sql
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
    'continues', (select o.ref from parley.sessions o where o.id = s.continues),
    'continued_by', (select array_agg(o.ref order by o.created_at) from parley.sessions o where o.continues = s.id),
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
--! EndIncluded mcp/session_resource.sql
--! Included mcp/doc_resource.sql
create or replace function parley.doc_resource(ref text)
returns text
language sql stable
set search_path = ''
as $$
  select parley_private.doc_text_at(s.id, s.session_doc_version)
  from parley_private.find_session(doc_resource.ref) s;
$$;

grant execute on function parley.doc_resource to parley_caller;

comment on function parley.doc_resource is $$
@resource parley://sessions/{ref}/doc text/markdown
@topic doc {ref}
@behavior -*
@name session-doc
@title Document of a session
The shared document of a session, its newest version.
$$;
--! EndIncluded mcp/doc_resource.sql
--! Included mcp/feed_resource.sql
-- A message in as few words as tell everything: as JSON it would cost an agent four times as much.
-- Whatever a team wrote stays on the line or is indented below it, so that nobody can write a line that looks like the message of another.
create or replace function parley_private.as_line(message parley.feed_message)
returns text
language sql stable
set search_path = ''
as $$
  select format('#%s %s ', message.cursor, to_char(message.at at time zone 'UTC', 'HH24:MI')) || parley_private.indented(
    case message.type
      when 'system' then concat_ws(' ',
        '*', message.event, message.handle,
        left(nullif((message.content - array['event', 'team', 'by', 'handle'])::text, '{}'), parley_private.setting('list_text_max')))
      else concat_ws(' ',
        message.handle,
        case when message.sender = 'human' then '(human)' end,
        case when message.kind <> 'message' then '[' || message.kind || ']' end,
        'to ' || array_to_string(message.to, ', '),
        're #' || message.reply_to_cursor,
        case when message.expects_reply then '(expects a reply)' end
      ) || ': ' || (message.content ->> 'text')
        || case when message.truncated then format(' … (cut, %s characters in all)', message.text_length) else '' end
    end);
$$;

grant execute on function parley_private.as_line to parley_caller;

create or replace function parley.feed_resource(ref text)
returns text
language sql stable
set search_path = ''
as $$
  with session as (
    select s.*, greatest(s.last_sequence - 100, 0) as after_cursor from parley_private.find_session(feed_resource.ref) s
  ),
  feed as (
    select m.cursor, parley_private.as_line(m) as line, (m.at at time zone 'UTC')::date as day
    from session s,
      unnest(parley_private.read_feed(s.id, s.after_cursor, s.last_sequence, null, parley_private.setting('list_text_max'))) m
  ),
  dated as (
    select cursor, concat_ws(E'\n', nullif(day, lag(day) over (order by cursor))::text, line) as line from feed
  )
  select concat_ws(E'\n',
    case when s.last_sequence = 0
      then format('%s (%s): no messages yet.', s.ref, s.status)
      else format('%s (%s): messages %s to %s. #cursor, time in UTC, who: text.', s.ref, s.status, s.after_cursor + 1, s.last_sequence)
    end,
    (select string_agg(line, E'\n' order by cursor) from dated)
  )
  from session s;
$$;

grant execute on function parley.feed_resource to parley_caller;

comment on function parley.feed_resource is $$
@resource parley://sessions/{ref}/feed text/plain
@topic feed {ref}
@behavior -*
@name session-feed
@title Feed of a session
The newest 100 messages of a session, a line each.
$$;
--! EndIncluded mcp/feed_resource.sql
--! Included mcp/roster_resource.sql
create or replace function parley.roster_resource(ref text)
returns json
language sql stable
set search_path = ''
as $$
  select json_build_object('participants', (
    select json_agg(jsonb_strip_nulls(to_jsonb(p)) - 'you')
    from unnest(parley_private.roster(s.id, null)) p
  ))
  from parley_private.find_session(roster_resource.ref) s;
$$;

grant execute on function parley.roster_resource to parley_caller;

comment on function parley.roster_resource is $$
@resource parley://sessions/{ref}/roster application/json
@topic roster {ref}
@behavior -*
@name session-roster
@title Roster of a session
The teams of a session: who is there, who is listening, how far each has read.
$$;
--! EndIncluded mcp/roster_resource.sql
--! Included mcp/list_resources.sql
-- What a person may attach: the newest sessions, a page at a time. The cursor of a page is the last session of the one before it.
create or replace function parley.list_resources(cursor text default null)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_page_size constant integer := 50;
  v_last      parley.sessions;
  v_page      parley.sessions[];
begin
  if cursor is not null then
    if list_resources.cursor ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      select * into v_last from parley.sessions s where s.id = list_resources.cursor::uuid;
    end if;
    if v_last.id is null then
      perform parley_private.refuse_argument('cursor', 'This cursor is not the nextCursor of a list.', 'Leave it out to start at the beginning.');
    end if;
  end if;

  v_page := array(
    select s from parley.sessions s
    where v_last.id is null
      or s.created_at <= v_last.created_at and (s.created_at < v_last.created_at or s.id > v_last.id)
    order by s.created_at desc, s.id
    limit v_page_size + 1
  );
  return jsonb_strip_nulls(jsonb_build_object(
    'resources', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'uri', 'parley://sessions/' || s.ref,
        'name', s.ref,
        'title', parley_private.on_one_line(s.title),
        'description', concat_ws(', ', s.status, s.last_sequence || case s.last_sequence when 1 then ' message' else ' messages' end, nullif(parley_private.on_one_line(s.description, 200), '')),
        'mimeType', 'application/json'
      ) order by s.created_at desc, s.id), '[]')
      from unnest(v_page[:v_page_size]) s
    ),
    'nextCursor', case when cardinality(v_page) > v_page_size then v_page[v_page_size].id end
  ));
end;
$$;

grant execute on function parley.list_resources to parley_caller;

comment on function parley.list_resources is $$
@lists_resources
@topic session *
@behavior -*
The sessions as resources, newest first.
$$;
--! EndIncluded mcp/list_resources.sql
--! Included mcp/complete_ref.sql
-- What the beginning of a ref, or a part of it, may mean: newest first, those that begin with it before the others.
create or replace function parley.complete_ref(value text, status text default null)
returns jsonb
language sql stable
set search_path = ''
as $$
  with matches as (
    select s.ref, s.created_at, s.id, strpos(s.ref, part) as place
    from parley.sessions s
    cross join parley_private.part_to_find('value', value) as part
    where strpos(s.ref, part) > 0 and (complete_ref.status is null or s.status = complete_ref.status)
  ),
  best as (
    select m.ref, row_number() over (order by m.place > 1, m.created_at desc, m.id) as rank from matches m
  )
  select jsonb_build_object(
    'values', coalesce(jsonb_agg(b.ref order by b.rank) filter (where b.rank <= 100), '[]'),
    'total', count(*),
    'hasMore', count(*) > 100
  )
  from best b;
$$;

grant execute on function parley.complete_ref to parley_caller;

comment on function parley.complete_ref is $$
@completes ref
@behavior -*
The refs that a text may stand for.
$$;
--! EndIncluded mcp/complete_ref.sql
--! Included mcp/ref_in_topics.sql
-- Topics name a session by its id, whichever way a client has named it. An unknown one is refused here, before anybody listens.
create or replace function parley.ref_in_topics(ref text)
returns uuid
language sql stable
set search_path = ''
as $$
  select s.id from parley_private.find_session(ref_in_topics.ref) s;
$$;

grant execute on function parley.ref_in_topics to parley_caller;

comment on function parley.ref_in_topics is $$
@in_topics ref
@behavior -*
How topics name the session that a ref stands for.
$$;
--! EndIncluded mcp/ref_in_topics.sql
--! EndIncluded index.sql
