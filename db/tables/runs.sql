-- One row per agent process that sits, or sat, in a session as a team. A run is a lease, too: without a sign of life it is lost
-- (private/run_life.sql). A team has one run at a time.
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
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = runs.session_id offset 0)
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
