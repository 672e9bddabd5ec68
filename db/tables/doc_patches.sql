-- How the versions are stored: a key frame with the whole text now and then, and between two of them what
-- each version put in the place of what. Full copies of 1,000 appends of 1 KB took 507 MB; this takes a few.
--
-- Positions and lengths count bytes of UTF-8: cutting bytes is cheap, cutting characters is not.
create table if not exists parley_private.doc_patches (
  session_id uuid not null,
  version integer not null,
  key_frame boolean not null,
  start_at integer not null,
  removed integer not null,
  inserted bytea not null,
  bytes_to_apply integer not null,
  constraint doc_patches_are_one_per_version primary key (session_id, version),
  constraint doc_patches_belong_to_a_version foreign key (session_id, version)
    references parley.session_doc_history (session_id, version)
);

create index if not exists doc_patches_key_frames on parley_private.doc_patches (session_id, version) where key_frame;

comment on table parley_private.doc_patches is 'What each version of a document put in the place of what.';
comment on column parley_private.doc_patches.session_id is 'The session.';
comment on column parley_private.doc_patches.version is 'The version that it makes of the one before.';
comment on column parley_private.doc_patches.key_frame is 'Whether inserted is the whole text.';
comment on column parley_private.doc_patches.start_at is 'Where the change begins: how many bytes stay before it.';
comment on column parley_private.doc_patches.removed is 'How many bytes go.';
comment on column parley_private.doc_patches.inserted is 'The bytes that come in their place, UTF-8.';
comment on column parley_private.doc_patches.bytes_to_apply is 'How much was inserted since the key frame, with this version: what a reader of it puts together.';

alter table parley_private.doc_patches enable row level security;
alter table parley_private.doc_patches force row level security;

drop policy if exists doc_patches_are_read_by_the_owner on parley_private.doc_patches;
create policy doc_patches_are_read_by_the_owner on parley_private.doc_patches for select to parley_owner using (true);
drop policy if exists doc_patches_are_appended_by_the_owner on parley_private.doc_patches;
create policy doc_patches_are_appended_by_the_owner on parley_private.doc_patches for insert to parley_owner with check (true);
drop policy if exists doc_patches_go_with_their_session on parley_private.doc_patches;
create policy doc_patches_go_with_their_session on parley_private.doc_patches for delete to parley_owner
  using (session_id = (select parley_private.session_being_removed()));

drop trigger if exists _100_append_only on parley_private.doc_patches;
create trigger _100_append_only before update or delete or truncate on parley_private.doc_patches
  for each statement execute function parley_private.tg_documents__append_only();
alter table parley_private.doc_patches enable always trigger _100_append_only;
