--! Previous: sha1:23b66660ca6e06d2df242f6be9eaad3d8a7ff71b
--! Hash: sha1:ed7383643a110d8e5f43e1fdc1018a120d116d27
--! Message: runs

-- Enter migration here

--! Included private/sees.sql
-- What the policies of the tables ask, before any of them stands: db/private/sight.sql knows the answers.
create or replace function parley_private.sees_public()
returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.sight() <> 'some';
end;
$$;

create or replace function parley_private.sees_own()
returns uuid[]
language plpgsql stable
set search_path = ''
as $$
begin
  perform parley_private.sight();
  return current_setting('parley.own_sessions', true)::uuid[];
end;
$$;

-- Whether every session there is can be seen: then nothing has to be asked row by row.
create or replace function parley_private.sees_all()
returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return case parley_private.sight()
    when 'all' then true
    when 'public' then not exists (select from parley.sessions s where s.visibility = 'members')
    else false
  end;
end;
$$;

-- Where that is not so. A page is mostly of one session: what was found for the row before holds for the next. Its cost is said to be
-- small, so that no plan is chosen to ask it less often.
create or replace function parley_private.sees_session(session_id uuid)
returns boolean
language plpgsql stable security definer cost 1
set search_path = ''
as $$
begin
  if current_setting('parley.sight', true) <> '' and current_setting('parley.seen_session', true) = session_id::text then
    return true;
  end if;
  if not exists (select from parley.sessions s where s.id = sees_session.session_id and parley_private.sees(s)) then
    return false;
  end if;
  perform set_config('parley.seen_session', session_id::text, true);
  return true;
end;
$$;

-- Whether the caller is of another house: came by an invitation, or has nothing else to show.
create or replace function parley_private.is_guest()
returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_actor parley_private.actor := parley_private.actor();
begin
  return coalesce((v_actor.team).guest, (v_actor.invite).hash is not null)
    and num_nonnulls((v_actor.key).id, (v_actor.person).id) = 0;
end;
$$;

grant execute on function parley_private.is_guest, parley_private.sees_session, parley_private.sees_public, parley_private.sees_own, parley_private.sees_all to parley_caller;
--! EndIncluded private/sees.sql
--! Included tables/runners.sql
-- The machines that offer to run agents. An offer is a lease: whoever made it renews it, and a name belongs to the token that it was
-- offered with for as long as it lives.
create table if not exists parley_private.runners (
  name text not null,
  hash bytea not null,
  agents text[] not null,
  repos text[] not null default '{}',
  max_runs integer not null,
  accept text not null,
  key_id uuid,
  user_id uuid,
  offered_by text not null,
  offered_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  constraint runners_have_one_name_each primary key (name),
  constraint runners_are_offered_under_a_key foreign key (key_id) references parley_private.keys (id) on delete cascade,
  constraint runners_are_offered_by_a_person foreign key (user_id) references parley_private.users (id) on delete cascade,
  constraint runners_accept_a_key_or_anyone check (accept in ('key', 'anyone'))
);

create index if not exists runners_of_a_key on parley_private.runners (key_id) where key_id is not null;
create index if not exists runners_of_a_person on parley_private.runners (user_id) where user_id is not null;

comment on table parley_private.runners is '@backup none
The machines that offer to run agents.';
comment on column parley_private.runners.name is 'What it is called.';
comment on column parley_private.runners.hash is 'SHA-256 of its token, which is kept nowhere: nobody else takes runs under its name.';
comment on column parley_private.runners.agents is 'The agents that it is configured for, by their names.';
comment on column parley_private.runners.repos is 'The repositories that it is configured for, by their names.';
comment on column parley_private.runners.max_runs is 'How many it runs at a time.';
comment on column parley_private.runners.accept is 'key: only for who has come by a key; anyone: also with open access.';
comment on column parley_private.runners.key_id is 'The access key that it was offered under: it dies with it.';
comment on column parley_private.runners.user_id is 'The person that has offered it.';
comment on column parley_private.runners.offered_by is 'Who that was, by name.';
comment on column parley_private.runners.offered_at is 'Since when.';
comment on column parley_private.runners.expires_at is 'When the offer ends by itself; one that waits for a run lives longer.';

alter table parley_private.runners enable row level security;
alter table parley_private.runners force row level security;

drop policy if exists runners_are_kept_by_the_owner on parley_private.runners;
create policy runners_are_kept_by_the_owner on parley_private.runners to parley_owner using (true) with check (true);
--! EndIncluded tables/runners.sql
--! Included tables/runs.sql
-- One row per agent process that sits, or sat, in a session as a team. A run is a lease, too: without a sign of life it is lost
-- (private/runs.sql). A team has one run at a time.
create table if not exists parley.runs (
  session_id uuid not null,
  run integer not null,
  participant_id integer not null,
  agent text not null,
  runner text,
  repo text,
  own_worktree boolean not null default false,
  status text not null,
  worktree jsonb,
  started_by integer,
  prompt text,
  started_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  alive_until timestamptz not null,
  error text,
  turns integer not null default 0,
  tokens bigint not null default 0,
  cost numeric not null default 0,
  max_turns integer,
  max_tokens bigint,
  max_cost numeric,
  hops integer not null default 0,
  last_event integer not null default 0,
  transcript_bytes bigint not null default 0,
  last_order integer not null default 0,
  limit_told boolean not null default false,
  key_id uuid,
  constraint runs_are_counted_per_session primary key (session_id, run),
  constraint runs_belong_to_a_participant foreign key (session_id, participant_id) references parley.participants (session_id, id),
  constraint runs_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint runs_have_a_known_status check (
    status in ('queued', 'starting', 'working', 'waiting', 'asking', 'stopped', 'failed', 'lost')),
  constraint runs_that_are_over_have_an_end check ((status in ('stopped', 'failed', 'lost')) = (ended_at is not null))
)
with (fillfactor = 70);
-- No foreign key to keys: one of a run is revoked, and stays as long as any.

create index if not exists runs_of_a_team on parley.runs (session_id, participant_id, run);
create unique index if not exists teams_have_one_run_at_a_time on parley.runs (session_id, participant_id) where ended_at is null;
-- What a runner looks for, oldest first; and how many it has.
create index if not exists runs_of_a_runner on parley.runs (runner, started_at) where ended_at is null;
-- What the sweep looks for.
create index if not exists runs_that_may_be_lost on parley.runs (alive_until) where ended_at is null;

comment on table parley.runs is '@foreignKey (session_id, started_by) references parley.participants (session_id, id)|@fieldName starter|@behavior -manyRelation:resource:connection -manyRelation:resource:list
The agent processes that sit, or sat, in a session as a team.';
comment on column parley.runs.session_id is 'The session.';
comment on column parley.runs.run is '1, 2, 3 … in the order in which they were started.';
comment on column parley.runs.participant_id is '@behavior -*
The team that it is.';
comment on column parley.runs.agent is 'Which agent: claude, codex, or another name that its runner is configured for.';
comment on column parley.runs.runner is 'The machine that it was spawned on; null: whoever runs it has started it there.';
comment on column parley.runs.repo is 'The repository of the runner that it works in, by its name.';
comment on column parley.runs.own_worktree is 'Whether it was asked to work in a worktree of its own.';
comment on column parley.runs.status is '@behavior -*
queued, starting, working, waiting, asking, stopped, failed or lost, as far as it was reported.';
comment on column parley.runs.worktree is 'What it stands on: path, branch, repo, base, head, ahead, dirty.';
comment on column parley.runs.started_by is '@behavior -*
The team or person that has spawned it; null: itself.';
comment on column parley.runs.prompt is 'What it was started with.';
comment on column parley.runs.started_at is 'When it was asked for.';
comment on column parley.runs.updated_at is 'When it last reported.';
comment on column parley.runs.ended_at is 'When it was over; null while it is not.';
comment on column parley.runs.alive_until is '@behavior -*
When it is lost, unless it gives a sign of life before.';
comment on column parley.runs.error is 'Why it has failed, was lost or stopped.';
comment on column parley.runs.turns is 'How many turns it has had.';
comment on column parley.runs.tokens is 'How many tokens it has used, as far as it says.';
comment on column parley.runs.cost is 'What it has cost, in US dollars, where the agent says so; under a subscription that misleads.';
comment on column parley.runs.max_turns is 'The most turns that it may have; null: what the settings say.';
comment on column parley.runs.max_tokens is 'The most tokens that it may use.';
comment on column parley.runs.max_cost is 'The most that it may cost, in US dollars.';
comment on column parley.runs.hops is '@behavior -*
How many agents have spawned one another to get to it.';
comment on column parley.runs.last_event is 'The newest event of its transcript.';
comment on column parley.runs.transcript_bytes is '@behavior -*
How much the texts of its transcript take.';
comment on column parley.runs.last_order is '@behavior -*
The newest order to it.';
comment on column parley.runs.limit_told is '@behavior -*
Whether the feed was told that it has come to a limit.';
comment on column parley.runs.key_id is '@behavior -*
The access key that was made for it: it dies with it.';
comment on constraint runs_belong_to_a_participant on parley.runs is '@fieldName team';

alter table parley.runs enable row level security;
alter table parley.runs force row level security;

drop policy if exists runs_are_readable on parley.runs;
create policy runs_are_readable on parley.runs for select to parley_caller using (
  (select parley_private.sees_all()) or parley_private.sees_session(session_id)
);
drop policy if exists runs_are_kept_by_the_owner on parley.runs;
create policy runs_are_kept_by_the_owner on parley.runs to parley_owner using (true) with check (true);

grant select on parley.runs to parley_caller;

-- Whoever looks at the agents of a session is told. A sign of life alone is no news.
create or replace function parley_private.tg_runs__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('runs ' || new.session_id);
  if tg_op = 'INSERT' or old.status is distinct from new.status or old.worktree is distinct from new.worktree then
    perform parley_private.notify('roster ' || new.session_id);
  end if;
  return null;
end;
$$;

drop trigger if exists _500_notify_insert on parley.runs;
create trigger _500_notify_insert after insert on parley.runs
  for each row execute function parley_private.tg_runs__notify();
drop trigger if exists _500_notify_update on parley.runs;
create trigger _500_notify_update after update on parley.runs
  for each row
  when (
    old.status is distinct from new.status
    or old.last_event is distinct from new.last_event
    or old.worktree is distinct from new.worktree
    or old.tokens is distinct from new.tokens
    or old.turns is distinct from new.turns
  )
  execute function parley_private.tg_runs__notify();
--! EndIncluded tables/runs.sql
--! Included tables/run_events.sql
-- What an agent said and did, as its runner saw it: a line each, and what stands behind the line apart from it. Bounded per run
-- (private/transcript.sql): the oldest texts go first, then the oldest lines.
create table if not exists parley.run_events (
  session_id uuid not null,
  run integer not null,
  event integer not null,
  kind text not null,
  title text not null,
  text text,
  at timestamptz not null default clock_timestamp(),
  constraint run_events_are_counted_per_run primary key (session_id, run, event),
  constraint run_events_belong_to_a_run foreign key (session_id, run) references parley.runs (session_id, run),
  constraint run_events_have_a_known_kind check (kind in ('say', 'think', 'tool', 'tool_result', 'prompt', 'note'))
);

comment on table parley.run_events is 'The transcripts of runs.';
comment on column parley.run_events.session_id is 'The session.';
comment on column parley.run_events.run is 'The run.';
comment on column parley.run_events.event is '1, 2, 3 … in the order in which they happened.';
comment on column parley.run_events.kind is 'say, think, tool, tool_result, prompt or note.';
comment on column parley.run_events.title is 'What happened, in a line.';
comment on column parley.run_events.text is 'The whole of it; null where the line says all, or it was let go.';
comment on column parley.run_events.at is 'When.';
comment on constraint run_events_belong_to_a_run on parley.run_events is '@foreignFieldName events
@fieldName ofRun';

alter table parley.run_events enable row level security;
alter table parley.run_events force row level security;

-- Of what stands in the files of a house its guests see nothing.
drop policy if exists run_events_are_readable on parley.run_events;
create policy run_events_are_readable on parley.run_events for select to parley_caller using (
  not (select parley_private.is_guest()) and ((select parley_private.sees_all()) or parley_private.sees_session(session_id))
);
drop policy if exists run_events_are_kept_by_the_owner on parley.run_events;
create policy run_events_are_kept_by_the_owner on parley.run_events to parley_owner using (true) with check (true);

grant select on parley.run_events to parley_caller;
--! EndIncluded tables/run_events.sql
--! Included tables/run_orders.sql
-- What others want of a run, until its runner says that it is done: a prompt, an interrupt, the end, the answer to a permission.
create table if not exists parley_private.run_orders (
  session_id uuid not null,
  run integer not null,
  nth integer not null,
  kind text not null,
  by text not null,
  text text,
  request text,
  option text,
  after_event integer not null default 0,
  words text,
  at timestamptz not null default clock_timestamp(),
  handed_at timestamptz,
  done_at timestamptz,
  constraint run_orders_are_counted_per_run primary key (session_id, run, nth),
  constraint run_orders_belong_to_a_run foreign key (session_id, run) references parley.runs (session_id, run),
  constraint run_orders_have_a_known_kind check (kind in ('prompt', 'interrupt', 'stop', 'permission'))
);

create index if not exists run_orders_to_do on parley_private.run_orders (session_id, run, nth) where done_at is null;

comment on table parley_private.run_orders is 'What others want of a run.';
comment on column parley_private.run_orders.session_id is 'The session.';
comment on column parley_private.run_orders.run is 'The run.';
comment on column parley_private.run_orders.nth is '1, 2, 3 … per run; of a prompt it is the turn that its author waits for.';
comment on column parley_private.run_orders.kind is 'prompt, interrupt, stop or permission.';
comment on column parley_private.run_orders.by is 'Who wants it: a handle, or the name of a person.';
comment on column parley_private.run_orders.text is 'The prompt.';
comment on column parley_private.run_orders.request is 'The permission that was asked for.';
comment on column parley_private.run_orders.option is 'What was answered; null: refused.';
comment on column parley_private.run_orders.after_event is 'The newest event of the transcript before it.';
comment on column parley_private.run_orders.words is 'The last words of the agent in that turn.';
comment on column parley_private.run_orders.at is 'When it was given.';
comment on column parley_private.run_orders.handed_at is 'When its runner was told.';
comment on column parley_private.run_orders.done_at is 'When its runner said that it is done.';

alter table parley_private.run_orders enable row level security;
alter table parley_private.run_orders force row level security;

drop policy if exists run_orders_are_kept_by_the_owner on parley_private.run_orders;
create policy run_orders_are_kept_by_the_owner on parley_private.run_orders to parley_owner using (true) with check (true);
--! EndIncluded tables/run_orders.sql
--! Included tables/run_permissions.sql
-- What agents ask people for before they do it. Answered once: by a person, by the team that has spawned the run, or by time.
create table if not exists parley.run_permissions (
  session_id uuid not null,
  run integer not null,
  request text not null,
  tool text not null,
  input jsonb,
  options jsonb not null,
  asked_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  answered_at timestamptz,
  answered_by text,
  option text,
  constraint run_permissions_are_asked_once primary key (session_id, run, request),
  constraint run_permissions_belong_to_a_run foreign key (session_id, run) references parley.runs (session_id, run)
);

-- The inbox of people is read from here, and what the sweep looks for: whose time is over.
create index if not exists run_permissions_that_wait on parley.run_permissions (expires_at) where answered_at is null;

comment on table parley.run_permissions is 'What agents have asked people for.';
comment on column parley.run_permissions.session_id is 'The session.';
comment on column parley.run_permissions.run is 'The run that asks.';
comment on column parley.run_permissions.request is 'What the runner calls it.';
comment on column parley.run_permissions.tool is 'What the agent wants to do, in a line.';
comment on column parley.run_permissions.input is 'What it would do it with.';
comment on column parley.run_permissions.options is 'What may be answered: a list of option, name and kind.';
comment on column parley.run_permissions.asked_at is 'When it asked.';
comment on column parley.run_permissions.expires_at is 'When it is refused, if nobody has answered.';
comment on column parley.run_permissions.answered_at is 'When it was answered, or refused by time; null while it waits.';
comment on column parley.run_permissions.answered_by is 'Who has answered: a handle, or the name of a person; null: time, or the end of the run.';
comment on column parley.run_permissions.option is 'What was answered; null: refused, because nobody has.';
comment on constraint run_permissions_belong_to_a_run on parley.run_permissions is '@foreignFieldName permissions
@fieldName ofRun';

alter table parley.run_permissions enable row level security;
alter table parley.run_permissions force row level security;

drop policy if exists run_permissions_are_readable on parley.run_permissions;
create policy run_permissions_are_readable on parley.run_permissions for select to parley_caller using (
  not (select parley_private.is_guest()) and ((select parley_private.sees_all()) or parley_private.sees_session(session_id))
);
drop policy if exists run_permissions_are_kept_by_the_owner on parley.run_permissions;
create policy run_permissions_are_kept_by_the_owner on parley.run_permissions to parley_owner using (true) with check (true);

grant select on parley.run_permissions to parley_caller;

-- Whoever looks at the inbox of people is told, and whoever waits for the answer.
create or replace function parley_private.tg_run_permissions__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify(kind || ' ' || new.session_id) from unnest(array['inbox', 'runs', 'orders']) as kind;
  return null;
end;
$$;

drop trigger if exists _500_notify on parley.run_permissions;
create trigger _500_notify after insert or update on parley.run_permissions
  for each row execute function parley_private.tg_run_permissions__notify();
--! EndIncluded tables/run_permissions.sql
--! Included tables/run_waits.sql
-- The calls of runners, and about runs, that wait right now: leases, as those of parley_private.waits. They stand apart, since nobody
-- listens to a session by them; and who takes runs is in none.
create table if not exists parley_private.run_waits (
  id uuid not null,
  session_id uuid,
  participant_id integer,
  runner text,
  verb text not null,
  options jsonb not null default '{}',
  expires_at timestamptz not null,
  constraint run_waits_have_an_id primary key (id)
);

create index if not exists run_waits_of_a_participant on parley_private.run_waits (session_id, participant_id);
create index if not exists run_waits_of_a_runner on parley_private.run_waits (runner) where runner is not null;

comment on table parley_private.run_waits is '@backup none
The calls of runners, and about runs, that wait right now.';
comment on column parley_private.run_waits.id is 'Made by the server that holds the call.';
comment on column parley_private.run_waits.session_id is 'The session; null for who waits for any run.';
comment on column parley_private.run_waits.participant_id is 'The team that waits; null for a runner, and for a person who has not sat down.';
comment on column parley_private.run_waits.runner is 'The runner that waits for a run.';
comment on column parley_private.run_waits.verb is 'The verb that was called.';
comment on column parley_private.run_waits.options is 'What it waits for.';
comment on column parley_private.run_waits.expires_at is 'When the lease ends by itself.';

alter table parley_private.run_waits enable row level security;
alter table parley_private.run_waits force row level security;

drop policy if exists run_waits_are_kept_by_the_owner on parley_private.run_waits;
create policy run_waits_are_kept_by_the_owner on parley_private.run_waits to parley_owner using (true) with check (true);
--! EndIncluded tables/run_waits.sql

alter table parley.participants
  add column if not exists handed_through integer[],
  add column if not exists handed_times timestamptz[],
  add column if not exists turn_through integer[],
  add column if not exists turn_times timestamptz[],
  add column if not exists acked_at timestamptz;

do $$
begin
  create type parley.agent_run as (
    run integer,
    ref text,
    handle text,
    agent text,
    runner text,
    repo text,
    status text,
    worktree jsonb,
    started_by text,
    prompt text,
    started_at timestamptz,
    updated_at timestamptz,
    ended_at timestamptz,
    error text,
    turns integer,
    tokens bigint,
    cost numeric,
    permissions jsonb,
    unread integer
  );
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.runner_info as (
    runner text,
    agents text[],
    repos text[],
    max_runs integer,
    running integer,
    queued integer,
    accept text,
    offered_by text,
    offered_at timestamptz,
    expires_at timestamptz
  );
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.runner_list as (runners parley.runner_info[]);
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.taken_run as (
    run integer,
    session_id uuid,
    ref text,
    handle text,
    team_id text,
    key text,
    agent text,
    repo text,
    worktree boolean,
    prompt text,
    started_by text,
    title text,
    cursor integer,
    max_turns integer,
    max_tokens bigint,
    max_cost numeric
  );
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.reported_run as (
    run integer,
    handle text,
    status text,
    orders jsonb,
    budget jsonb,
    last_event integer,
    session_closed boolean,
    unread integer
  );
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.agent_list as (agents parley.agent_run[], unread integer);
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.prompted_agent as (
    handle text,
    turn integer,
    done boolean,
    status text,
    words text,
    permissions jsonb,
    error text,
    unread integer
  );
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.ordered_agent as (handle text, run integer, status text, unread integer);
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.transcript_event as (event integer, kind text, title text, text text, at timestamptz, more boolean);
  create type parley.transcript as (
    run integer,
    handle text,
    status text,
    events parley.transcript_event[],
    last_event integer,
    next_after integer,
    has_more boolean,
    unread integer
  );
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.asked_permission as (request text, state text, option text, by text, reason text, expires_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.answered_permission as (handle text, request text, option text, at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
