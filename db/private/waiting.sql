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
  -- Not longer than the key lives that the team was opened under.
  if caller.key_id is not null then
    seconds := least(seconds, (
      select extract(epoch from k.expires_at - clock_timestamp()) + 0.05 from parley_private.keys k where k.id = caller.key_id));
  end if;
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
  -- What the team was opened under has ended meanwhile: it comes back without an answer, too, and is refused when it asks again.
  if give_up then
    delete from parley_private.waits w using parley.participants p
    where w.id = any (ids) and p.session_id = w.session_id and p.id = w.participant_id and not parley_private.still_opens(p);
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
