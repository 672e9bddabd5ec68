-- The calls of add_tasks that were sent with a key: a retry finds its tasks here instead of adding them again.
create table if not exists parley_private.task_keys (
  session_id uuid not null,
  participant_id integer not null,
  key text not null,
  first_task integer not null,
  last_task integer not null,
  fingerprint bytea not null,
  constraint task_keys_are_used_once primary key (session_id, participant_id, key),
  constraint task_keys_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id)
);

comment on table parley_private.task_keys is 'The calls of add_tasks that were sent with a key.';
comment on column parley_private.task_keys.session_id is 'The session.';
comment on column parley_private.task_keys.participant_id is 'The team that sent it.';
comment on column parley_private.task_keys.key is 'What it was sent with.';
comment on column parley_private.task_keys.first_task is 'The first of the tasks that it added.';
comment on column parley_private.task_keys.last_task is 'And the last.';
comment on column parley_private.task_keys.fingerprint is 'SHA-256 of what was to be added, to tell a retry from a mistake.';

alter table parley_private.task_keys enable row level security;
alter table parley_private.task_keys force row level security;

drop policy if exists task_keys_are_read_by_the_owner on parley_private.task_keys;
create policy task_keys_are_read_by_the_owner on parley_private.task_keys for select to parley_owner using (true);
drop policy if exists task_keys_are_appended_by_the_owner on parley_private.task_keys;
create policy task_keys_are_appended_by_the_owner on parley_private.task_keys for insert to parley_owner with check (true);
drop policy if exists task_keys_go_with_their_session on parley_private.task_keys;
create policy task_keys_go_with_their_session on parley_private.task_keys for delete to parley_owner
  using (session_id = (select parley_private.session_being_removed()));
