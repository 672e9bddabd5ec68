-- The hash of each team_id, apart from the roster, so that no reader of participants can ever select it.
create table if not exists parley_private.credentials (
  session_id uuid not null,
  participant_id integer not null,
  hash bytea not null,
  constraint credentials_are_one_per_participant primary key (session_id, participant_id),
  constraint credentials_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id),
  constraint credentials_are_sha256 check (length(hash) = 32)
);

-- An agent that has lost its context still finds its session by its team_id.
create unique index if not exists credentials_are_found_by_their_hash on parley_private.credentials (hash);

comment on table parley_private.credentials is 'The hash of the team_id of each team.';
comment on column parley_private.credentials.session_id is 'The session.';
comment on column parley_private.credentials.participant_id is 'The team whose it is.';
comment on column parley_private.credentials.hash is 'SHA-256 of the team_id, which is kept nowhere.';

alter table parley_private.credentials enable row level security;
alter table parley_private.credentials force row level security;

drop policy if exists credentials_are_kept_by_the_owner on parley_private.credentials;
create policy credentials_are_kept_by_the_owner on parley_private.credentials to parley_owner using (true) with check (true);
