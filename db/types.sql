-- What the verbs answer. A type cannot be replaced, so each is made once and altered by a migration.
-- @optional marks a field that is left out of an answer when it is null.
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
  create type parley.note as (cursor integer, message_id uuid, handle text, "to" text[], text text, at timestamptz);
exception when duplicate_object then null;
end $$;
comment on type parley.note is 'A message in a line or two; get_message has the whole.';
comment on column parley.note.to is '@optional';

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

do $$
begin
  create type parley.earlier as (messages integer, digest_tokens integer);
exception when duplicate_object then null;
end $$;
comment on type parley.earlier is 'What came before a team joined: get_digest has it in short, get_history in full.';
comment on column parley.earlier.digest_tokens is 'About how many tokens get_digest takes.';

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

do $$
begin
  create type parley.left_session as (session_id uuid, handle text, left_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.left_session.unread is 'Messages of others that no answer has handed to you yet.';

do $$
begin
  create type parley.roster as (participants parley.roster_entry[], unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.roster.participants is '@notNull';
comment on column parley.roster.unread is 'Messages of others that no answer has handed to you yet.';

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

do $$
begin
  create type parley.news as (
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
comment on column parley.news.next_cursor is 'The since_cursor of the next wait: until you present it, the same messages come again.';
comment on column parley.news.session_closed is 'True once the session is concluded: stop waiting.';
comment on column parley.news.empty_polls is 'Waits in a row that brought nothing while nobody wrote the document either.';
comment on column parley.news.session_idle is 'True when so many waits in a row were empty that the team should tell its human.';
comment on column parley.news.skipped is '@optional
How many messages of others your since_cursor jumped over that were never handed to you; get_history has them.';
comment on column parley.news.unread is 'Messages of others that no answer has handed to you yet.';

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

do $$
begin
  create type parley.posted_message as (message_id uuid, cursor integer, at timestamptz, unread integer, not_listening text[]);
exception when duplicate_object then null;
end $$;
comment on column parley.posted_message.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.posted_message.not_listening is '@optional
Those it is meant for who are not there to hear it now.';

do $$
begin
  create type parley.history_page as (messages parley.feed_message[], next_cursor integer, has_more boolean, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.history_page.messages is '@notNull';
comment on column parley.history_page.next_cursor is 'The before_cursor of the next older page; null at the beginning.';
comment on column parley.history_page.unread is 'Messages of others that no answer has handed to you yet.';

do $$
begin
  create type parley.session_doc as (content text, version integer, updated_at timestamptz, updated_by text, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.session_doc.updated_by is 'The handle of the team that wrote this version.';
comment on column parley.session_doc.unread is 'Messages of others that no answer has handed to you yet.';

do $$
begin
  create type parley.written_doc as (version integer, updated_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.written_doc.unread is 'Messages of others that no answer has handed to you yet.';

do $$
begin
  create type parley.updated_metadata as (title text, description text, updated_at timestamptz, changes jsonb, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.updated_metadata.unread is 'Messages of others that no answer has handed to you yet.';

do $$
begin
  create type parley.concluded_session as (session_id uuid, status text, closed_at timestamptz, doc_version integer, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.concluded_session.unread is 'Messages of others that no answer has handed to you yet.';

do $$
begin
  create type parley.withdrawn_question as (message_id uuid, cursor integer, at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.withdrawn_question.at is 'When it was withdrawn.';
comment on column parley.withdrawn_question.unread is 'Messages of others that no answer has handed to you yet.';

do $$
begin
  create type parley.acked_messages as (acked_cursor integer, cursor integer, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.acked_messages.unread is 'Messages of others that no answer has handed to you yet.';

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
    activity text
  );
exception when duplicate_object then null;
end $$;
comment on type parley.digest_team is 'What a team did.';
comment on column parley.digest_team.last_cursor is 'Its newest message; null while it has said nothing.';
comment on column parley.digest_team.activity is 'listening, working, silent or left.';

do $$
begin
  create type parley.doc_change as (cursor integer, version integer, handle text, bytes integer, at timestamptz);
exception when duplicate_object then null;
end $$;
comment on type parley.doc_change is 'A new version of the document.';
comment on column parley.doc_change.cursor is 'The newest message when it was written.';
comment on column parley.doc_change.bytes is 'By how much the document grew.';

do $$
begin
  create type parley.digest_event as (cursor integer, event text, handle text, at timestamptz);
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
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.digest.messages is 'How many messages the teams posted.';
comment on column parley.digest.omitted is '@optional
How many older entries the lists leave out.';
comment on column parley.digest.unread is 'Messages of others that no answer has handed to you yet.';

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
