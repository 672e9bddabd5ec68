-- When each team came, fell silent, woke up and left: what the picture of a session is drawn from.
create table if not exists parley.presence_changes (
  session_id uuid not null,
  participant_id integer not null,
  at timestamptz not null default clock_timestamp(),
  status text not null,
  constraint presence_changes_are_told_apart_by_time primary key (session_id, participant_id, at),
  constraint presence_changes_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id),
  constraint presence_changes_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

comment on table parley.presence_changes is 'When each team was active, idle or disconnected.';
comment on column parley.presence_changes.session_id is 'The session.';
comment on column parley.presence_changes.participant_id is 'The team.';
comment on column parley.presence_changes.at is 'When it changed.';
comment on column parley.presence_changes.status is 'What the team was from then on: active, idle or disconnected.';

alter table parley.presence_changes enable row level security;
alter table parley.presence_changes force row level security;

drop policy if exists presence_changes_are_readable on parley.presence_changes;
create policy presence_changes_are_readable on parley.presence_changes for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = presence_changes.session_id offset 0)
);
drop policy if exists presence_changes_are_read_by_the_owner on parley.presence_changes;
create policy presence_changes_are_read_by_the_owner on parley.presence_changes for select to parley_owner using (true);
drop policy if exists presence_changes_are_appended_by_the_owner on parley.presence_changes;
create policy presence_changes_are_appended_by_the_owner on parley.presence_changes for insert to parley_owner with check (true);
drop policy if exists presence_changes_go_with_their_session on parley.presence_changes;
create policy presence_changes_go_with_their_session on parley.presence_changes for delete to parley_owner
  using (session_id = (select parley_private.session_being_removed()));

grant select on parley.presence_changes to parley_caller;

create or replace function parley_private.tg_participants__record_presence()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into parley.presence_changes (session_id, participant_id, status)
  values (new.session_id, new.id, new.known_status);
  return null;
end;
$$;

drop trigger if exists _400_record_insert on parley.participants;
create trigger _400_record_insert after insert on parley.participants
  for each row execute function parley_private.tg_participants__record_presence();
drop trigger if exists _400_record_update on parley.participants;
create trigger _400_record_update after update on parley.participants
  for each row
  when (old.known_status is distinct from new.known_status)
  execute function parley_private.tg_participants__record_presence();
