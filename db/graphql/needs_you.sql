-- What waits for a person, over all sessions or in one, each with what is needed to answer it where it is read.
do $$
begin
  create type parley.need as (
    id text,
    kind text,
    session_id uuid,
    ref text,
    title text,
    cursor integer,
    handle text,
    team_name text,
    sender text,
    task integer,
    text text,
    at timestamptz,
    ask boolean,
    options text[],
    "default" text,
    expires_at timestamptz,
    request text,
    choices jsonb
  );
exception when duplicate_object then null;
end $$;
comment on type parley.need is 'Something that waits for a person.';
comment on column parley.need.id is '@notNull
Tells them apart.';
comment on column parley.need.kind is '@notNull
question, permission, blocker, stalled or idle.';
comment on column parley.need.session_id is '@notNull';
comment on column parley.need.ref is '@notNull';
comment on column parley.need.title is '@notNull
Of the session.';
comment on column parley.need.cursor is 'Of the message, if it is one.';
comment on column parley.need.handle is 'The team that it is about.';
comment on column parley.need.sender is 'agent or human: said by the server.';
comment on column parley.need.task is 'The task, if it is one.';
comment on column parley.need.text is 'What was said, cut; or what the task is called.';
comment on column parley.need.at is 'Since when.';
comment on column parley.need.ask is '@notNull
Whether it is answered once, by answer_ask; else any reply answers it.';
comment on column parley.need.options is '@notNull
The answers to choose from; empty: any text.';
comment on column parley.need.default is 'The answer when its time is over.';
comment on column parley.need.request is 'What answer_permission calls it, if it is a permission.';
comment on column parley.need.choices is 'What may be answered to a permission: a list of option, name and kind.';
comment on column parley.need.expires_at is 'When its time is over; null: never.';

-- In all sessions but those that were put away, or in one.
create or replace function parley_private.seen_needs(in_session uuid default null)
returns setof parley.need
language plpgsql stable
set search_path = ''
as $$
declare
  v_person uuid := parley_private.person_id();
  v_public boolean := parley_private.sees_public();
  v_all    boolean := parley_private.sees_all();
  v_own    uuid[] := parley_private.sees_own();
begin
  return query
  select
    concat_ws(' ', s.id, n.kind, n.cursor, n.task, n.request, case when n.cursor is null then p.handle end),
    n.kind, s.id, s.ref, s.title, n.cursor, p.handle, p.team_name, p.kind, n.task,
    left(coalesce(m.content ->> 'text', asked.tool, concat_ws(': ', t.title, t.result)), 2000), n.at,
    a.session_id is not null, coalesce(a.options, '{}'), a.default_answer, coalesce(a.expires_at, asked.expires_at),
    asked.request, asked.options
  from parley_private.needs(v_person) n
  join parley.sessions s on s.id = n.session_id and (v_all or s.visibility = 'everyone' and v_public or s.id = any (v_own))
  left join parley.participants p on p.session_id = n.session_id and p.id = n.participant_id
  left join parley.messages m on m.session_id = n.session_id and m.sequence = n.cursor
  left join parley.tasks t on t.session_id = n.session_id and t.task = n.task
  left join parley.run_permissions asked
    on asked.session_id = n.session_id and asked.run = split_part(n.request, ' ', 1)::integer and asked.request = substr(n.request, strpos(n.request, ' ') + 1)
  left join parley.asks a on a.session_id = n.session_id and a.sequence = n.cursor
  where case when in_session is null
    then not exists (select from parley_private.archived_sessions away where away.session_id = s.id and away.user_id = v_person)
    else n.session_id = in_session end
  order by array_position(array['permission', 'question', 'blocker', 'stalled', 'idle'], n.kind), coalesce(a.expires_at, asked.expires_at), n.at desc, s.id
  limit 100;
end;
$$;

create or replace function parley.needs_you()
returns setof parley.need
language sql stable security definer
set search_path = ''
as $$
  select * from parley_private.seen_needs();
$$;

create or replace function parley.sessions_needs(session parley.sessions)
returns setof parley.need
language sql stable security definer
set search_path = ''
as $$
  select * from parley_private.seen_needs(session.id);
$$;

grant execute on function parley.needs_you, parley.sessions_needs to parley_caller;

comment on function parley.needs_you is '@cost 100
What waits for a person in all sessions that you see, the most urgent first; a hundred at most.';

comment on function parley.sessions_needs is '@cost 100
What in it waits for a person, the most urgent first; a hundred at most.';
