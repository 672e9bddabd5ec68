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
  if v_wait_id is null or seconds <= 0 then
    return;
  end if;
  insert into parley_private.waits (id, session_id, participant_id, since_cursor, expires_at, verb, options)
  values (
    v_wait_id::uuid, caller.session_id, caller.id, since_cursor, clock_timestamp() + (seconds + 5) * interval '1 second', verb, options);
  perform set_config('parley.held', json_build_object('topic', 'feed ' || caller.session_id, 'seconds', seconds)::text, true);
end;
$$;

-- What there is to hear after a cursor. reader null: nobody who has written any of it.
create or replace function parley_private.news(
  session parley.sessions,
  since_cursor integer,
  reader integer,
  empty_polls integer,
  "full" boolean default false
)
returns parley.news
language sql stable
set search_path = ''
as $$
  select row(
    case when page.last > since_cursor
      then parley_private.read_feed(
        session.id, since_cursor, page.last, reader, case when not "full" then parley_private.setting('list_text_max') end)
      else '{}'::parley.feed_message[]
    end,
    page.last,
    session.status = 'closed',
    page.last < session.last_sequence,
    session.session_doc_version,
    empty_polls,
    empty_polls >= parley_private.setting('idle_polls'),
    case when page.last = session.last_sequence then 0 else coalesce(
      (select parley_private.unread(p, page.last) from parley.participants p where p.session_id = session.id and p.id = reader),
      session.last_sequence - page.last)
    end
  )::parley.news
  from (select least(session.last_sequence, since_cursor + parley_private.setting('wait_page'))) as page (last);
$$;

-- The end of waits: those of the given ones that have something to hear, or all of them when the server gives up
-- on them (their time is over, their client is gone, the server stops). Presence is written for all in one go,
-- and waits that get the same answer share it: one row, many ids. A wait whose lease is lost (a crash of the
-- database takes the newest ones) comes back without an answer: the server has to ask the verb again.
create or replace function parley_private.answer_waits(ids uuid[], give_up boolean default false)
returns table (wait_ids uuid[], answer json)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_ready uuid[];
  v_page  integer := parley_private.setting('wait_page');
begin
  perform parley_private.write_presence_only();
  -- Many are planned for as many as they are: by a plan that was made for a few, a thousand would take half a second.
  if cardinality(ids) > 20 then
    perform set_config('plan_cache_mode', 'force_custom_plan', true);
  end if;
  if exists (select from unnest(ids) as i (id) where not exists (select from parley_private.waits w where w.id = i.id)) then
    return query
    select array_agg(i.id), null::json
    from unnest(ids) as i (id)
    where not exists (select from parley_private.waits w where w.id = i.id);
  end if;

  -- In order, and before the waits: two who do this at once queue up instead of waiting for each other.
  v_ready := array(
    select w.id
    from parley.participants p
    join parley_private.waits w on w.session_id = p.session_id and w.participant_id = p.id
    join parley.sessions s on s.id = w.session_id
    where w.id = any (ids)
      and (give_up or s.status = 'closed' or p.left_at is not null
        or case when w.options is null then s.last_sequence > w.since_cursor else parley_private.has_news(w, s) end)
    order by p.session_id, p.id
    for no key update of p
  );
  if cardinality(v_ready) = 0 then
    return;
  end if;

  return query select array[a.id], a.answer from parley_private.answer_one_by_one(v_ready) a;
  return query
  with ready as materialized (
    select w.id, w.session_id, w.participant_id, w.since_cursor, s as session, s.last_sequence > w.since_cursor as has_news
    from parley_private.waits w
    join parley.sessions s on s.id = w.session_id
    where w.id = any (v_ready) and w.options is null
  ),
  ended as (
    delete from parley_private.waits w using ready r where w.id = r.id
  ),
  seen as (
    update parley.participants p set
      last_seen_at = clock_timestamp(),
      handed_cursor = greatest(p.handed_cursor, r.handed),
      empty_polls = case when r.has_news then 0 else p.empty_polls + 1 end
    from (
      select r.session_id, r.participant_id, bool_or(r.has_news) as has_news,
        max(least((r.session).last_sequence, r.since_cursor + v_page)) as handed
      from ready r
      group by r.session_id, r.participant_id
    ) r
    where p.session_id = r.session_id and p.id = r.participant_id
    returning p.session_id, p.id, p.empty_polls
  ),
  readers as (
    select r.*, seen.empty_polls,
      (
        select m.posted_by from parley.messages m
        where m.session_id = r.session_id
          and m.posted_by = r.participant_id
          and m.sequence > r.since_cursor
        limit 1
      ) as reader
    from ready r
    join seen on seen.session_id = r.session_id and seen.id = r.participant_id
  ),
  answers as (
    select array_agg(r.id) as ids, r.session, r.since_cursor, r.reader, r.empty_polls
    from readers r
    group by r.session, r.since_cursor, r.reader, r.empty_polls
  )
  select a.ids, to_json(parley_private.news(a.session, a.since_cursor, a.reader, a.empty_polls)) from answers a;
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
  perform from parley.participants p
  join parley_private.waits w on w.session_id = p.session_id and w.participant_id = p.id
  where w.id = any (ids)
  order by p.session_id, p.id
  for no key update of p;

  with ended as (
    delete from parley_private.waits w where w.id = any (ids) returning w.session_id, w.participant_id
  )
  update parley.participants p set last_seen_at = clock_timestamp()
  from (select distinct e.session_id, e.participant_id from ended e) e
  where p.session_id = e.session_id and p.id = e.participant_id;
end;
$$;

grant execute on function parley_private.abandon_waits to parley_caller;
