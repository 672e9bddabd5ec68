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
