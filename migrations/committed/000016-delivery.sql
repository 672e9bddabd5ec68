--! Previous: sha1:101952c049845bb01072762122e5ac85f609ffb2
--! Hash: sha1:167e463a18aeae4a433862f3bc15c3f310f02c85
--! Message: delivery

-- Enter migration here

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

alter table parley_private.waits add column if not exists by text not null default 'wait';
alter table parley_private.waits drop constraint if exists waits_are_by_the_team_or_what_wakes_it;
alter table parley_private.waits add constraint waits_are_by_the_team_or_what_wakes_it check (by in ('wait', 'hook', 'runner'));

-- Another result, the one before would stay beside it.
drop function if exists parley_private.listeners_in(uuid);
drop function if exists parley_private.hold(parley.participants, integer, double precision, text, jsonb, text, boolean);

do $$
begin
  create type parley.reachable as (by text, proven_at timestamptz);
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.delivery as (
    handle text,
    state text,
    stored_at timestamptz,
    handed_at timestamptz,
    turn_at timestamptz,
    acted_at timestamptz
  );
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.rung_team as (
    handle text,
    state text,
    stored_at timestamptz,
    handed_at timestamptz,
    turn_at timestamptz,
    acted_at timestamptz,
    reachable parley.reachable,
    unread integer
  );
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.inbox_permission as (
    session_id uuid,
    ref text,
    title text,
    url text,
    run integer,
    handle text,
    agent text,
    request text,
    tool text,
    input jsonb,
    options jsonb,
    at timestamptz,
    expires_at timestamptz
  );
exception when duplicate_object then null;
end $$;

do $$
begin
  alter type parley.roster_entry add attribute reachable parley.reachable;
exception when duplicate_column then null;
end $$;
do $$
begin
  alter type parley.feed_message add attribute delivery parley.delivery[];
exception when duplicate_column then null;
end $$;
do $$
begin
  alter type parley.replies add attribute delivery parley.delivery[];
exception when duplicate_column then null;
end $$;
do $$
begin
  alter type parley.inbox add attribute permissions parley.inbox_permission[];
exception when duplicate_column then null;
end $$;
