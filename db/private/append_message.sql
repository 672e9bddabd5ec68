-- Appends one message and gives it the session's next sequence.
--
-- The sequence is counted on the session row, not drawn from a sequence object: the row lock makes
-- commit order equal sequence order, so a reader that has seen 7 can never miss a 6 that commits later.
create or replace function parley_private.append_message(
  session_id uuid,
  posted_by integer,
  type text,
  content jsonb,
  kind text default 'message',
  reply_to integer default null,
  addressed_to text[] default null,
  expects_reply boolean default false,
  metadata jsonb default null,
  client_message_id text default null,
  carried parley_private.carried default null
)
returns parley.messages
language plpgsql volatile
as $$
declare
  v_now         timestamptz := clock_timestamp();
  v_sequence    integer;
  v_caused_by   integer := posted_by;
  v_nth_of_kind integer;
  v_message     parley.messages;
begin
  update parley.sessions s set last_sequence = s.last_sequence + 1, last_message_at = v_now,
    active_minute = parley_private.minute_of(v_now), talk = coalesce(carried.talk, s.talk)
  where s.id = append_message.session_id
  returning s.last_sequence into v_sequence;
  if v_sequence % 50 = 0 then
    perform parley_private.keep_rest_short(session_id, v_sequence);
  end if;
  if posted_by is null then
    select p.id into v_caused_by from parley.participants p
    where p.session_id = append_message.session_id
      and p.handle = coalesce(append_message.content ->> 'by_handle', append_message.content ->> 'handle');
  end if;

  if kind in ('question', 'answer', 'decision', 'status', 'blocked', 'blocker') then
    v_nth_of_kind := 1 + coalesce((
      select m.nth_of_kind from parley.messages m
      where m.session_id = append_message.session_id and m.posted_by = append_message.posted_by and m.kind = append_message.kind
        and m.nth_of_kind is not null
      order by m.sequence desc limit 1
    ), 0);
  end if;

  insert into parley.messages (
    id, session_id, sequence, posted_at, posted_by, type, content, kind, reply_to, addressed_to,
    expects_reply, metadata, client_message_id,
    caused_by, nth_of_kind, bytes, nth_of_author, counted_from, heard, hops)
  values (
    parley_private.message_id(session_id, v_sequence), session_id, v_sequence, v_now, posted_by, type, content, kind, reply_to, addressed_to,
    expects_reply, metadata, client_message_id,
    v_caused_by, v_nth_of_kind, octet_length(content::text) + coalesce(octet_length(metadata::text), 0),
    coalesce(carried.nth_of_author, 1), carried.counted_from, carried.heard, carried.hops)
  returning * into v_message;
  perform parley_private.tell_of(v_message);
  return v_message;
end;
$$;

-- Something was done that lasts: the document written, a task changed. What was said before has led to this, and counts no more
-- (private/post_rules.sql). Whoever writes the row of the session anyway sets talk there.
create or replace function parley_private.note_work(session_id uuid, participant_id integer, last_sequence integer)
returns void
language sql volatile
set search_path = ''
as $$
  update parley.participants p set worked_after = note_work.last_sequence
  where p.session_id = note_work.session_id and p.id = note_work.participant_id and p.worked_after < note_work.last_sequence;
$$;

-- What the server itself says in the feed: as a rule that something has moved, and who has moved it.
create or replace function parley_private.announce(session_id uuid, event text, fields jsonb, moves boolean default true)
returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_message parley.messages := parley_private.append_message(
    session_id, null, 'system', jsonb_build_object('event', event) || fields, 
    carried => case when moves then row(1, null, null, null, 0)::parley_private.carried end);
begin
  perform parley_private.rule_event(v_message);
  if moves then
    perform parley_private.note_work(session_id, v_message.caused_by, v_message.sequence);
  end if;
  return v_message.sequence;
end;
$$;
