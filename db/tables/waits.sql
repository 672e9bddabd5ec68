-- The calls that wait right now, on any replica. Each row is a lease: it ends with its own call and expires by
-- itself when the server that held the call has died. No foreign key: a lease need not lock a participant.
create table if not exists parley_private.waits (
  id uuid not null,
  session_id uuid not null,
  participant_id integer not null,
  since_cursor integer not null,
  expires_at timestamptz not null,
  verb text not null default 'wait_for_messages',
  options jsonb,
  by text not null default 'wait',
  constraint waits_have_an_id primary key (id),
  constraint waits_are_by_the_team_or_what_wakes_it check (by in ('wait', 'hook', 'runner'))
);

comment on table parley_private.waits is '@backup none
The calls that wait right now.';
comment on column parley_private.waits.id is 'Made by the server that holds the call.';
comment on column parley_private.waits.session_id is 'The session that it waits in.';
comment on column parley_private.waits.participant_id is 'The team that waits.';
comment on column parley_private.waits.since_cursor is 'It waits for what comes after.';
comment on column parley_private.waits.expires_at is 'When the lease ends by itself.';
comment on column parley_private.waits.verb is 'The verb that was called.';
comment on column parley_private.waits.options is 'What else was asked for; null for a plain wait, whose answer others can share.';

comment on column parley_private.waits.by is 'wait: the team itself; hook or runner: what wakes it.';

create index if not exists waits_of_a_participant on parley_private.waits (session_id, participant_id);

alter table parley_private.waits enable row level security;
alter table parley_private.waits force row level security;

drop policy if exists waits_are_kept_by_the_owner on parley_private.waits;
create policy waits_are_kept_by_the_owner on parley_private.waits to parley_owner using (true) with check (true);
