-- The keys by which a team finds its way back when the answer of create, join or resume got lost, or its context did. A key
-- is as secret as a team_id, so only a hash is kept: of the verb, the session that was named and the key.
create table if not exists parley_private.team_keys (
  hash bytea not null,
  session_id uuid not null,
  participant_id integer not null,
  fingerprint bytea not null,
  constraint team_keys_are_used_once primary key (hash),
  constraint team_keys_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id),
  constraint team_keys_are_sha256 check (length(hash) = 32)
);

create index if not exists team_keys_of_a_participant on parley_private.team_keys (session_id, participant_id);

comment on table parley_private.team_keys is 'The keys by which a team finds its way back.';
comment on column parley_private.team_keys.hash is 'SHA-256 of the verb, the session that was named and the key.';
comment on column parley_private.team_keys.session_id is 'The session that the call has led to.';
comment on column parley_private.team_keys.participant_id is 'The team that it has made.';
comment on column parley_private.team_keys.fingerprint is 'SHA-256 of the other arguments, to tell a retry from a mistake.';

alter table parley_private.team_keys enable row level security;
alter table parley_private.team_keys force row level security;

drop policy if exists team_keys_are_kept_by_the_owner on parley_private.team_keys;
create policy team_keys_are_kept_by_the_owner on parley_private.team_keys to parley_owner using (true) with check (true);
