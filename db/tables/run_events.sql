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
  not (select parley_private.is_guest()) and ((select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = run_events.session_id offset 0))
);
drop policy if exists run_events_are_kept_by_the_owner on parley.run_events;
create policy run_events_are_kept_by_the_owner on parley.run_events to parley_owner using (true) with check (true);

grant select on parley.run_events to parley_caller;
