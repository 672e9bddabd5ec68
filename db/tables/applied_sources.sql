-- Which sources this database has been given, each once. What is newest stands; a server whose sources were here before and
-- were replaced since is an older one, and must not turn the functions back.
create table if not exists parley_private.applied_sources (
  hash text not null,
  version text not null,
  migration text not null,
  files jsonb not null,
  applied_at timestamptz not null,
  constraint applied_sources_are_told_apart_by_their_hash primary key (hash)
);

comment on table parley_private.applied_sources is '@backup none
The sources, the files of db/, that were applied to this database.';
comment on column parley_private.applied_sources.hash is 'SHA-256 of all files, in their order.';
comment on column parley_private.applied_sources.version is 'The version of Parley that brought them.';
comment on column parley_private.applied_sources.migration is 'The newest migration of the database at that time; empty before the first.';
comment on column parley_private.applied_sources.files is 'Each file with its hash: one that makes a table is run again only when it has changed.';
comment on column parley_private.applied_sources.applied_at is 'When they were applied last.';

alter table parley_private.applied_sources enable row level security;
alter table parley_private.applied_sources force row level security;

drop policy if exists applied_sources_are_kept_by_the_owner on parley_private.applied_sources;
create policy applied_sources_are_kept_by_the_owner on parley_private.applied_sources to parley_owner using (true) with check (true);
