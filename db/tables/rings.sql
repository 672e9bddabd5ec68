-- Who was rung last, and what has come of it: one row for each team that ever was. Rung is who shall only say that it is there; one ring at
-- a time is outstanding.
create table if not exists parley_private.rings (
  session_id uuid not null,
  participant_id integer not null,
  by text not null,
  at timestamptz not null default clock_timestamp(),
  handed_at timestamptz,
  constraint rings_are_one_per_team primary key (session_id, participant_id),
  constraint rings_belong_to_a_participant foreign key (session_id, participant_id) references parley.participants (session_id, id)
);

-- Every call asks whether there is one to be told.
create index if not exists rings_to_hand on parley_private.rings (session_id, participant_id) where handed_at is null;

comment on table parley_private.rings is 'Who was rung last, and what has come of it.';
comment on column parley_private.rings.session_id is 'The session.';
comment on column parley_private.rings.participant_id is 'The team that was rung.';
comment on column parley_private.rings.by is 'The handle of whoever rang, or the name of a person.';
comment on column parley_private.rings.at is 'When.';
comment on column parley_private.rings.handed_at is 'When an answer has told it; null while none has.';

alter table parley_private.rings enable row level security;
alter table parley_private.rings force row level security;

drop policy if exists rings_are_kept_by_the_owner on parley_private.rings;
create policy rings_are_kept_by_the_owner on parley_private.rings to parley_owner using (true) with check (true);
