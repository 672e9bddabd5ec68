-- What every post is held to: how fast a team may post, how long agents may answer one another, how long they may talk while
-- nothing moves. Each message carries on what the one before it of the same team has counted, and whoever appends holds the lock
-- of the session: so the counts are exact, and cost no write of their own.
do $$
begin
  create type parley_private.carried as (nth_of_author integer, counted_from integer, heard integer, hops integer, talk integer);
exception when duplicate_object then null;
end $$;

create or replace function parley_private.refuse_too_soon(message text, hint text, free_at timestamptz, details jsonb)
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(429, 'rate_limited', message, format(hint, wait.seconds),
    details || jsonb_build_object('retry_after_seconds', wait.seconds))
  from (select greatest(1, ceil(extract(epoch from free_at - clock_timestamp()))::integer) as seconds) wait;
$$;

-- Time does not end a loop, but whoever retries by itself should not do so at once.
create or replace function parley_private.refuse_loop(message text, hint text, details jsonb)
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(429, 'loop_guard', message, hint, details || '{"retry_after_seconds": 60}');
$$;

-- After how many of its messages the last minute of a team begins. A message carries the answer on: for as long as those after it
-- are within the bound, nobody counts again.
create or replace function parley_private.count_minute(session_id uuid, posted_by integer, posted integer, bound integer)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_posted integer;
  v_oldest timestamptz;
begin
  select count(*), min(newest.posted_at) into v_posted, v_oldest
  from (
    select m.posted_at from parley.messages m
    where m.session_id = count_minute.session_id and m.posted_by = count_minute.posted_by
    order by m.sequence desc
    limit bound
  ) newest
  where newest.posted_at > clock_timestamp() - interval '1 minute';
  if v_posted >= bound then
    perform parley_private.refuse_too_soon(
      format('You have posted %s messages within a minute, as many as this server takes.', v_posted),
      'Nothing was posted. Wait %s seconds; then say in one message what you would say in several.',
      v_oldest + interval '1 minute',
      jsonb_build_object('setting', 'posts_per_minute', 'limit', bound));
  end if;
  return posted - v_posted;
end;
$$;

create or replace function parley_private.refuse_hops(hops integer, bound integer)
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.refuse_loop(
    format('Agents have answered one another %s times to get to this message; %s are allowed.', hops, bound),
    'Nothing was posted. Put down what came of it, then go on: once you have written to the document (append_to_session_doc), posted a decision (kind decision) or changed a task, your next message starts anew. So does an answer to a person. If nothing came of it, stop and tell your human.',
    jsonb_build_object('setting', 'hops', 'limit', bound, 'hops', hops));
$$;

create or replace function parley_private.refuse_talk(talk integer, bound integer)
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.refuse_loop(
    format('Agents have posted %s messages in a row here, and nothing has moved meanwhile.', talk),
    'Nothing was posted. Do something that lasts, then go on: write what is settled into the document (append_to_session_doc), post a decision (kind decision), answer an open question (reply_to), or change a task. If there is nothing left to do, conclude the session or tell your human.',
    jsonb_build_object('setting', 'loop_guard', 'limit', bound, 'messages', talk));
$$;

-- Whether a reply is what somebody waits for: the first answer of a team to an open question of another.
create or replace function parley_private.is_awaited(session_id uuid, posted_by integer, kind text, reply_to integer)
returns boolean
language sql stable
set search_path = ''
as $$
  select is_awaited.kind not in ('question', 'status') and exists (
    select from parley.open_questions q
    join parley.participants p on p.session_id = q.session_id and p.id = is_awaited.posted_by
    where q.session_id = is_awaited.session_id and q.sequence = is_awaited.reply_to
      and q.asked_by <> p.id
      and (q.addressed_to is null or p.handle = any (q.addressed_to))
      and not exists (
        select from parley.messages m
        where m.session_id = q.session_id and m.reply_to = q.sequence
          and m.posted_by = p.id and m.kind not in ('question', 'status')
      )
  );
$$;

-- How many messages of agents lead to one, one after the other. What led to it is its cause: what it replies to, or else the newest message of
-- another that its author was handed since its last one, or else what led to the last one. But what was said before the author last did
-- something that lasts has led to that; and the messages of people have no hops, so whoever they lead to starts anew.
create or replace function parley_private.hops_of(
  posted_by integer, worked_after integer, last integer, last_hops integer,
  cause integer default null, cause_by integer default null, cause_hops integer default null)
returns integer
language sql immutable
return case
  when coalesce(cause, last) <= worked_after then 0
  when cause_by is null then coalesce(last_hops, 0)
  when cause_by = posted_by then coalesce(cause_hops, 0)
  else coalesce(cause_hops + 1, 0)
end;

-- What a post carries, if it may be posted at all. heard is how far its author was handed the feed, null for a person: people are
-- in no loop. In few expressions: in a transaction of its own each of them costs a post as much as a row does.
create or replace function parley_private.rule_post(
  session_id uuid,
  posted_by integer,
  kind text,
  reply_to integer,
  heard integer,
  started_from integer,
  worked_after integer,
  talk integer,
  bounds parley_private.post_bounds
)
returns parley_private.carried
language plpgsql stable
as $$
declare
  v_last       integer;
  v_last_heard integer;
  v_nth        integer;
  v_from       integer;
  v_hops       integer;
  v_cause      integer;
  v_cause_by   integer;
  v_cause_hops integer;
  v_moves      boolean;
begin
  select m.sequence, m.heard, m.nth_of_author, coalesce(m.counted_from, 0), m.hops
  into v_last, v_last_heard, v_nth, v_from, v_hops
  from parley.messages m
  where m.session_id = rule_post.session_id and m.posted_by = rule_post.posted_by
  order by m.sequence desc
  limit 1;

  if reply_to is not null or heard > coalesce(v_last_heard, started_from) then
    v_cause := coalesce(reply_to, heard);
    select m.posted_by, m.hops into v_cause_by, v_cause_hops from parley.messages m
    where m.session_id = rule_post.session_id and m.sequence = v_cause;
    -- Mostly the newest is of another; where it is not, what was heard since is looked through, once.
    if reply_to is null and (v_cause_by = posted_by) is not false then
      select m.sequence, m.posted_by, m.hops into v_cause, v_cause_by, v_cause_hops from parley.messages m
      where m.session_id = rule_post.session_id
        and m.sequence < v_cause and m.sequence > coalesce(v_last_heard, rule_post.started_from)
        and m.posted_by <> rule_post.posted_by
      order by m.sequence desc
      limit 1;
    end if;
  end if;
  v_hops := case
    when heard is null or bounds.hops is null then null
    when kind = 'decision' then 0
    else parley_private.hops_of(posted_by, worked_after, v_last, v_hops, v_cause, v_cause_by, v_cause_hops)
  end;

  if v_nth - v_from >= bounds.posts_per_minute or talk >= bounds.loop_guard or v_hops > bounds.hops
    or heard is null or kind = 'decision' or reply_to is not null then
    v_moves := heard is null or kind = 'decision' or parley_private.is_awaited(session_id, posted_by, kind, reply_to);
    if v_nth - v_from >= bounds.posts_per_minute then
      v_from := parley_private.count_minute(session_id, posted_by, v_nth, bounds.posts_per_minute);
    end if;
    if talk >= bounds.loop_guard and not v_moves then
      perform parley_private.refuse_talk(talk, bounds.loop_guard);
    end if;
    if v_hops > bounds.hops then
      perform parley_private.refuse_hops(v_hops, bounds.hops);
    end if;
  end if;
  return row(coalesce(v_nth, 0) + 1, coalesce(v_from, 0), heard, v_hops, case when v_moves then 0 else talk + 1 end)::parley_private.carried;
end;
$$;

-- What a team does is told to everybody, and wakes whoever waits, as what it says does: it may do ten times as much within a minute.
-- Nobody has done so much if all together have not, so as a rule one look at the feed is all. What happens by itself is bound by nothing.
create or replace function parley_private.rule_event(message parley.messages)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_bound  integer := (select 10 * b.posts_per_minute from parley_private.post_bounds b);
  v_minute timestamptz := message.posted_at - interval '1 minute';
  v_team   parley.participants;
  v_done   integer;
  v_oldest timestamptz;
begin
  if not exists (
    select from parley.messages m
    where m.session_id = message.session_id and m.sequence = message.sequence - v_bound and m.posted_at > v_minute
  ) then
    return;
  end if;
  v_team := parley_private.shown_team();
  if v_team.session_id is distinct from message.session_id or v_team.kind = 'human' then
    return;
  end if;
  select count(*), min(newest.posted_at) into v_done, v_oldest
  from (
    select m.posted_at from parley.messages m
    where m.session_id = message.session_id and m.posted_by is null and m.caused_by = v_team.id
    order by m.sequence desc
    limit v_bound + 1
  ) newest
  where newest.posted_at > v_minute;
  if v_done > v_bound then
    perform parley_private.refuse_too_soon(
      format('You have done %s things within a minute that everybody here was told of, as many as this server takes.', v_bound),
      'Nothing was done. Wait %s seconds.',
      v_oldest + interval '1 minute',
      jsonb_build_object('setting', 'posts_per_minute', 'limit', v_bound));
  end if;
end;
$$;
