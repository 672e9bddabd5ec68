-- An ask: a question to people that is answered once.

-- Its time is over, whether that was written down yet or not.
create or replace function parley_private.is_due(ask parley.asks)
returns boolean
language sql stable
return ask.answered_at is null and coalesce(ask.expires_at <= clock_timestamp(), false);

grant execute on function parley_private.is_due to parley_caller;

create or replace function parley_private.is_asked(ask parley.asks, participant parley.participants)
returns boolean
language sql stable
set search_path = ''
as $$
  select participant.kind = 'human' and (
    select array['humans', participant.handle] && m.addressed_to from parley.messages m
    where m.session_id = ask.session_id and m.sequence = ask.sequence
  );
$$;

-- A reply settles it that is said by a person who was asked, and in time; or by the server, when its time is over or its author has
-- withdrawn it. The caller holds the lock of the session.
create or replace function parley_private.settle_ask(reply parley.messages)
returns void
language sql volatile
set search_path = ''
as $$
  update parley.asks a set answered_at = reply.posted_at, answer = reply.sequence
  where a.session_id = reply.session_id and a.sequence = reply.reply_to and a.answered_at is null
    and (reply.posted_by is null
      or reply.kind not in ('question', 'status') and not parley_private.is_due(a) and exists (
        select from parley.participants p
        where p.session_id = reply.session_id and p.id = reply.posted_by and parley_private.is_asked(a, p)));
$$;

-- Whether a message is an ask that is over, though nobody has said so yet.
create or replace function parley_private.ask_is_due(session_id uuid, message integer)
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select from parley.asks a join parley.sessions s on s.id = a.session_id and s.status = 'active'
    where a.session_id = ask_is_due.session_id and a.sequence = message and parley_private.is_due(a)
  );
$$;

-- The server says the default in place of the people; in a session that was concluded meanwhile it says nothing more.
create or replace function parley_private.expire_ask(session_id uuid, message integer)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_session parley.sessions;
  v_ask     parley.asks;
begin
  select * into v_session from parley.sessions s where s.id = expire_ask.session_id for no key update;
  select * into v_ask from parley.asks a where a.session_id = v_session.id and a.sequence = message and parley_private.is_due(a);
  if v_ask.session_id is null then
    return;
  elsif v_session.status = 'closed' then
    update parley.asks a set answered_at = a.expires_at where a.session_id = v_ask.session_id and a.sequence = v_ask.sequence;
    return;
  end if;
  perform parley_private.append_message(
    v_ask.session_id, null, 'system',
    jsonb_strip_nulls(jsonb_build_object(
      'event', 'ask_expired', 'cursor', v_ask.sequence, 'answer', v_ask.default_answer, 'text', v_ask.default_answer, 'expired', true)),
    reply_to => v_ask.sequence);
end;
$$;

-- Run by the worker every few seconds. A session that somebody has locked has its turn the next time.
create or replace function parley_private.sweep_asks()
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_ask   parley.asks;
  v_count integer := 0;
begin
  for v_ask in
    select a.* from parley.asks a
    where a.answered_at is null and a.expires_at <= clock_timestamp()
    order by a.session_id, a.expires_at
    limit 100
  loop
    perform from parley.sessions s where s.id = v_ask.session_id for no key update skip locked;
    if found then
      perform parley_private.expire_ask(v_ask.session_id, v_ask.sequence);
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end;
$$;

grant execute on function parley_private.sweep_asks to parley_worker;
