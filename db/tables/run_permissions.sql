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
  not (select parley_private.is_guest()) and ((select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = run_permissions.session_id offset 0))
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
