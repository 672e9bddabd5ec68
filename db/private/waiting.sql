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
-- it calls hold(). The server then reads beside the answer (parley.held) that it should not send it, keeps the call
-- without a connection, and asks answer_waits() for all its calls together whenever the topic has moved. A verb that wants
-- to be asked again then, instead of being answered for, says so.

create or replace function parley_private.hold(
  caller parley.participants,
  since_cursor integer,
  seconds double precision,
  verb text default 'wait_for_messages',
  options jsonb default null,
  topic text default 'feed',
  ask_again boolean default false,
  by text default 'wait'
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_wait_id text := nullif(current_setting('parley.wait_id', true), '');
begin
  -- Not longer than the key lives that the team was opened under.
  if caller.key_id is not null then
    seconds := least(seconds, (
      select extract(epoch from k.expires_at - clock_timestamp()) + 0.05 from parley_private.keys k where k.id = caller.key_id));
  end if;
  if v_wait_id is null or seconds <= 0 or parley_private.is_interrupted(caller.session_id, caller.id) then
    return;
  end if;
  insert into parley_private.waits (id, session_id, participant_id, since_cursor, expires_at, verb, options, by)
  values (
    v_wait_id::uuid, caller.session_id, caller.id, since_cursor, clock_timestamp() + (seconds + 5) * interval '1 second', verb, options, by);
  perform set_config('parley.held', json_build_object(
    'topic', topic || ' ' || caller.session_id, 'seconds', seconds, 'again', ask_again)::text, true);
end;
$$;

-- What a wait answers with: a page of the feed, as one team sees it. reader null: whoever has said none of it, so that
-- many can share it. Nothing new: the cursor stays where it was, unless it goes past what the team has said itself.
create or replace function parley_private.wait_answer(
  session parley.sessions,
  since_cursor integer,
  page parley_private.page,
  reader parley.participants,
  empty_polls integer,
  text_max integer,
  skipped integer default null,
  past_own boolean default false
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
    case when cardinality(page.cursors) > 0 or past_own then page.last else since_cursor end,
    -- Told with the conclusion, not before it: whoever hears of it stops listening.
    session.status = 'closed' and (not page.has_more or session.closed_at <= (
      select m.posted_at from parley.messages m where m.session_id = session.id and m.sequence = page.last)),
    page.has_more,
    session.session_doc_version,
    empty_polls,
    empty_polls >= parley_private.setting('idle_polls'),
    case when reader.id is null then session.last_sequence - page.last else parley_private.unread(reader) end,
    skipped
  )::parley.wait_answer;
$$;

-- Those of the given waits that have something to hear. Once there is, there is: it holds until they are locked.
create or replace function parley_private.waits_that_are_over(ids uuid[])
returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  return array(
    -- Each is found by its key, whatever the planner thinks of tables that may be empty at one moment and full at the next:
    -- the other ways to join a thousand compare each of them with all others.
    with asked as materialized (
      select * from parley_private.waits w where w.id = any (ids)
    )
    select w.id
    from asked w
    cross join lateral (select * from parley.sessions s where s.id = w.session_id offset 0) s
    cross join lateral (select * from parley.participants p where p.session_id = w.session_id and p.id = w.participant_id offset 0) p
    left join lateral (
      select m.caused_by from parley.messages m where m.session_id = s.id and m.sequence = s.last_sequence offset 0
    ) newest on true
    where s.status = 'closed' or p.left_at is not null
      or case
        when w.options is not null then parley_private.wait_is_over(w, s)
        when newest.caused_by is distinct from w.participant_id then s.last_sequence > w.since_cursor
        else parley_private.has_messages_after(s, w.since_cursor, p, false)
      end
  );
end;
$$;

-- The end of waits: those of the given ones that have something to hear, or all of them when the server gives up
-- on them (their time is over, their client is gone, the server stops). Waits that get the same answer share it: one row,
-- many ids. A wait whose lease is lost (a crash of the database takes the newest ones, the end of a session all of its own)
-- comes back without an answer: the server has to ask the verb again. A wait whose team or lease somebody else has locked does
-- not come back at all: the server has to ask again for it.
create or replace function parley_private.answer_waits(ids uuid[], give_up boolean default false)
returns table (wait_ids uuid[], answer json)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_most     integer := parley_private.setting('wait_page');
  v_text_max integer := parley_private.setting('list_text_max');
  v_alike    record;
  v_session  parley.sessions;
  v_page     parley_private.page;
  v_reader   parley.participants;
  v_of_runs  record;
begin
  perform parley_private.write_presence_only();
  if exists (select from parley_private.run_waits) then
    v_of_runs := parley_private.end_run_waits(ids, give_up);
    return query select v_of_runs.ended, null::json where v_of_runs.ended is not null;
    ids := array(select i.id from unnest(ids) as i (id) where i.id <> all (v_of_runs.of_this_kind));
  end if;
  perform parley_private.single_out_interrupted(ids);
  -- What the team was opened under has ended meanwhile: it comes back without an answer, too, and is refused when it asks again.
  if give_up then
    delete from parley_private.waits w using parley.participants p
    where w.id = any (ids) and p.session_id = w.session_id and p.id = w.participant_id and not parley_private.still_opens(p);
  end if;
  return query
  select array_agg(i.id), null::json
  from unnest(ids) as i (id)
  where (
    select s.id from parley.sessions s where s.id = (select w.session_id from parley_private.waits w where w.id = i.id)
  ) is null
  having count(*) > 0;

  if exists (select from parley_private.waits w where w.id = any (ids) and w.verb = 'claim_task') then
    return query select w.wait_ids, w.answer from parley_private.end_waits_for_work(ids, give_up) w;
    ids := array(select w.id from parley_private.waits w where w.id = any (ids) and w.verb <> 'claim_task');
  end if;
  if not give_up then
    ids := parley_private.waits_that_are_over(ids);
  end if;
  if cardinality(ids) = 0 then
    return;
  end if;

  for v_alike in
    with ended as materialized (
      select * from parley_private.waits w where w.id = any (ids) for update skip locked
    )
    select w.session_id, w.since_cursor, alike.reader, w.options is null as is_plain,
      array_agg(w.id) as ids, array_agg(w.participant_id) as participants
    from ended w
    cross join lateral (select * from parley.sessions s where s.id = w.session_id offset 0) s
    cross join lateral (
      select * from parley.participants p where p.session_id = w.session_id and p.id = w.participant_id for no key update skip locked
    ) p
    cross join lateral (
      -- 0 stands for whoever has said nothing since, and was handed nothing by another call meanwhile.
      select case when p.handed_cursor > w.since_cursor or exists (
            select from parley.messages m
            where m.session_id = w.session_id and m.posted_by = w.participant_id and m.sequence > w.since_cursor
          ) or exists (
            select from parley.messages m
            where m.session_id = w.session_id and m.posted_by is null and m.caused_by = w.participant_id and m.sequence > w.since_cursor
          )
          then w.participant_id else 0
        end as reader,
        parley_private.count_poll(p, s.session_doc_version, s.last_sequence > w.since_cursor) as empty_polls
    ) alike
    group by w.session_id, w.since_cursor, alike.reader, alike.empty_polls, w.options is null
  loop
    if not v_alike.is_plain then
      return query select array[a.id], a.answer from parley_private.answer_one_by_one(v_alike.ids) a;
      continue;
    end if;
    select * into v_session from parley.sessions s where s.id = v_alike.session_id;
    v_page := parley_private.page_after(v_session, v_alike.since_cursor, v_alike.reader, v_most, v_text_max);
    -- Once more: what is on this page may be the event of an interrupt that came meanwhile.
    if parley_private.single_out_interrupted(v_alike.ids) then
      return query select array[a.id], a.answer from parley_private.answer_one_by_one(v_alike.ids) a;
      select array_agg(w.id), array_agg(w.participant_id) into v_alike.ids, v_alike.participants
      from parley_private.waits w where w.id = any (v_alike.ids);
      continue when v_alike.ids is null;
    end if;
    delete from parley_private.waits w where w.id = any (v_alike.ids);
    with seen as (
      update parley.participants p set
        cursor = greatest(p.cursor, v_alike.since_cursor),
        last_seen_at = clock_timestamp(),
        handed_cursor = greatest(p.handed_cursor, v_page.last),
        handed_through = case when v_page.last > p.handed_cursor then (v_page.last || p.handed_through)[1:4] else p.handed_through end,
        handed_times = case when v_page.last > p.handed_cursor then (clock_timestamp() || p.handed_times)[1:4] else p.handed_times end,
        empty_polls = parley_private.count_poll(p, v_session.session_doc_version, cardinality(v_page.cursors) > 0),
        idle_version = v_session.session_doc_version
      where p.session_id = v_alike.session_id and p.id = any (v_alike.participants)
      returning p.*
    )
    select * into v_reader from seen limit 1;
    wait_ids := v_alike.ids;
    answer := to_json(parley_private.wait_answer(
      v_session, v_alike.since_cursor, v_page, case when v_alike.reader > 0 then v_reader end, v_reader.empty_polls, v_text_max));
    return next;
  end loop;
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
  delete from parley_private.run_waits w
  where w.id in (select x.id from parley_private.run_waits x where x.id = any (ids) for update skip locked);
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
