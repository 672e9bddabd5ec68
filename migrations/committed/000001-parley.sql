--! Previous: -
--! Hash: sha1:a4f988c3c8957b290e75222e2741f6fc94881591
--! Message: Parley

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

-- Which sources this database has been given, each once. What is newest stands; a server whose sources were here before and
-- were replaced since is an older one, and must not turn the functions back.
create table if not exists parley_private.applied_sources (
  hash text not null,
  version text not null,
  migration text not null,
  files jsonb not null,
  applied_at timestamptz not null,
  constraint applied_sources_are_told_apart_by_their_hash primary key (hash)
);

-- Our functions as they were applied last, whether they stand in the database or one of a DBA does in their place.
create table if not exists parley_private.applied_functions (
  signature text not null,
  file text not null,
  definition text not null,
  comment text,
  fingerprint text not null,
  granted_to text[] not null default '{}',
  revoked_from text[] not null default '{}',
  moved_on boolean not null default false,
  applied_at timestamptz not null,
  constraint applied_functions_are_told_apart_by_their_signature primary key (signature)
);

-- What a DBA has put in the place of a function of ours, as it was found when sources were last applied. What no longer fits
-- is kept here too, aside, until somebody resets it: nothing that was written is lost.
create table if not exists parley_private.changed_functions (
  signature text not null,
  definition text not null,
  comment text,
  granted_to text[] not null,
  was_ours boolean not null,
  found_at timestamptz not null default now(),
  kept_aside text,
  constraint changed_functions_are_told_apart_by_their_signature primary key (signature)
);

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
  constraint closed_sessions_say_since_when check (status = case when closed_at is null then 'active' else 'closed' end),
  constraint sessions_continue_another foreign key (continues) references parley.sessions (id)
)
-- Every post updates this row: room on the page keeps those updates off the indexes.
with (fillfactor = 70);

create index if not exists sessions_by_creation on parley.sessions (created_at desc, id);

-- To the minute: the list is sorted by it, and yet a post seldom moves a session in it.
create index if not exists sessions_by_activity on parley.sessions (active_minute desc);

create index if not exists sessions_that_continue_another on parley.sessions (continues);

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

create index if not exists waits_of_a_participant on parley_private.waits (session_id, participant_id);

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
  bytes integer not null default 0,
  constraint messages_are_counted_per_session primary key (session_id, sequence),
  -- One, not two: each is read anew for every post, as are generated columns and the conditions of triggers.
  constraint chat_has_an_author_and_system_has_none check (type = case when posted_by is null then 'system' else 'chat' end)
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

create unique index if not exists messages_are_posted_once on parley.messages (session_id, posted_by, client_message_id)
  where client_message_id is not null;

-- The questions that wait for an answer, each for as long as it does: what is open is read here, however much was ever asked.
-- No foreign key: a row comes with its message, which is never changed or deleted.
create table if not exists parley.open_questions (
  session_id uuid not null,
  sequence integer not null,
  asked_by integer not null,
  addressed_to text[],
  constraint open_questions_are_messages primary key (session_id, sequence)
);

-- What the teams of a session that continues another are told about that one: made once, when it is resumed. As JSON, so that
-- its type can gain fields.
create table if not exists parley_private.handoffs (
  session_id uuid not null,
  handoff jsonb not null,
  constraint handoffs_are_one_per_session primary key (session_id),
  constraint handoffs_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

-- What search finds messages by, apart from them: to index the words of a text costs more than to keep it. They follow in
-- batches, in the order of the feed and without a gap, so that the last one here says how far a session is indexed. What is
-- not yet here, search reads itself.
create table if not exists parley_private.message_words (
  session_id uuid not null,
  sequence integer not null,
  words tsvector,
  constraint message_words_are_one_row_per_message primary key (session_id, sequence)
);

create index if not exists message_words_are_searched on parley_private.message_words using gin (words) where words is not null;

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

-- What answers of several verbs are made of; an answer of one verb stands in that verb's file. A type is made once, then
-- altered by migrations. @optional marks a field that is left out of an answer when it is null.
do $$
begin
  create domain parley.message_ref as text;
exception when duplicate_object then null;
end $$;

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

do $$
begin
  create type parley.written_doc as (version integer, updated_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;

-- Where a caller sits: the session, and the team it is there.
do $$
begin
  create type parley_private.seat as (session parley.sessions, participant parley.participants);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley_private.page as (cursors integer[], last integer, has_more boolean);
exception when duplicate_object then null;
end $$;

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

do $$
begin
  create type parley.replies as (messages parley.feed_message[], session_closed boolean, unread integer, yet_to_answer text[]);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.sent_message as (message_id uuid, cursor integer, at timestamptz, client_message_id text);
exception when duplicate_object then null;
end $$;

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

do $$
begin
  create type parley.earlier as (messages integer, digest_tokens integer);
exception when duplicate_object then null;
end $$;

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

do $$
begin
  create type parley.doc_change as (cursor integer, version integer, handle text, bytes integer, at timestamptz, sections text[]);
exception when duplicate_object then null;
end $$;

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

do $$
begin
  create type parley.left_session as (session_id uuid, handle text, left_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.roster as (participants parley.roster_entry[], unread integer);
exception when duplicate_object then null;
end $$;

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

do $$
begin
  create type parley.posted_message as (message_id uuid, cursor integer, at timestamptz, unread integer, not_listening text[]);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.history_page as (messages parley.feed_message[], next_cursor integer, has_more boolean, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.session_doc as (content text, version integer, updated_at timestamptz, updated_by text, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.updated_metadata as (title text, description text, updated_at timestamptz, changes jsonb, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.concluded_session as (session_id uuid, status text, closed_at timestamptz, doc_version integer, unread integer);
exception when duplicate_object then null;
end $$;

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

do $$
begin
  create type parley.session_list as (sessions parley.session_summary[], has_more boolean);
exception when duplicate_object then null;
end $$;

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

do $$
begin
  create type parley.withdrawn_question as (message_id uuid, cursor integer, at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.acked_messages as (acked_cursor integer, cursor integer, unread integer);
exception when duplicate_object then null;
end $$;

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

do $$
begin
  create type parley.search_results as (hits parley.search_hit[], has_more boolean, unread integer);
exception when duplicate_object then null;
end $$;

-- For people, on the settings page, and for parley doctor: what of this server is not as it was shipped.
--
-- The names may be known to whoever reaches the server; what the functions say only on its own machine, like a change of settings.
do $$
begin
  create type parley.changed_function as (
    name text,
    signature text,
    file text,
    ours text,
    theirs text,
    moved_on boolean,
    revoked_from text[],
    kept_aside text
  );
exception when duplicate_object then null;
end $$;
