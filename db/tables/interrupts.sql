-- The teams that were interrupted and do not know it yet: one row each, until an answer has told them.
create table if not exists parley_private.interrupts (
  session_id uuid not null,
  participant_id integer not null,
  by text not null,
  reason text not null,
  cursor integer not null,
  constraint interrupts_are_one_per_team primary key (session_id, participant_id),
  constraint interrupts_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id)
);

comment on table parley_private.interrupts is 'The teams that were interrupted and have not been told yet.';
comment on column parley_private.interrupts.session_id is 'The session.';
comment on column parley_private.interrupts.participant_id is 'The team.';
comment on column parley_private.interrupts.by is 'The handle of whoever interrupted it last.';
comment on column parley_private.interrupts.reason is 'Why.';
comment on column parley_private.interrupts.cursor is 'The message that tells everybody.';

alter table parley_private.interrupts enable row level security;
alter table parley_private.interrupts force row level security;

drop policy if exists interrupts_are_kept_by_the_owner on parley_private.interrupts;
create policy interrupts_are_kept_by_the_owner on parley_private.interrupts to parley_owner using (true) with check (true);
