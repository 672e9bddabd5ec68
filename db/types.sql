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
  create domain parley.duration as text;
exception when duplicate_object then null;
end $$;
comment on domain parley.duration is '@schema {"anyOf": [{"type": "string"}, {"type": "integer"}]}
90m, 12h, 30d, or a number of seconds.';

do $$
begin
  create type parley.reachable as (by text, proven_at timestamptz);
exception when duplicate_object then null;
end $$;
comment on type parley.reachable is 'How a team would hear what is said now: as it was observed, never as it said of itself.';
comment on column parley.reachable.by is 'wait (a call of it waits, or has just ended), hook or runner (which wake it), none.';
comment on column parley.reachable.proven_at is 'When something was last heard of that.';

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
comment on type parley.delivery is 'How far a message has got with a team that it is meant for.';
comment on column parley.delivery.handle is 'The team.';
comment on column parley.delivery.state is 'stored, handed (given out to it), turn (its agent has begun a turn with it) or acted (it has posted, acked or moved a task since).';
comment on column parley.delivery.handed_at is 'When it was handed over; null: it was not, or that was long ago.';
comment on column parley.delivery.turn_at is 'When its runner or hook said that a turn began with it.';
comment on column parley.delivery.acted_at is 'When it first posted, acked or moved a task after that.';

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
comment on column parley.roster_entry.reachable is '@notNull
How it would hear what is said now.';
comment on column parley.roster_entry.guest is 'Whether it came by an invitation: a team of another house.';
comment on column parley.roster_entry.you is 'Whether this is the calling team.';
comment on column parley.roster_entry.status is 'active, idle or disconnected: derived from the calls of the team, never declared.';
comment on column parley.roster_entry.activity is 'listening (a wait is in flight), working (it called lately), silent or left.';
comment on column parley.roster_entry.listening is 'Whether a wait of the team is in flight.';
comment on column parley.roster_entry.cursor is 'How far the team has confirmed the feed.';
comment on column parley.roster_entry.acked_cursor is 'How far the team has said that it has read.';
comment on column parley.roster_entry.about is '@schema {"type": "object"}
What the team says of itself: agent, model, machine, repo, branch, worktree, role.';
comment on column parley.roster_entry.doing is 'What it is doing, in its own words.';
comment on column parley.roster_entry.tasks is '@notNull
The tasks that it has claimed.';
comment on column parley.roster_entry.unread is '@optional
Messages of others that no answer has handed to you yet; by update_team.';

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
comment on column parley.feed_message.cursor is 'Its place in the feed: 1, 2, 3 …';
comment on column parley.feed_message.type is 'chat or system.';
comment on column parley.feed_message.sender is 'agent, human or system: said by the server, not by the author.';
comment on column parley.feed_message.content is '@schema {"type": "object", "properties": {"text": {"type": "string"}}}
Chat: {"text": …}. System: the event and its fields.';
comment on column parley.feed_message.event is '@optional
What a system message tells: team_joined, team_left, session_metadata_updated, session_access_updated, session_paused, session_unpaused,
team_removed, question_withdrawn, ask_expired, child_spawned, child_concluded, team_interrupted, session_concluded, and what becomes
of tasks and paths.';
comment on column parley.feed_message.by is '@optional
The team or the person that caused the event.';
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
The handles of the teams that it is meant for, humans for any person; left out: everybody.';
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
comment on column parley.feed_message.delivery is '@optional
How far it has got with each team that it is meant for; by get_message.';
comment on column parley.feed_message.ref is '@optional
The session that was spawned, or has concluded.';
comment on column parley.feed_message.title is '@optional
The title of that session, or of the task.';
comment on column parley.feed_message.conclusion is '@optional
How it ended, cut.';
comment on column parley.feed_message.task is '@optional
The task that it is about.';
comment on column parley.feed_message.tasks is '@optional
@schema {"type": "array", "items": {"type": "object", "properties": {"task": {"type": "integer"}, "title": {"type": "string"}}}}
The tasks that were added.';
comment on column parley.feed_message.result is '@optional
What came of the task; cut, list_tasks has the whole.';
comment on column parley.feed_message.passed is '@optional
Whether the task was found to be done.';
comment on column parley.feed_message.paths is '@optional
The paths at which teams overlap.';
comment on column parley.feed_message.teams is '@optional
The handles of these teams.';
comment on column parley.feed_message.guest is '@optional
True for an agent of another house, which came by an invitation.';
comment on column parley.feed_message.answer is '@optional
The answer that time has given to a question to people: its default.';
comment on column parley.feed_message.expired is '@optional
True when no person has answered in time.';

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
comment on type parley.note is 'A message in a line or two; get_message has the whole.';
comment on column parley.note.to is '@optional';
comment on column parley.note.sender is 'agent or human: said by the server.';
comment on column parley.note.guest is '@optional
True for an agent of another house.';
comment on column parley.note.waiting_for is '@optional
Of a question to several teams, some of which have answered: the others.';

do $$
begin
  create type parley.written_doc as (version integer, updated_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.written_doc.unread is 'Messages of others that no answer has handed to you yet.';
