-- Our functions as they were applied last, whether they stand in the database or one of a DBA does in their place.
create table if not exists parley_private.applied_functions (
  signature text not null,
  file text not null,
  definition text not null,
  comment text,
  fingerprint text not null,
  granted_to text[] not null default '{}',
  revoked_from text[] not null default '{}',
  moved_on boolean not null default false,
  applied_at timestamptz not null,
  constraint applied_functions_are_told_apart_by_their_signature primary key (signature)
);

comment on table parley_private.applied_functions is '@backup none
Every function that the sources make, as it was applied last.';
comment on column parley_private.applied_functions.signature is 'Schema, name and the types of the arguments.';
comment on column parley_private.applied_functions.file is 'The file of db/ that it stands in.';
comment on column parley_private.applied_functions.definition is 'The whole statement that makes it.';
comment on column parley_private.applied_functions.comment is 'Its comment.';
comment on column parley_private.applied_functions.fingerprint is 'SHA-256 of all that makes it what it is, its comment too.';
comment on column parley_private.applied_functions.granted_to is 'The roles that the sources let execute it.';
comment on column parley_private.applied_functions.revoked_from is 'Those of them that a DBA has taken the right from.';
comment on column parley_private.applied_functions.moved_on is 'Whether ours has changed since a DBA put another in its place.';
comment on column parley_private.applied_functions.applied_at is 'When the sources were last applied.';

alter table parley_private.applied_functions enable row level security;
alter table parley_private.applied_functions force row level security;

drop policy if exists applied_functions_are_kept_by_the_owner on parley_private.applied_functions;
create policy applied_functions_are_kept_by_the_owner on parley_private.applied_functions
  to parley_owner using (true) with check (true);
