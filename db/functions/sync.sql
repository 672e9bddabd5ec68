-- One call for a whole turn: says what the team has to say, hands over what it has not heard, and waits if asked to.
-- An outbox is posted whole or not at all. As with a wait, the cursor moves when the next one is presented and never with
-- the answer, which may get lost: then the same comes again.
create or replace function parley.sync(
  session_id text,
  outbox jsonb default '[]',
  since_cursor integer default null,
  timeout double precision default 0,
  max_items integer default 50,
  include_self boolean default false,
  auto_advance boolean default true,
  ack_through integer default null,
  "full" boolean default false,
  by text default 'wait',
  turn_cursor integer default null
)
returns parley.synced
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_drafts  parley_private.draft[];
  v_max     integer := least(max_items, 500);
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_session parley.sessions;
  v_since   integer;
  v_sent    jsonb := '[]';
  v_options jsonb;
  v_seconds double precision;
begin
  perform parley_private.check_cursor('since_cursor', since_cursor);
  perform parley_private.check_cursor('ack_through', ack_through);
  if timeout < 0 then
    perform parley_private.refuse_argument('timeout', 'timeout must be 0 or more seconds.',
      '0 answers at once; leave it out to wait as long as one call may.');
  elsif max_items < 1 then
    perform parley_private.refuse_argument('max_items', 'max_items must be 1 or more.', 'Leave it out for the usual number.');
  end if;
  perform parley_private.check_waiter(by);
  perform parley_private.check_cursor('turn_cursor', turn_cursor);
  v_drafts := parley_private.read_outbox(outbox);

  if cardinality(v_drafts) > 0 then
    v_seat := parley_private.lock_seat(session_id, even_if_closed => true, even_if_paused => true);
    v_sent := parley_private.post_outbox(v_seat, v_drafts);
    select s into v_seat.session from parley.sessions s where s.id = (v_seat.session).id;
  else
    v_seat := parley_private.take_seat(session_id);
    -- A receipt is worth a flush to disk; presence is not.
    if ack_through is null then
      perform parley_private.write_presence_only();
    end if;
  end if;
  v_session := v_seat.session;
  perform
    parley_private.check_not_ahead('since_cursor', since_cursor, v_session.last_sequence),
    parley_private.check_not_ahead('turn_cursor', turn_cursor, v_session.last_sequence);
  if turn_cursor is not null then
    perform parley_private.note_turn(v_seat.participant, turn_cursor);
  end if;
  v_caller := case when ack_through is null then v_seat.participant else parley_private.ack(v_seat, 'ack_through', ack_through) end;

  v_since := coalesce(since_cursor, v_caller.cursor);
  v_options := jsonb_build_object(
    'max_items', v_max,
    'include_self', include_self,
    'peek', auto_advance is false,
    'full', "full",
    'skipped', parley_private.skipped(v_caller, v_since),
    'sent', v_sent);
  v_seconds := least(timeout, parley_private.setting('wait_max_seconds'));

  if v_seconds > 0 and v_session.status = 'active' and not parley_private.has_messages_after(v_session, v_since, v_caller, include_self) then
    perform parley_private.hold(v_caller, v_since, v_seconds, 'sync', v_options || '{"poll": true}', by => by);
  end if;
  return parley_private.synced(
    parley_private.hear(v_caller, v_session, v_since, v_options || jsonb_build_object('spoke', v_sent <> '[]')), v_options);
end;
$$;

grant execute on function parley.sync to parley_caller;

comment on function parley.sync is $$
@verb POST /sessions/{session_id}/sync
@who team
@toolset reading
@clamped
@blocking
@param outbox Texts, or objects as for post_message.
@schema outbox {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"content": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"text": {"type": "string"}}}]}}, "required": ["content"]}]}}
@param since_cursor -
@param timeout -
@param max_items At most 500; default 50.
@param include_self Your own messages too.
@param auto_advance False: since_cursor is not stored as yours.
@param ack_through Tell the others that you have read up to here.
@param full Whole texts.
@param by hook or runner, if that waits for the team and wakes it.
@param turn_cursor By a hook: a turn begins with the messages up to here.
@unlisted ack_through, auto_advance, full, include_self, max_items, by, turn_cursor
Post, and receive what others said, in one call.
$$;
