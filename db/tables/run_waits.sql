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
