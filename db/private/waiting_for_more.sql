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

-- Whether there is something for the reader after a cursor; what it said or caused itself counts if it asked for that.
create or replace function parley_private.has_mail(
  session parley.sessions,
  since_cursor integer,
  reader parley.participants,
  options jsonb
)
returns boolean
language sql stable
set search_path = ''
as $$
  select session.last_sequence > since_cursor and ((options ->> 'include_self')::boolean or exists (
    select from parley.messages m
    where m.session_id = session.id and m.sequence > since_cursor and m.sequence <= session.last_sequence
      and (m.posted_by <> reader.id or m.posted_by is null and m.content ->> 'handle' is distinct from reader.handle)
  ));
$$;

-- The receiving half of sync: a page of what came after the cursor. The reader's cursor moves with it if it wants that.
create or replace function parley_private.deliver(reader parley.participants, session parley.sessions, since_cursor integer, options jsonb)
returns parley.synced
language plpgsql volatile
set search_path = ''
as $$
declare
  v_include_self boolean := (options ->> 'include_self')::boolean;
  v_next         integer;
  v_messages     parley.feed_message[];
begin
  -- The last of the page: as many as were asked for, or all there is.
  select m.sequence into v_next from parley.messages m
  where m.session_id = session.id and m.sequence > since_cursor
    and m.sequence <= session.last_sequence
    and (v_include_self or m.posted_by <> reader.id or m.posted_by is null and m.content ->> 'handle' is distinct from reader.handle)
  order by m.sequence
  offset (options ->> 'max_items')::integer - 1 limit 1;
  v_next := coalesce(v_next, session.last_sequence);
  v_messages := array(
    select f::parley.feed_message from unnest(parley_private.read_feed(
      session.id, since_cursor, v_next, reader.id,
      case when not (options ->> 'full')::boolean then parley_private.setting('list_text_max') end)) f
    where v_include_self or f.handle is distinct from reader.handle
  );

  update parley.participants p set
    cursor = case when (options ->> 'auto_advance')::boolean then greatest(p.cursor, v_next) else p.cursor end,
    handed_cursor = greatest(p.handed_cursor, v_next)
  where p.session_id = reader.session_id and p.id = reader.id and v_next > least(p.cursor, p.handed_cursor);
  return row(
    coalesce((select array_agg(s) from jsonb_populate_recordset(null::parley.sent_message, options -> 'sent') s), '{}'),
    v_messages,
    v_next,
    session.status = 'closed',
    parley_private.has_mail(session, v_next, reader, options),
    session.session_doc_version,
    reader.empty_polls,
    reader.empty_polls >= parley_private.setting('idle_polls'),
    parley_private.unread(reader, v_next)
  )::parley.synced;
end;
$$;

create or replace function parley_private.has_news(wait parley_private.waits, session parley.sessions)
returns boolean
language sql stable
set search_path = ''
as $$
  select case wait.verb
    when 'wait_for_reply' then parley_private.has_reply(wait.session_id, (wait.options ->> 'reply_to')::integer, wait.participant_id, (wait.options ->> 'all')::boolean)
    when 'sync' then (
      select parley_private.has_mail(session, wait.since_cursor, p, wait.options)
      from parley.participants p where p.session_id = wait.session_id and p.id = wait.participant_id
    )
    else session.last_sequence > wait.since_cursor
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
    update parley.participants p set
      last_seen_at = clock_timestamp(),
      handed_cursor = case when v_wait.verb = 'wait_for_messages'
        then greatest(p.handed_cursor, least(v_session.last_sequence, v_wait.since_cursor + parley_private.setting('wait_page')))
        else p.handed_cursor
      end,
      -- Nobody is idle who waits for one reply: it is the feed that tells whether a session has fallen silent.
      empty_polls = case
        when v_wait.verb = 'wait_for_reply' then p.empty_polls
        when parley_private.has_news(v_wait, v_session) then 0
        else p.empty_polls + 1
      end
    where p.session_id = v_wait.session_id and p.id = v_wait.participant_id
    returning * into v_reader;

    id := v_wait.id;
    answer := case v_wait.verb
      when 'wait_for_reply' then to_json(parley_private.replies(v_reader, v_session, (v_wait.options ->> 'reply_to')::integer))
      when 'sync' then to_json(parley_private.deliver(v_reader, v_session, v_wait.since_cursor, v_wait.options))
      else to_json(parley_private.news(v_session, v_wait.since_cursor, v_reader.id, v_reader.empty_polls, "full" => true))
    end;
    return next;
  end loop;
end;
$$;
