do $$
begin
  create type parley.replies as (
    messages parley.feed_message[], session_closed boolean, unread integer, yet_to_answer text[], answer text, expired boolean,
    delivery parley.delivery[]);
exception when duplicate_object then null;
end $$;
comment on column parley.replies.delivery is '@optional
Without a reply: how far the message has got with each team that it is meant for.';
comment on column parley.replies.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.replies.answer is '@optional
The answer to what was asked by ask_people.';
comment on column parley.replies.expired is '@optional
True when no person has answered in time: the answer is the default, if there is one.';
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
-- yet to answer, or it was withdrawn. An ask waits for its answer, whoever else replies.
create or replace function parley_private.has_reply(session_id uuid, reply_to integer, reader integer, of_all boolean default false)
returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce((
    select a.answered_at is not null from parley.asks a where a.session_id = has_reply.session_id and a.sequence = has_reply.reply_to
  ), exists (
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
  ));
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
      where m.session_id = session.id and m.reply_to = replies.reply_to
        and (m.posted_by <> reader.id or m.posted_by is null and m.content ->> 'event' = 'ask_expired')
      order by m.sequence
      limit parley_private.setting('wait_page')
    ),
    session.status = 'closed',
    parley_private.unread(reader),
    (
      select parley_private.yet_to_answer(q) from parley.messages q
      where q.session_id = session.id and q.sequence = replies.reply_to and q.expects_reply
    ),
    settled.content ->> 'text',
    (settled.content ->> 'expired')::boolean,
    (
      select parley_private.delivery_of(q) from parley.messages q
      where q.session_id = session.id and q.sequence = replies.reply_to and q.addressed_to is not null
        and not parley_private.has_reply(session.id, replies.reply_to, reader.id)
    )
  )::parley.replies
  from (select) as always
  left join parley.asks a on a.session_id = session.id and a.sequence = replies.reply_to
  left join parley.messages settled on settled.session_id = a.session_id and settled.sequence = a.answer;
$$;

-- Waits in a row that brought nothing, after one more: as long as the document stands still, too.
create or replace function parley_private.count_poll(reader parley.participants, doc_version integer, has_news boolean)
returns integer
language sql immutable
return case
  when has_news then 0
  when reader.idle_version = doc_version then reader.empty_polls + 1
  else 1
end;

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
-- options: max_items, include_self, full, skipped; peek: the cursor is not stored; poll: an empty answer is counted; sent: what the
-- team has said with this call, past which its cursor goes; spoke: that was something.
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
  if v_page.last > reader.handed_cursor then
    reader.handed_cursor := v_page.last;
    reader.handed_through := (v_page.last || reader.handed_through)[1:4];
    reader.handed_times := (clock_timestamp() || reader.handed_times)[1:4];
  end if;
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
      handed_through = reader.handed_through,
      handed_times = reader.handed_times,
      empty_polls = reader.empty_polls,
      idle_version = reader.idle_version,
      last_seen_at = clock_timestamp()
    where p.session_id = reader.session_id and p.id = reader.id;
  end if;
  return parley_private.wait_answer(
    session, since_cursor, v_page, reader, reader.empty_polls, v_text_max, (options ->> 'skipped')::integer, options ? 'sent');
end;
$$;

-- What sync answers with: what it has posted, and what it has heard.
create or replace function parley_private.synced(heard parley.wait_answer, options jsonb)
returns parley.synced
language sql stable
set search_path = ''
as $$
  select row(
    coalesce((select array_agg(s) from jsonb_populate_recordset(null::parley.sent_message, options -> 'sent') s), '{}'),
    heard.messages,
    heard.next_cursor,
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
  select parley_private.is_interrupted(wait.session_id, wait.participant_id) or case wait.verb
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
      -- What time has answered is written by the verb, which locks the session first: it is asked again.
      when 'wait_for_reply' then case when not parley_private.ask_is_due(v_session.id, (v_wait.options ->> 'reply_to')::integer)
        then to_json(parley_private.replies(v_reader, v_session, (v_wait.options ->> 'reply_to')::integer))
      end
      when 'sync' then to_json(parley_private.synced(
        parley_private.hear(v_reader, v_session, v_wait.since_cursor, v_wait.options), v_wait.options))
      else to_json(parley_private.hear(v_reader, v_session, v_wait.since_cursor, v_wait.options))
    end;
    answer := parley_private.with_interrupt(answer, parley_private.take_interrupt(v_reader.session_id, v_reader.id));
    if v_wait.verb = 'wait_for_reply' then
      update parley.participants p set last_seen_at = clock_timestamp()
      where p.session_id = v_reader.session_id and p.id = v_reader.id;
    end if;
    return next;
  end loop;
end;
$$;
