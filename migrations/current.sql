alter table parley.messages
  add column if not exists kind text not null default 'message',
  add column if not exists reply_to integer,
  add column if not exists addressed_to text[],
  add column if not exists expects_reply boolean not null default false,
  add column if not exists metadata jsonb,
  add column if not exists client_message_id text,
  drop constraint if exists messages_reply_to_an_earlier_one,
  add constraint messages_reply_to_an_earlier_one foreign key (session_id, reply_to)
    references parley.messages (session_id, sequence);
alter table parley.sessions
  add column if not exists continues uuid,
  add column if not exists last_message_at timestamptz,
  drop constraint if exists sessions_continue_another,
  add constraint sessions_continue_another foreign key (continues) references parley.sessions (id);
alter table parley_private.waits
  add column if not exists verb text not null default 'wait_for_messages',
  add column if not exists options jsonb;

update parley.sessions s set last_message_at = m.posted_at
from parley.messages m
where m.session_id = s.id and m.sequence = s.last_sequence and s.last_message_at is null;

-- Versions of before: the newest message that was there when each was written.
alter table parley.session_doc_history
  add column if not exists after_cursor integer not null default 0,
  no force row level security;
update parley.session_doc_history h set after_cursor = told.after_cursor
from (
  select line.session_id, line.version,
    coalesce(max(line.sequence) over (partition by line.session_id order by line.at, line.sequence nulls last), 0) as after_cursor
  from (
    select m.session_id, m.posted_at, m.sequence, null from parley.messages m
    union all
    select v.session_id, v.written_at, null, v.version from parley.session_doc_history v
  ) as line (session_id, at, sequence, version)
) told
where told.session_id = h.session_id and told.version = h.version and h.after_cursor = 0;

-- A type cannot be replaced: what it gains is added, once.
do $$
begin
  alter type parley.feed_message
    add attribute kind text,
    add attribute reply_to uuid,
    add attribute reply_to_cursor integer,
    add attribute "to" text[],
    add attribute expects_reply boolean,
    add attribute metadata jsonb,
    add attribute truncated boolean,
    add attribute text_length integer,
    add attribute read_by text[],
    add attribute replies integer[],
    add attribute unread integer;
  alter type parley.left_session add attribute unread integer;
  alter type parley.roster add attribute unread integer;
  alter type parley.session_details
    add attribute continues text,
    add attribute continued_by text[],
    add attribute unread integer;
  alter type parley.news add attribute unread integer;
  alter type parley.posted_message
    add attribute unread integer,
    add attribute not_listening text[];
  alter type parley.history_page add attribute unread integer;
  alter type parley.session_doc add attribute unread integer;
  alter type parley.written_doc add attribute unread integer;
  alter type parley.updated_metadata add attribute unread integer;
  alter type parley.concluded_session add attribute unread integer;
exception when duplicate_column then null;
end $$;

-- Functions with other arguments than before are other functions.
drop function if exists parley.post_message(text, jsonb, text);
drop function if exists parley.append_to_session_doc(text, text);
drop function if exists parley.get_history(text, integer, integer);
drop function if exists parley.wait_for_messages(text, integer, double precision);
drop function if exists parley.sessions_find_messages(parley.sessions, text, text);
drop function if exists parley_private.append_message(uuid, integer, text, jsonb);
drop function if exists parley_private.read_feed(uuid, integer, integer, integer);
drop function if exists parley_private.hold(parley.participants, integer, double precision);
drop function if exists parley_private.news(parley.sessions, integer, integer, integer);
drop function if exists parley_private.refuse_closed();

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
    carried_bytes integer
  );
exception when duplicate_object then null;
end $$;
do $$
begin
  alter type parley.joined_session add attribute unread integer, add attribute handoff parley.handoff;
exception when duplicate_column then null;
end $$;

--!include tables/settings.sql
--!include tables/sessions.sql
--!include tables/participants.sql
--!include tables/credentials.sql
--!include tables/waits.sql
--!include tables/messages.sql
--!include tables/session_doc_history.sql
--!include tables/doc_keys.sql
--!include types.sql
--!include private/find_message.sql
--!include private/enter_session.sql
--!include private/lock_session.sql
--!include private/unread.sql
--!include private/ack.sql
--!include private/append_message.sql
--!include private/read_feed.sql
--!include private/stale_post.sql
--!include private/draft.sql
--!include private/outbox.sql
--!include private/waiting.sql
--!include private/waiting_for_more.sql
--!include private/write_doc.sql
--!include private/append_to_doc.sql
--!include private/doc_outline.sql
--!include private/with_conclusion.sql
--!include private/notes.sql
--!include private/digest.sql
--!include private/search.sql
--!include private/handoff.sql
--!include functions/create_session.sql
--!include functions/join_session.sql
--!include functions/leave_session.sql
--!include functions/list_participants.sql
--!include functions/get_session.sql
--!include functions/wait_for_messages.sql
--!include functions/post_message.sql
--!include functions/get_history.sql
--!include functions/read_session_doc.sql
--!include functions/update_session_doc.sql
--!include functions/append_to_session_doc.sql
--!include functions/update_session_metadata.sql
--!include functions/conclude_session.sql
--!include functions/resume_session.sql
--!include functions/list_sessions.sql
--!include functions/whoami.sql
--!include functions/sync.sql
--!include functions/wait_for_reply.sql
--!include functions/ack_messages.sql
--!include functions/get_message.sql
--!include functions/get_digest.sql
--!include functions/search.sql
--!include graphql/sessions.sql
--!include graphql/exports.sql
--!include mcp/session_resource.sql
--!include mcp/doc_resource.sql
--!include mcp/feed_resource.sql
--!include mcp/roster_resource.sql
--!include mcp/list_resources.sql
--!include mcp/complete_ref.sql
