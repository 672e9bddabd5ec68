--! Previous: -
--! Hash: sha1:f2f7cab14574aeeef3198bc8e8f09e856bf62623
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

-- The bounds that every post asks for, in one row: four of parley.settings, whose trigger keeps them here. To look them up there
-- would cost a post four times as much.
create table if not exists parley_private.post_bounds (
  only_one boolean not null default true,
  posts_per_minute integer,
  hops integer,
  loop_guard integer,
  message_max integer,
  constraint post_bounds_are_one_row primary key (only_one),
  constraint post_bounds_are_no_second_row check (only_one)
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
  category text not null default 'limits',
  constraint settings_have_one_row_each primary key (name),
  constraint settings_have_a_known_type check (type in ('integer', 'boolean', 'url', 'choice')),
  constraint settings_have_a_known_category check (category in ('link', 'people', 'keys', 'rules', 'limits', 'data'))
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
  last_message_at timestamptz,
  active_minute timestamptz not null,
  visibility text not null default 'everyone',
  mode text not null default 'intervention',
  paused_at timestamptz,
  pause_reason text,
  capacity integer,
  talk integer not null default 0,
  metadata_changed_at timestamptz,
  conclusion text,
  constraint sessions_have_an_id primary key (id),
  constraint sessions_are_found_by_their_ref unique (ref)
)
-- Every post updates this row: room on the page keeps those updates off the indexes.
with (fillfactor = 70);
create index if not exists sessions_by_creation on parley.sessions (created_at desc, id);

-- To the minute: the list is sorted by it, and yet a post seldom moves a session in it.
create index if not exists sessions_by_activity on parley.sessions (active_minute desc);

-- Those that go on, for a list that shows them first.
create index if not exists open_sessions_by_activity on parley.sessions (active_minute desc) where status = 'active';

-- What retention looks for.
create index if not exists sessions_by_close on parley.sessions (closed_at) where closed_at is not null;
create index if not exists sessions_for_members on parley.sessions (id) where visibility = 'members';

-- The people of this server. Nobody has a password: they come by a link, or by OpenID Connect.
create table if not exists parley_private.users (
  id uuid not null default gen_random_uuid(),
  name text not null,
  role text not null,
  email text,
  subject text,
  created_at timestamptz not null default now(),
  removed_at timestamptz,
  constraint users_have_an_id primary key (id),
  constraint users_have_a_known_role check (role in ('owner', 'member', 'viewer'))
);
create unique index if not exists users_are_found_by_their_subject on parley_private.users (subject);

-- Access keys. The secret leaves the database once, in the answer of create_key; what stays is its hash.
create table if not exists parley_private.keys (
  id uuid not null default gen_random_uuid(),
  prefix text not null,
  hash bytea not null,
  name text not null,
  scopes text[] not null,
  session_id uuid,
  made_by text not null,
  made_by_user uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  constraint keys_have_an_id primary key (id),
  constraint keys_are_told_apart_by_their_prefix unique (prefix),
  constraint keys_are_sha256 check (length(hash) = 32),
  constraint keys_have_known_scopes check (scopes <@ array['read', 'team', 'run', 'admin'] and scopes <> '{}'),
  constraint keys_are_bound_to_a_session foreign key (session_id) references parley.sessions (id) on delete cascade,
  constraint keys_are_made_by_a_person foreign key (made_by_user) references parley_private.users (id)
);
create unique index if not exists keys_are_found_by_their_hash on parley_private.keys (hash);
create index if not exists keys_of_a_session on parley_private.keys (session_id) where session_id is not null;
create index if not exists keys_of_a_person on parley_private.keys (made_by_user) where made_by_user is not null;
create index if not exists keys_by_creation on parley_private.keys (created_at desc);

-- A browser in which somebody is signed in. Its cookie is kept as a hash only.
create table if not exists parley_private.sign_ins (
  hash bytea not null,
  user_id uuid not null,
  by text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  constraint sign_ins_are_found_by_their_hash primary key (hash),
  constraint sign_ins_are_sha256 check (length(hash) = 32),
  constraint sign_ins_belong_to_a_person foreign key (user_id) references parley_private.users (id)
);
create index if not exists sign_ins_of_a_person on parley_private.sign_ins (user_id);

-- The people who see a session that is not for everyone.
create table if not exists parley_private.members (
  session_id uuid not null,
  user_id uuid not null,
  since timestamptz not null default now(),
  constraint members_are_once_in_a_session primary key (session_id, user_id),
  constraint members_belong_to_a_session foreign key (session_id) references parley.sessions (id) on delete cascade,
  constraint members_are_people foreign key (user_id) references parley_private.users (id)
);
create index if not exists members_by_person on parley_private.members (user_id);

-- Invitations. To a session: a person who opens one becomes a member, an agent that presents one joins. To the server: a person
-- who opens one is signed in.
create table if not exists parley_private.invites (
  hash bytea not null,
  session_id uuid,
  user_id uuid,
  role text,
  name text,
  uses_left integer not null,
  made_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  made_under_key uuid,
  made_by_user uuid,
  constraint invites_are_found_by_their_hash primary key (hash),
  constraint invites_are_sha256 check (length(hash) = 32),
  constraint invites_lead_to_a_session foreign key (session_id) references parley.sessions (id) on delete cascade,
  constraint invites_sign_a_person_in foreign key (user_id) references parley_private.users (id),
  constraint invites_are_made_under_a_key foreign key (made_under_key) references parley_private.keys (id),
  constraint invites_are_made_by_a_person foreign key (made_by_user) references parley_private.users (id),
  constraint invites_are_not_overused check (uses_left >= 0),
  constraint invites_lead_somewhere check (session_id is not null or user_id is not null or role in ('owner', 'member', 'viewer'))
);
create index if not exists invites_to_a_session on parley_private.invites (session_id) where session_id is not null;
create index if not exists invites_of_a_person on parley_private.invites (user_id) where user_id is not null;
create index if not exists invites_made_under_a_key on parley_private.invites (made_under_key) where made_under_key is not null;
create index if not exists invites_made_by_a_person on parley_private.invites (made_by_user) where made_by_user is not null;

-- Who changed what about this server. Append-only, without secrets; the worker removes what is older than 90 days.
create table if not exists parley_private.audit (
  id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  event text not null,
  session_ref text,
  details jsonb not null default '{}',
  constraint audit_is_counted primary key (id)
);
create index if not exists audit_by_time on parley_private.audit (at desc, id desc);

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
  key_id uuid,
  user_id uuid,
  guest boolean not null default false,
  worked_after integer not null default 0,
  about jsonb not null default '{}',
  doing text,
  removed_at timestamptz,
  handed_through integer[],
  handed_times timestamptz[],
  turn_through integer[],
  turn_times timestamptz[],
  acked_at timestamptz,
  constraint participants_are_counted_per_session primary key (session_id, id),
  constraint participants_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint handles_are_unique_in_a_session unique (session_id, handle),
  constraint participants_are_opened_under_a_key foreign key (key_id) references parley_private.keys (id),
  constraint participants_are_opened_by_a_person foreign key (user_id) references parley_private.users (id),
  constraint participants_are_agents_or_humans check (kind in ('agent', 'human')),
  constraint known_statuses_are_three check (known_status in ('active', 'idle', 'disconnected'))
)
with (fillfactor = 70);

-- What the sweep looks at: everybody who may still fall silent.
create index if not exists participants_not_yet_disconnected on parley.participants (session_id, id)
  where known_status <> 'disconnected';

-- Whether a team is in another session, by its name. Of those that have left, too: where a table is small, an index of a part of it would be read whole for that part.
create index if not exists participants_by_name on parley.participants (lower(team_name));
create index if not exists participants_of_a_key on parley.participants (key_id) where key_id is not null;
create index if not exists participants_of_a_person on parley.participants (user_id) where user_id is not null;

-- A person sits once in a session.
create unique index if not exists people_sit_once_in_a_session on parley.participants (session_id, user_id) where kind = 'human' and left_at is null;

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
  by text not null default 'wait',
  constraint waits_have_an_id primary key (id),
  constraint waits_are_by_the_team_or_what_wakes_it check (by in ('wait', 'hook', 'runner'))
);
create index if not exists waits_of_a_participant on parley_private.waits (session_id, participant_id);

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

-- The feed: append-only, counted 1, 2, 3 … within its session.
create table if not exists parley.messages (
  session_id uuid not null,
  sequence integer not null,
  id uuid not null,
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
  counted_from integer,
  heard integer,
  hops integer,
  constraint messages_are_counted_per_session primary key (session_id, sequence)
);

-- No foreign keys: who appends holds the lock of the session and has found author and answered message under it, and no row
-- that is referred to is ever deleted alone. What GraphQL follows is said in the comment of the table. No checks and no generated
-- columns either: PostgreSQL reads each of them anew for every post. append_message keeps what they would; a test looks for the rest.

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

-- The inbox of people is read from here, over all sessions.
create index if not exists open_questions_to_humans on parley.open_questions (session_id, sequence) where 'humans' = any (addressed_to);

-- What teams have said they are stuck at, each until somebody has replied or the team has reported anew: people are shown it, however long the feed.
-- No foreign key: a row comes with its message, which is never changed or deleted.
create table if not exists parley.blockers (
  session_id uuid not null,
  sequence integer not null,
  raised_by integer not null,
  constraint blockers_are_messages primary key (session_id, sequence)
);

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

-- What this server signs its notifications with (VAPID): made at the first start, and read by nobody but the worker.
create table if not exists parley_private.push_keys (
  one boolean not null default true,
  public_key text not null,
  private_key text not null,
  made_at timestamptz not null default now(),
  constraint push_keys_are_one primary key (one),
  constraint push_keys_are_no_more_than_one check (one)
);

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

-- What the search over all sessions finds documents by. They follow what is written, as message_words do; a document is taken in
-- pieces, since the words of one text have a limit. What a search finds here it looks up in the document as it is now.
create table if not exists parley_private.doc_words (
  session_id uuid not null,
  piece integer not null,
  version integer not null,
  words tsvector not null,
  constraint doc_words_are_one_row_per_piece primary key (session_id, piece)
);
create index if not exists doc_words_are_searched on parley_private.doc_words using gin (words);

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

-- How often something was done within a window of time, by whoever is counted: a row per rule and subject, for as long as its
-- window lasts.
create table if not exists parley_private.counters (
  rule text not null,
  subject text not null,
  used integer not null,
  ends_at timestamptz not null,
  constraint counters_are_kept_per_rule_and_subject primary key (rule, subject)
);
create index if not exists counters_by_end on parley_private.counters (ends_at);

-- The work that a session is divided into. A claim is a lease (private/leases.sql): claimed_by says whose it is, when it ends
-- is derived from the presence of that team.
create table if not exists parley.tasks (
  session_id uuid not null,
  task integer not null,
  title text not null,
  body text not null default '',
  status text not null default 'open',
  claimed_by integer,
  priority integer not null default 0,
  depends_on integer[] not null default '{}',
  paths text[] not null default '{}',
  "check" text,
  result text,
  evidence jsonb,
  proof text,
  done_by integer,
  branch text,
  commit text,
  verified_by integer,
  verified_at timestamptz,
  verified_commit text,
  carried_session uuid,
  carried_task integer,
  created_by integer not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  version integer not null default 1,
  readiness text not null default 'ready',
  constraint tasks_are_counted_per_session primary key (session_id, task),
  constraint tasks_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint tasks_have_a_known_status check (status in ('open', 'claimed', 'blocked', 'done', 'dropped')),
  constraint claimed_tasks_have_a_holder check ((status = 'claimed') = (claimed_by is not null)),
  constraint done_tasks_have_a_proof check (
    (status = 'done') = (proof is not null) and proof in ('reported', 'verified', 'refuted', 'stale')),
  constraint tasks_have_a_known_readiness check (readiness in ('ready', 'unverified', 'waiting'))
)
with (fillfactor = 80);

-- No foreign keys to participants: who writes holds the lock of the session and has found them under it, and none is deleted.

-- What claim_task looks through, in its order, and what it would give out if others were finished.
create index if not exists tasks_that_are_free on parley.tasks (session_id, priority desc, task) where status = 'open' and readiness <> 'waiting';
create index if not exists tasks_that_wait on parley.tasks (session_id, priority desc, task)
  where status = 'blocked' or status = 'open' and readiness <> 'ready';
create index if not exists tasks_that_depend on parley.tasks (session_id, task) where depends_on <> '{}';
create index if not exists tasks_that_are_blocked on parley.tasks (session_id, task) where status = 'blocked';
create index if not exists tasks_of_a_team on parley.tasks (session_id, claimed_by) where claimed_by is not null;

-- How many tasks a session has of each kind, kept with every change: the state of the work is a few rows, however much there was to
-- do. No foreign key: a row comes with its tasks, which belong to a session.
create table if not exists parley.task_counts (
  session_id uuid not null,
  kind text not null,
  number integer not null,
  constraint tasks_are_counted_by_kind primary key (session_id, kind)
);

-- The calls of add_tasks that were sent with a key: a retry finds its tasks here instead of adding them again.
create table if not exists parley_private.task_keys (
  session_id uuid not null,
  participant_id integer not null,
  key text not null,
  first_task integer not null,
  last_task integer not null,
  fingerprint bytea not null,
  constraint task_keys_are_used_once primary key (session_id, participant_id, key),
  constraint task_keys_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id)
);

-- The paths that teams have said they will change: claimed by themselves, or held by a task that is claimed. Leases, as claims
-- of tasks are.
create table if not exists parley.held_paths (
  session_id uuid not null,
  participant_id integer not null,
  task integer not null default 0,
  path text not null,
  base text collate "C" not null,
  note text,
  held_since timestamptz not null default clock_timestamp(),
  constraint held_paths_are_held_once primary key (session_id, participant_id, task, path),
  constraint held_paths_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id),
  constraint held_paths_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

-- Two patterns can only collide when the fixed part of one begins with that of the other: the plain case is found by it alone.
create index if not exists held_paths_by_base on parley.held_paths (session_id, base);

-- What teams have really changed, as they last reported it from git: claims are intent.
create table if not exists parley.changed_paths (
  session_id uuid not null,
  participant_id integer not null,
  branch text not null default '',
  path text not null,
  base text collate "C" not null,
  head text,
  reported_at timestamptz not null default clock_timestamp(),
  constraint changed_paths_are_reported_once primary key (session_id, participant_id, branch, path),
  constraint changed_paths_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id),
  constraint changed_paths_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);
create index if not exists changed_paths_by_base on parley.changed_paths (session_id, base);

-- Where two teams were found at the same path: each is told in the feed once, for as long as it lasts.
create table if not exists parley_private.known_overlaps (
  session_id uuid not null,
  one_team integer not null,
  other_team integer not null,
  path text not null,
  constraint known_overlaps_are_told_once primary key (session_id, one_team, other_team, path),
  constraint known_overlaps_name_the_older_team_first check (one_team < other_team),
  constraint known_overlaps_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

-- Who was rung last, and what has come of it: one row for each team that ever was. Rung is who shall only say that it is there; one ring at
-- a time is outstanding.
create table if not exists parley_private.rings (
  session_id uuid not null,
  participant_id integer not null,
  by text not null,
  at timestamptz not null default clock_timestamp(),
  handed_at timestamptz,
  constraint rings_are_one_per_team primary key (session_id, participant_id),
  constraint rings_belong_to_a_participant foreign key (session_id, participant_id) references parley.participants (session_id, id)
);

-- Every call asks whether there is one to be told.
create index if not exists rings_to_hand on parley_private.rings (session_id, participant_id) where handed_at is null;

-- The machines that offer to run agents. An offer is a lease: whoever made it renews it, and a name belongs to the token that it was
-- offered with for as long as it lives.
create table if not exists parley_private.runners (
  name text not null,
  hash bytea not null,
  agents text[] not null,
  repos text[] not null default '{}',
  max_runs integer not null,
  accept text not null,
  key_id uuid,
  user_id uuid,
  offered_by text not null,
  offered_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  constraint runners_have_one_name_each primary key (name),
  constraint runners_are_offered_under_a_key foreign key (key_id) references parley_private.keys (id) on delete cascade,
  constraint runners_are_offered_by_a_person foreign key (user_id) references parley_private.users (id) on delete cascade,
  constraint runners_accept_a_key_or_anyone check (accept in ('key', 'anyone'))
);
create index if not exists runners_of_a_key on parley_private.runners (key_id) where key_id is not null;
create index if not exists runners_of_a_person on parley_private.runners (user_id) where user_id is not null;

-- One row per agent process that sits, or sat, in a session as a team. A run is a lease, too: without a sign of life it is lost
-- (private/run_life.sql). A team has one run at a time.
create table if not exists parley.runs (
  session_id uuid not null,
  run integer not null,
  participant_id integer not null,
  agent text not null,
  runner text,
  repo text,
  own_worktree boolean not null default false,
  status text not null,
  worktree jsonb,
  started_by integer,
  prompt text,
  started_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  alive_until timestamptz not null,
  error text,
  turns integer not null default 0,
  tokens bigint not null default 0,
  cost numeric not null default 0,
  max_turns integer,
  max_tokens bigint,
  max_cost numeric,
  hops integer not null default 0,
  last_event integer not null default 0,
  transcript_bytes bigint not null default 0,
  last_order integer not null default 0,
  limit_told boolean not null default false,
  key_id uuid,
  constraint runs_are_counted_per_session primary key (session_id, run),
  constraint runs_belong_to_a_participant foreign key (session_id, participant_id) references parley.participants (session_id, id),
  constraint runs_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint runs_have_a_known_status check (
    status in ('queued', 'starting', 'working', 'waiting', 'asking', 'stopped', 'failed', 'lost')),
  constraint runs_that_are_over_have_an_end check ((status in ('stopped', 'failed', 'lost')) = (ended_at is not null))
)
with (fillfactor = 70);

-- No foreign key to keys: one of a run is revoked, and stays as long as any.

create index if not exists runs_of_a_team on parley.runs (session_id, participant_id, run);
create unique index if not exists teams_have_one_run_at_a_time on parley.runs (session_id, participant_id) where ended_at is null;

-- What a runner looks for, oldest first; and how many it has.
create index if not exists runs_of_a_runner on parley.runs (runner, started_at) where ended_at is null;

-- What the sweep looks for.
create index if not exists runs_that_may_be_lost on parley.runs (alive_until) where ended_at is null;

-- What an agent said and did, as its runner saw it: a line each, and what stands behind the line apart from it. Bounded per run
-- (private/transcript.sql): the oldest texts go first, then the oldest lines.
create table if not exists parley.run_events (
  session_id uuid not null,
  run integer not null,
  event integer not null,
  kind text not null,
  title text not null,
  text text,
  at timestamptz not null default clock_timestamp(),
  constraint run_events_are_counted_per_run primary key (session_id, run, event),
  constraint run_events_belong_to_a_run foreign key (session_id, run) references parley.runs (session_id, run),
  constraint run_events_have_a_known_kind check (kind in ('say', 'think', 'tool', 'tool_result', 'prompt', 'note'))
);

-- What others want of a run, until its runner says that it is done: a prompt, an interrupt, the end, the answer to a permission.
create table if not exists parley_private.run_orders (
  session_id uuid not null,
  run integer not null,
  nth integer not null,
  kind text not null,
  by text not null,
  text text,
  request text,
  option text,
  after_event integer not null default 0,
  words text,
  at timestamptz not null default clock_timestamp(),
  handed_at timestamptz,
  done_at timestamptz,
  constraint run_orders_are_counted_per_run primary key (session_id, run, nth),
  constraint run_orders_belong_to_a_run foreign key (session_id, run) references parley.runs (session_id, run),
  constraint run_orders_have_a_known_kind check (kind in ('prompt', 'interrupt', 'stop', 'permission'))
);
create index if not exists run_orders_to_do on parley_private.run_orders (session_id, run, nth) where done_at is null;

-- What agents ask people for before they do it. Answered once: by a person, by the team that has spawned the run, or by time.
create table if not exists parley.run_permissions (
  session_id uuid not null,
  run integer not null,
  request text not null,
  tool text not null,
  input jsonb,
  options jsonb not null,
  asked_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  answered_at timestamptz,
  answered_by text,
  option text,
  constraint run_permissions_are_asked_once primary key (session_id, run, request),
  constraint run_permissions_belong_to_a_run foreign key (session_id, run) references parley.runs (session_id, run)
);

-- The inbox of people is read from here, and what the sweep looks for: whose time is over.
create index if not exists run_permissions_that_wait on parley.run_permissions (expires_at) where answered_at is null;

-- The calls of runners, and about runs, that wait right now: leases, as those of parley_private.waits. They stand apart, since nobody
-- listens to a session by them; and who takes runs is in none.
create table if not exists parley_private.run_waits (
  id uuid not null,
  session_id uuid,
  participant_id integer,
  runner text,
  verb text not null,
  options jsonb not null default '{}',
  expires_at timestamptz not null,
  constraint run_waits_have_an_id primary key (id)
);
create index if not exists run_waits_of_a_participant on parley_private.run_waits (session_id, participant_id);
create index if not exists run_waits_of_a_runner on parley_private.run_waits (runner) where runner is not null;

-- What answers of several verbs are made of; an answer of one verb stands in that verb's file. A type is made once, then
-- altered by migrations. @optional marks a field that is left out of an answer when it is null.
do $$
begin
  create domain parley.message_ref as text;
exception when duplicate_object then null;
end $$;

do $$
begin
  create domain parley.duration as text;
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.reachable as (by text, proven_at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.delivery as (
    handle text,
    state text,
    stored_at timestamptz,
    handed_at timestamptz,
    turn_at timestamptz,
    acted_at timestamptz
  );
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
    activity text,
    about jsonb,
    doing text,
    tasks integer[],
    unread integer,
    guest boolean,
    reachable parley.reachable
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
    unread integer,
    ref text,
    title text,
    conclusion text,
    task integer,
    tasks jsonb,
    result text,
    passed boolean,
    paths text[],
    teams text[],
    guest boolean,
    answer text,
    expired boolean,
    delivery parley.delivery[]
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
    waiting_for text[],
    sender text,
    guest boolean
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.written_doc as (version integer, updated_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;

-- Who is calling, as far as it has shown itself: a team, an access key, a person, or nobody.
--
-- A surface hands over hashes and decides nothing: parley.team_hash and parley.shown are set by begin_call (REST, MCP) or as
-- settings of the transaction (GraphQL). PARLEY_ACCESS is parley.access, set on every connection of the server.
do $$
begin
  create type parley_private.actor as (
    key parley_private.keys,
    person parley_private.users,
    invite parley_private.invites,
    team parley.participants
  );
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

-- What every post is held to: how fast a team may post, how long agents may answer one another, how long they may talk while
-- nothing moves. Each message carries on what the one before it of the same team has counted, and whoever appends holds the lock
-- of the session: so the counts are exact, and cost no write of their own.
do $$
begin
  create type parley_private.carried as (nth_of_author integer, counted_from integer, heard integer, hops integer, talk integer);
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
  create type parley.work as (open integer, blocked integer, claimed integer, done integer, dropped integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.verification as (by text, at timestamptz, commit text);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.carried_task as (ref text, task integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.task_details as (
    task integer,
    title text,
    body text,
    status text,
    claimed_by text,
    claim_expires_at timestamptz,
    priority integer,
    depends_on integer[],
    blocked_by integer[],
    paths text[],
    result text,
    created_by text,
    created_at timestamptz,
    updated_at timestamptz,
    version integer,
    proof text,
    "check" text,
    evidence jsonb,
    done_by text,
    verified parley.verification,
    carried_from parley.carried_task,
    open integer,
    blocked integer,
    claimed integer,
    unread integer
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.task_list as (
    tasks json,
    open integer,
    blocked integer,
    claimed integer,
    done integer,
    dropped integer,
    unread integer,
    next_after integer
  );
exception when duplicate_object then null;
end $$;

-- A task that is about to be added. In depends_on, -2 is the second task of the same call.
do $$
begin
  create type parley_private.task_draft as (title text, body text, priority integer, depends_on integer[], paths text[], "check" text);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.overlap as (path text, handle text, claimed text, task integer, branch text);
exception when duplicate_object then null;
end $$;

-- A run: one agent process that sits in a session as a team.
do $$
begin
  create type parley.agent_run as (
    run integer,
    ref text,
    handle text,
    agent text,
    runner text,
    repo text,
    status text,
    worktree jsonb,
    started_by text,
    prompt text,
    started_at timestamptz,
    updated_at timestamptz,
    ended_at timestamptz,
    error text,
    turns integer,
    tokens bigint,
    cost numeric,
    permissions jsonb,
    unread integer
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
  create type parley.replies as (
    messages parley.feed_message[], session_closed boolean, unread integer, yet_to_answer text[], answer text, expired boolean,
    delivery parley.delivery[]);
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
    last_message parley.note,
    doing text,
    tasks integer[]
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
  create type parley.digest_agent as (handle text, turns integer, tokens bigint, cost numeric);
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
    items integer,
    work parley.work,
    agents parley.digest_agent[]
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
    questions parley.note[],
    open_tasks integer
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.task_in_short as (task integer, title text, priority integer, blocked_by integer[]);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.briefing_tasks as (
    mine parley.task_in_short[],
    open parley.task_in_short[],
    blocked parley.task_in_short[],
    work parley.work
  );
exception when duplicate_object then null;
end $$;

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
    left_out parley.briefing_rest,
    tasks parley.briefing_tasks
  );
exception when duplicate_object then null;
end $$;

-- Sessions that come from another while that one goes on: spawned or forked.
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
    earlier parley.earlier,
    briefing parley.briefing
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
    unread integer,
    spawned_from text,
    forked_from parley.fork_point,
    board text,
    zone text,
    visibility text,
    mode text,
    paused boolean,
    paused_at timestamptz,
    pause_reason text
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
  create type parley.concluded_session as (session_id uuid, status text, closed_at timestamptz, doc_version integer, unread integer, open_tasks integer);
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
    handoff parley.handoff,
    briefing parley.briefing
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
    continues text,
    board text,
    zone text
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
    left_out parley.briefing_rest,
    tasks parley.briefing_tasks
  );
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
    unconfirmed integer,
    tasks integer[],
    work parley.work
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.interrupted_team as (handle text, cursor integer, at timestamptz, listening boolean, unread integer);
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
    at timestamptz,
    sender text,
    guest boolean
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.search_results as (hits parley.search_hit[], has_more boolean, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.deleted_session as (session_id uuid, ref text, deleted_at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.session_access as (session_id uuid, visibility text, mode text, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.session_invite as (url text, invite text, expires_at timestamptz, uses integer, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.revoked_invites as (session_id uuid, revoked integer, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.accepted_invite as (session_id uuid, ref text, title text, url text);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.asked_people as (message_id uuid, cursor integer, at timestamptz, expires_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.inbox_item as (
    session_id uuid,
    ref text,
    title text,
    url text,
    message_id uuid,
    cursor integer,
    handle text,
    team_name text,
    sender text,
    guest boolean,
    text text,
    "to" text[],
    at timestamptz,
    ask boolean,
    options text[],
    "default" text,
    expires_at timestamptz
  );
  create type parley.inbox_permission as (
    session_id uuid,
    ref text,
    title text,
    url text,
    run integer,
    handle text,
    agent text,
    request text,
    tool text,
    input jsonb,
    options jsonb,
    at timestamptz,
    expires_at timestamptz
  );
  create type parley.inbox as (items parley.inbox_item[], has_more boolean, permissions parley.inbox_permission[]);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.pause_state as (session_id uuid, paused boolean, paused_at timestamptz, reason text, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.removed_team as (session_id uuid, handle text, removed_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.access_key as (
    key text,
    name text,
    scopes text[],
    session text,
    created_at timestamptz,
    created_by text,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    secret text
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.access_keys as (keys parley.access_key[]);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.claimed_paths as (claimed text[], expires_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.released_paths as (released text[], unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.path_claim as (path text, claimed_by text, task integer, note text, expires_at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.changed_branch as (handle text, branch text, head text, paths integer, at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.path_list as (paths parley.path_claim[], changes parley.changed_branch[], unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.reported_changes as (changed integer, "overlaps" parley.overlap[], unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.rung_team as (
    handle text,
    state text,
    stored_at timestamptz,
    handed_at timestamptz,
    turn_at timestamptz,
    acted_at timestamptz,
    reachable parley.reachable,
    unread integer
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.runner_info as (
    runner text,
    agents text[],
    repos text[],
    max_runs integer,
    running integer,
    queued integer,
    accept text,
    offered_by text,
    offered_at timestamptz,
    expires_at timestamptz
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.runner_list as (runners parley.runner_info[]);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.taken_run as (
    run integer,
    session_id uuid,
    ref text,
    handle text,
    team_id text,
    key text,
    agent text,
    repo text,
    worktree boolean,
    prompt text,
    started_by text,
    title text,
    cursor integer,
    max_turns integer,
    max_tokens bigint,
    max_cost numeric
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.reported_run as (
    run integer,
    handle text,
    status text,
    orders jsonb,
    budget jsonb,
    last_event integer,
    session_closed boolean,
    unread integer
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.agent_list as (agents parley.agent_run[], unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.prompted_agent as (
    handle text,
    turn integer,
    done boolean,
    status text,
    words text,
    permissions jsonb,
    error text,
    unread integer
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.ordered_agent as (handle text, run integer, status text, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.transcript_event as (event integer, kind text, title text, text text, at timestamptz, more boolean);
  create type parley.transcript as (
    run integer,
    handle text,
    status text,
    events parley.transcript_event[],
    last_event integer,
    next_after integer,
    has_more boolean,
    unread integer
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.asked_permission as (request text, state text, option text, by text, reason text, expires_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.answered_permission as (handle text, request text, option text, at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.browser as (by text, signed_in_at timestamptz, last_used_at timestamptz, expires_at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.person as (
    person uuid,
    name text,
    role text,
    email text,
    you boolean,
    created_at timestamptz,
    removed_at timestamptz,
    browsers parley.browser[]
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.people as (people parley.person[]);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.invited_person as (link text, name text, role text, expires_at timestamptz);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.audit_entry as (id bigint, at timestamptz, actor text, event text, session text, details jsonb);
exception when duplicate_object then null;
end $$;

do $$
begin
  create type parley.audit_page as (entries parley.audit_entry[], next_before bigint);
exception when duplicate_object then null;
end $$;

-- The list of sessions as people look at it: what needs them first, then what is live, then what is quiet, then what is concluded.
-- One row has all that a line of the page shows, so that a page of fifty is one statement and a change is one row.
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

-- What waits for a person, over all sessions or in one, each with what is needed to answer it where it is read.
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

-- The palette's search: where something was said or written, in any session that the caller sees.
do $$
begin
  create type parley.found_place as (
    id text,
    place text,
    session_id uuid,
    ref text,
    title text,
    cursor integer,
    team_name text,
    section text,
    snippet text[],
    at timestamptz
  );
exception when duplicate_object then null;
end $$;

-- What a page needs to show an ask with its buttons, as a field of the GraphQL type Message.
do $$
begin
  create type parley.ask_state as (
    options text[],
    "default" text,
    expires_at timestamptz,
    open boolean,
    answer text,
    answered_by text,
    answered_at timestamptz,
    expired boolean
  );
exception when duplicate_object then null;
end $$;

-- What whoever looks at a session may do in it, so that a page offers that and nothing else. The guards of the verbs answer: a
-- rule is written once.
do $$
begin
  create type parley.your_place as (
    handle text,
    may_write boolean,
    may_lead boolean,
    may_own boolean,
    may_delete boolean,
    refusal text,
    hint text
  );
exception when duplicate_object then null;
end $$;

-- For people, on the settings page, and for parley doctor: what of this server is not as it was shipped.
--
-- The names may be known to whoever reads; what the functions say only to whoever may change a setting.
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
