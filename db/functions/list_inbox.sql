do $$
begin
  create type parley.inbox_item as (
    session_id uuid,
    ref text,
    title text,
    url text,
    message_id uuid,
    cursor integer,
    handle text,
    team_name text,
    sender text,
    guest boolean,
    text text,
    "to" text[],
    at timestamptz,
    ask boolean,
    options text[],
    "default" text,
    expires_at timestamptz
  );
  create type parley.inbox_permission as (
    session_id uuid,
    ref text,
    title text,
    url text,
    run integer,
    handle text,
    agent text,
    request text,
    tool text,
    input jsonb,
    options jsonb,
    at timestamptz,
    expires_at timestamptz
  );
  create type parley.inbox as (items parley.inbox_item[], has_more boolean, permissions parley.inbox_permission[]);
exception when duplicate_object then null;
end $$;
comment on type parley.inbox_item is 'A question that waits for a person.';
comment on column parley.inbox_item.title is 'Of the session.';
comment on column parley.inbox_item.url is 'The page, at this message.';
comment on column parley.inbox_item.handle is 'Who asks.';
comment on column parley.inbox_item.sender is 'agent or human: said by the server.';
comment on column parley.inbox_item.guest is 'Whether an agent of another house asks.';
comment on column parley.inbox_item.text is 'Cut, if it is long; get_message has the whole.';
comment on column parley.inbox_item.to is 'humans, or the handles of those who were asked.';
comment on column parley.inbox_item.ask is 'Whether it is answered once, by answer_ask; else any reply of a person answers it.';
comment on column parley.inbox_item.options is 'The answers to choose from; empty: any text.';
comment on column parley.inbox_item.default is 'The answer when its time is over.';
comment on column parley.inbox_item.expires_at is 'When its time is over; null: never.';
comment on type parley.inbox_permission is 'What an agent asks people for, before it does it; answer_permission.';
comment on column parley.inbox_permission.title is 'Of the session.';
comment on column parley.inbox_permission.handle is 'The team that the agent is.';
comment on column parley.inbox_permission.tool is 'What it wants to do, in a line.';
comment on column parley.inbox_permission.input is 'What it would do it with.';
comment on column parley.inbox_permission.options is '@schema {"type": "array", "items": {"type": "object"}}
What may be answered: a list of option, name and kind.';
comment on column parley.inbox_permission.expires_at is 'When it is refused, if nobody has answered.';
comment on column parley.inbox.permissions is '@notNull
What agents ask for; the one that waits longest comes first.';
comment on column parley.inbox.items is '@notNull
Newest first.';

-- What waits for a person, over all sessions that they see: questions to humans, or to them by their handle there.
create or replace function parley.list_inbox()
returns parley.inbox
language plpgsql stable
set search_path = ''
as $$
declare
  v_most  constant integer := 100;
  v_items parley.inbox_item[];
begin
  v_items := array(
    select row(
      s.id, s.ref, s.title, parley_private.public_url() || '/s/' || s.ref || '#' || m.sequence,
      m.id, m.sequence, author.handle, author.team_name, author.kind, author.guest,
      left(m.content ->> 'text', parley_private.setting('list_text_max')), m.addressed_to, m.posted_at,
      a.session_id is not null, coalesce(a.options, '{}'), a.default_answer, a.expires_at
    )::parley.inbox_item
    from parley_private.questions_to(parley_private.person_id()) asked
    join parley.sessions s on s.id = asked.session_id and s.status = 'active'
    join parley.messages m on m.session_id = asked.session_id and m.sequence = asked.sequence
    join parley.participants author on author.session_id = m.session_id and author.id = m.posted_by
    left join parley.asks a on a.session_id = m.session_id and a.sequence = m.sequence
    where not parley_private.is_due(a)
      and not (author.kind = 'human' and author.user_id = parley_private.person_id())
    order by m.posted_at desc, m.session_id, m.sequence desc
    limit v_most + 1
  );
  return row(v_items[:v_most], cardinality(v_items) > v_most, parley_private.inbox_permissions(v_most))::parley.inbox;
end;
$$;

create or replace function parley_private.inbox_permissions(most integer)
returns parley.inbox_permission[]
language sql stable
set search_path = ''
as $$
  select array(
    select row(
      s.id, s.ref, s.title, parley_private.public_url() || '/s/' || s.ref, r.run, p.handle, r.agent,
      q.request, q.tool, parley_private.cut_input(q.input, 10000), q.options, q.asked_at, q.expires_at
    )::parley.inbox_permission
    from parley.run_permissions q
    join parley.runs r on r.session_id = q.session_id and r.run = q.run
    join parley.sessions s on s.id = q.session_id
    join parley.participants p on p.session_id = r.session_id and p.id = r.participant_id
    where q.answered_at is null and q.expires_at > clock_timestamp()
    order by q.expires_at
    limit most
  );
$$;

grant execute on function parley_private.inbox_permissions to parley_caller;

-- Who is signed in, as policies and readers may know it.
create or replace function parley_private.person_id()
returns uuid
language sql stable security definer
set search_path = ''
as $$
  select (parley_private.shown_person()).id;
$$;

grant execute on function parley.list_inbox, parley_private.person_id to parley_caller;

comment on function parley.list_inbox is $$
@verb GET /inbox
@who person
@toolset people
@readonly
@cost 200
What waits for you: the open questions to humans, or to you, and what agents ask for, in all sessions that you see.
$$;
