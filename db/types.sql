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
