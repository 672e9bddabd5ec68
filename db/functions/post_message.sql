do $$
begin
  create type parley.posted_message as (message_id uuid, cursor integer, at timestamptz, unread integer, not_listening text[]);
exception when duplicate_object then null;
end $$;
comment on column parley.posted_message.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.posted_message.not_listening is '@optional
Those it is meant for who are not there to hear it now.';

-- A post that is more than a text, or that something may speak against.
create or replace function parley_private.post_with_care(
  session_id text,
  content jsonb,
  type text,
  draft parley_private.draft,
  expected_cursor integer
)
returns parley.posted_message
language plpgsql volatile
as $$
declare
  v_bounds  parley_private.post_bounds;
  v_seat    parley_private.seat;
  v_message parley.messages;
begin
  if type is distinct from 'chat' then
    perform parley_private.fail(400, 'system_type_forbidden', 'Only chat messages can be posted; other types are written by the server.',
      'Leave type out, or send "chat".', jsonb_build_object('field', 'type'));
  end if;
  select * into v_bounds from parley_private.post_bounds b where b.only_one;
  draft := parley_private.check_draft('', draft, content, v_bounds);
  if expected_cursor is not null then
    perform parley_private.check_cursor('expected_cursor', expected_cursor);
  end if;

  v_seat := parley_private.lock_seat(session_id, even_if_closed => true, even_if_paused => true);
  v_message := parley_private.post_draft(v_seat, draft, v_bounds, expected_cursor => expected_cursor);
  return row(
    v_message.id,
    v_message.sequence,
    v_message.posted_at,
    parley_private.unread(v_seat.participant, newest => case when v_message.sequence > (v_seat.session).last_sequence then v_message end),
    case when v_message.expects_reply or v_message.addressed_to is not null
      then parley_private.not_listening(v_seat.participant, v_message.addressed_to)
    end
  )::parley.posted_message;
end;
$$;

-- What nearly every post is, a text and nothing else that nothing speaks against, is done here, in as few statements and expressions as
-- there can be: in a transaction of its own each costs a post as much as a row does. What is not as plain is not counted, and goes the
-- long way, post_with_care, which knows every rule and says why it refuses.
create or replace function parley.post_message(
  session_id text,
  content jsonb,
  type text default 'chat',
  kind text default null,
  reply_to parley.message_ref default null,
  "to" text[] default null,
  expects_reply boolean default null,
  metadata jsonb default null,
  client_message_id text default null,
  expected_cursor integer default null
)
returns parley.posted_message
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_text     text := coalesce(content ->> 'text', content #>> '{}');
  v_content  jsonb := jsonb_build_object('text', v_text);
  v_plain    boolean;
  v_now      timestamptz;
  v_session  uuid;
  v_team     integer;
  v_sequence integer;
  v_id       uuid;
  v_talk     integer;
  v_rings    boolean;
  v_key      uuid;
  v_person   uuid;
  v_heard    integer;
  v_nth      integer;
  v_from     integer;
  v_hops     integer;
  v_news     boolean;
  v_worked   integer;
  v_most     integer;
  v_unread   integer;
  v_told     text;
begin
  if type = 'chat' and num_nonnulls(kind, reply_to, "to", expects_reply, metadata, client_message_id, expected_cursor) = 0
    and parley_private.is_plain(content, v_text, v_content)
  then
    -- To count it is to lock its session: the rest is looked at under that lock, as by lock_seat.
    update parley.sessions s set last_sequence = s.last_sequence + 1, last_message_at = clock_timestamp(),
      active_minute = parley_private.minute_of(clock_timestamp()), talk = s.talk + 1
    from parley_private.credentials c
    where c.hash = decode(current_setting('parley.team_hash', true), 'hex') and s.id = c.session_id
      and (s.id::text = post_message.session_id or s.ref = post_message.session_id)
      and s.status = 'active' and s.paused_at is null
    returning s.id, c.participant_id, s.last_sequence, s.last_message_at, parley_private.message_id(s.id, s.last_sequence), s.talk,
      s.has_interrupts
    into v_session, v_team, v_sequence, v_now, v_id, v_talk, v_rings;
  end if;
  if v_session is not null then
    select p.key_id, p.user_id, p.heard, coalesce(l.nth_of_author, 0) + 1, coalesce(l.counted_from, 0), r.hops,
      -- Whether what it has heard since its last one is what led to this.
      p.heard > coalesce(l.heard, p.started_from) and b.hops is not null, p.worked_after, b.hops,
      -- What came after it, but for its own, of which this is the first, or all are; null: these are looked up.
      v_sequence - p.heard - case when (l.sequence > p.heard) is not true then 1 when p.heard <= p.started_from then l.nth_of_author + 1 end,
      p.told,
      -- Far from what rule_post would look into or refuse.
      p.is_agent and char_length(v_text) <= b.message_max
        and (l.nth_of_author - coalesce(l.counted_from, 0) >= b.posts_per_minute or v_talk > b.loop_guard or r.hops > b.hops) is not true
    into v_key, v_person, v_heard, v_nth, v_from, v_hops, v_news, v_worked, v_most, v_unread, v_told, v_plain
    from (
      -- No more columns than these: each is described anew for every post.
      select p.session_id, p.id, p.key_id, p.user_id, greatest(p.cursor, p.handed_cursor) as heard, p.started_from, p.worked_after,
        p.kind = 'agent' as is_agent, case when parley_private.was_just_seen(p) then 'nothing to add' else 'yes' end as told
      from parley.participants p
      where p.session_id = v_session and p.id = v_team and p.left_at is null
      offset 0
    ) p
    cross join (select b.posts_per_minute, b.hops, b.loop_guard, b.message_max from parley_private.post_bounds b where b.only_one limit 1) b
    left join lateral (
      select m.sequence, m.heard, m.nth_of_author, m.counted_from, m.hops from parley.messages m
      where m.session_id = v_session and m.posted_by = v_team
      order by m.sequence desc
      limit 1
    ) l on true
    cross join lateral (
      select case when b.hops is not null then parley_private.hops_of(p.id, p.worked_after, l.sequence, l.hops) end as hops
    ) r;
  end if;
  -- In one: to ask once costs a post less than to ask three times. What is seldom asked stands inside: it costs where it is begun.
  if v_plain and (v_news or v_rings or v_key is not null or v_person is not null) then
    if v_news then
      select parley_private.hops_of(v_team, v_worked, null, null, m.sequence, m.posted_by, m.hops), m.posted_by <> v_team
      into v_hops, v_plain
      from parley.messages m where m.session_id = v_session and m.sequence = v_heard;
      v_plain := v_plain and v_hops <= v_most;
    end if;
    if v_plain and (v_key is not null or v_person is not null) then
      v_plain := parley_private.keep_door(v_key, v_person, 'agent');
    end if;
    if v_rings then
      if parley_private.is_interrupted(v_session, v_team) then
        v_told := 'yes';
      end if;
    end if;
  end if;
  if v_plain is not true then
    if v_session is not null then
      update parley.sessions s set last_sequence = v_sequence - 1, talk = v_talk - 1 where s.id = v_session;
    end if;
    return parley_private.post_with_care(session_id, content, type,
      row(null, kind, reply_to, "to", expects_reply, metadata, client_message_id)::parley_private.draft, expected_cursor);
  end if;

  insert into parley.messages (
    id, session_id, sequence, posted_at, posted_by, type, content, caused_by, bytes, nth_of_author, counted_from, heard, hops)
  values (
    v_id, v_session, v_sequence, v_now, v_team, 'chat', v_content, v_team, octet_length(v_content::text), v_nth, v_from, v_heard, v_hops);
  if v_sequence % 50 = 0 then
    perform parley_private.keep_rest_short(v_session, v_sequence);
  end if;
  v_told := set_config('parley.seated', v_told, true) || parley_private.note_topic('feed ' || v_session);

  if (v_unread > 0) is not false then
    v_unread := coalesce(v_unread, v_sequence - v_heard - v_nth + coalesce((
      select m.nth_of_author from parley.messages m
      where m.session_id = v_session and m.posted_by = v_team and m.sequence <= v_heard
      order by m.sequence desc limit 1
    ), 0)) - (
      select count(*) from parley.messages m
      where m.session_id = v_session and m.posted_by is null and m.caused_by = v_team and m.sequence > v_heard
    );
  end if;
  return row(v_id, v_sequence, v_now, v_unread, null)::parley.posted_message;
end;
$$;

grant execute on function parley.post_message to parley_caller;

comment on function parley.post_message is $$
@verb POST /sessions/{session_id}/messages
@who team
@toolset core
@together parley_private.post_plainly session_id, content
@clamped
@param content -
@schema content {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}]}
@param type Only chat.
@param kind question, answer, decision, status …
@param reply_to message_id or cursor.
@param to Handles, or humans; everyone still sees it.
@param expects_reply Default: for a question.
@param metadata For programs.
@schema metadata {"type": "object", "properties": {}}
@param client_message_id Repeat to retry.
@param expected_cursor Refused if others spoke since.
@unlisted type, expects_reply
Post a message. Whoever waits gets it at once.
$$;
