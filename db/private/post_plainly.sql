-- Whether a message is a text and nothing else, in which nothing has to be looked for. As it is kept: {"text": …}.
create or replace function parley_private.is_plain(content jsonb, text text, as_kept jsonb)
returns boolean
language sql stable
return (jsonb_typeof(content) = 'string' or content = as_kept)
  and text ~ '\S' and text !~ 'p[tkl]_';

-- What follows from some plain posts: their words are found, and their author, where that is not known yet, was there.
create or replace function parley_private.after_plain_post(session_id uuid, sequence integer, not_seen text)
returns text
language plpgsql volatile
as $$
begin
  if sequence % 50 = 0 then
    perform parley_private.keep_rest_short(session_id, sequence);
  end if;
  if not_seen is not null then
    perform parley_private.note_call(not_seen);
  end if;
  return null;
end;
$$;

-- The short way of post_message for many calls at a time, each of another team: [{"team_hash": …, "session_id": …, "content": …}, …].
-- Most of what a post costs is to begin its statements, so that sixteen together cost as much as four do one by one. A call that is
-- not plain, or that something may speak against, has written nothing and is not in the answer: post_message itself is asked then.
-- Each answer says what it has changed; what follows from that is noted as usual.
--
-- First the locks, in the order of the list, as everybody who locks several sessions does; then everything else, as it is under them.
-- Every row is looked up by its key, whatever the planner knows of tables that may have grown since.
create or replace function parley_private.post_plainly(calls jsonb)
returns table (place integer, answer parley.posted_message, topics text)
language plpgsql volatile security definer
set search_path = ''
set enable_hashjoin = off
set enable_mergejoin = off
set enable_memoize = off
as $$
declare
  v_now      timestamptz;
  v_places   integer[];
  v_sessions uuid[];
  v_teams    integer[];
  v_last     integer[];
  v_talk     integer[];
  v_rings    boolean[];
  v_texts    text[];
  v_hashes   text[];
begin
  select array_agg(c.place), array_agg(k.session_id), array_agg(k.participant_id), array_agg(s.last_sequence), array_agg(s.talk),
    array_agg(s.has_interrupts), array_agg(c.text), array_agg(c.team_hash)
  into v_places, v_sessions, v_teams, v_last, v_talk, v_rings, v_texts, v_hashes
  from (
    select e.place::integer as place, e.call ->> 'team_hash' as team_hash, e.call ->> 'session_id' as session_id, e.call -> 'content' as content,
      coalesce(e.call -> 'content' ->> 'text', e.call ->> 'content') as text
    from jsonb_array_elements(calls) with ordinality as e (call, place)
    offset 0
  ) c
  cross join lateral (
    select k.session_id, k.participant_id from parley_private.credentials k where k.hash = decode(c.team_hash, 'hex') limit 1
  ) k
  cross join lateral (
    select s.last_sequence, s.talk, s.has_interrupts from parley.sessions s
    where s.id = k.session_id and (s.id::text = c.session_id or s.ref = c.session_id) and s.status = 'active' and s.paused_at is null
    for no key update
  ) s
  where parley_private.is_plain(c.content, c.text, jsonb_build_object('text', c.text));
  v_now := clock_timestamp();

  return query
  with post as materialized (
    select c.place, c.session_id, c.team, c.last + (row_number() over feed)::integer as sequence,
      parley_private.message_id(c.session_id, c.last + (row_number() over feed)::integer) as id,
      jsonb_build_object('text', c.text) as content, h.heard, coalesce(l.nth_of_author, 0) + 1 as nth, coalesce(l.counted_from, 0) as counted_from,
      r.hops,
      -- How many of its own it posts with this one after what it has heard; null: that is looked up.
      case when (l.sequence > h.heard) is not true then 1 when h.heard <= p.started_from then l.nth_of_author + 1 end as own,
      case when not p.was_just_seen then c.team_hash end as not_seen
    from unnest(v_places, v_sessions, v_teams, v_last, v_talk, v_rings, v_texts, v_hashes)
      as c (place, session_id, team, last, talk, rings, text, team_hash)
    cross join (select b.posts_per_minute, b.hops, b.loop_guard, b.message_max from parley_private.post_bounds b limit 1) b
    cross join lateral (
      select p.id, p.kind, p.key_id, p.user_id, p.cursor, p.handed_cursor, p.started_from, p.worked_after,
        parley_private.was_just_seen(p) as was_just_seen
      from parley.participants p where p.session_id = c.session_id and p.id = c.team and p.left_at is null limit 1
    ) p
    cross join lateral (select greatest(p.cursor, p.handed_cursor) as heard) h
    left join lateral (
      -- Its last one is among the newest, or looked for further back: all that a page of the index has of them is read.
      (select m.sequence, m.heard, m.nth_of_author, m.counted_from, m.hops from parley.messages m
      where m.session_id = c.session_id and m.posted_by = c.team and m.sequence > c.last - 50
      order by m.sequence desc limit 1)
      union all
      (select m.sequence, m.heard, m.nth_of_author, m.counted_from, m.hops from parley.messages m
      where m.session_id = c.session_id and m.posted_by = c.team and m.sequence <= c.last - 50
      order by m.sequence desc limit 1)
      limit 1
    ) l on true
    -- Whether what it has heard since its last one is what led to this.
    cross join lateral (select b.hops is not null and h.heard > coalesce(l.heard, p.started_from) as has_cause) n
    left join lateral (
      select m.sequence, m.posted_by, m.hops from parley.messages m
      where m.session_id = c.session_id and m.sequence = h.heard and n.has_cause
      limit 1
    ) k on true
    cross join lateral (
      select case when b.hops is not null
        then parley_private.hops_of(p.id, p.worked_after, l.sequence, l.hops, k.sequence, k.posted_by, k.hops)
      end as hops
    ) r
    where p.kind = 'agent'
      -- Far from what rule_post would look into or refuse.
      and (char_length(c.text) > b.message_max or l.nth_of_author - coalesce(l.counted_from, 0) >= b.posts_per_minute
        or c.talk + c.place > b.loop_guard or r.hops > b.hops) is not true
      and (not n.has_cause or k.posted_by <> c.team)
      and not (c.rings and parley_private.is_interrupted(c.session_id, c.team))
      and (p.key_id is null and p.user_id is null or parley_private.keep_door(p.key_id, p.user_id, 'agent'))
    window feed as (partition by c.session_id order by c.place)
  ),
  counted as (
    update parley.sessions s set last_sequence = n.last, last_message_at = v_now,
      active_minute = parley_private.minute_of(v_now), talk = s.talk + n.posts
    from (select p.session_id, max(p.sequence) as last, count(*)::integer as posts from post p group by p.session_id) n
    where s.id = n.session_id
  ),
  written as (
    insert into parley.messages (
      id, session_id, sequence, posted_at, posted_by, type, content, caused_by, bytes, nth_of_author, counted_from, heard, hops)
    select p.id, p.session_id, p.sequence, v_now, p.team, 'chat', p.content, p.team, octet_length(p.content::text), p.nth, p.counted_from,
      p.heard, p.hops
    from post p
  )
  select p.place,
    row(p.id, p.sequence, v_now,
      o.others - case when o.others > 0 then (
        select count(*) from parley.messages m
        where m.session_id = p.session_id and m.posted_by is null and m.caused_by = p.team and m.sequence > p.heard
      ) else 0 end, null)::parley.posted_message,
    concat(parley_private.told_topic('feed ' || p.session_id),
      case when p.sequence % 50 = 0 or p.not_seen is not null then parley_private.after_plain_post(p.session_id, p.sequence, p.not_seen) end)
  from post p
  cross join lateral (
    select p.sequence - p.heard - coalesce(p.own, p.nth - coalesce((
      select m.nth_of_author from parley.messages m
      where m.session_id = p.session_id and m.posted_by = p.team and m.sequence <= p.heard
      order by m.sequence desc limit 1
    ), 0)) as others
  ) o;
end;
$$;

grant execute on function parley_private.post_plainly to parley_caller;
