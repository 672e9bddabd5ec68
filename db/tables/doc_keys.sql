-- The appends that were sent with a key: a retry finds its version here instead of writing again.
create table if not exists parley_private.doc_keys (
  session_id uuid not null,
  participant_id integer not null,
  key text not null,
  version integer not null,
  fingerprint bytea not null,
  constraint doc_keys_are_used_once primary key (session_id, participant_id, key),
  constraint doc_keys_belong_to_a_version foreign key (session_id, version)
    references parley.session_doc_history (session_id, version),
  constraint doc_keys_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id)
);

create index if not exists doc_keys_of_a_version on parley_private.doc_keys (session_id, version);

comment on table parley_private.doc_keys is 'The appends that were sent with a key.';
comment on column parley_private.doc_keys.session_id is 'The session.';
comment on column parley_private.doc_keys.participant_id is 'The team that sent it.';
comment on column parley_private.doc_keys.key is 'What it was sent with.';
comment on column parley_private.doc_keys.version is 'The version of the document that it made.';
comment on column parley_private.doc_keys.fingerprint is 'SHA-256 of what was appended where, to tell a retry from a mistake.';

alter table parley_private.doc_keys enable row level security;
alter table parley_private.doc_keys force row level security;

drop policy if exists doc_keys_are_read_by_the_owner on parley_private.doc_keys;
create policy doc_keys_are_read_by_the_owner on parley_private.doc_keys for select to parley_owner using (true);
drop policy if exists doc_keys_are_appended_by_the_owner on parley_private.doc_keys;
create policy doc_keys_are_appended_by_the_owner on parley_private.doc_keys for insert to parley_owner with check (true);
drop policy if exists doc_keys_go_with_their_session on parley_private.doc_keys;
create policy doc_keys_go_with_their_session on parley_private.doc_keys for delete to parley_owner
  using (session_id = (select parley_private.session_being_removed()));
