-- Every version of every document: who wrote it and when. The text is rebuilt from doc_patches.
create table if not exists parley.session_doc_history (
  session_id uuid not null,
  version integer not null,
  written_by integer not null,
  written_at timestamptz not null default clock_timestamp(),
  size integer not null,
  after_cursor integer not null default 0,
  nth_of_author integer not null default 0,
  sections text[],
  constraint session_doc_versions_are_counted_per_session primary key (session_id, version),
  constraint session_doc_versions_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint session_doc_versions_have_an_author foreign key (session_id, written_by)
    references parley.participants (session_id, id)
);

create index if not exists session_doc_versions_of_an_author on parley.session_doc_history (session_id, written_by, version);
create index if not exists session_doc_versions_by_cursor on parley.session_doc_history (session_id, after_cursor, version);

comment on table parley.session_doc_history is 'The versions of the session document, from 1 on.';
comment on column parley.session_doc_history.session_id is 'The session whose document it is.';
comment on column parley.session_doc_history.version is '1, 2, 3 … per session, without a gap.';
comment on column parley.session_doc_history.written_at is 'When it was written.';
comment on column parley.session_doc_history.written_by is '@behavior -*
The team that wrote it.';
comment on column parley.session_doc_history.size is 'Bytes of UTF-8.';
comment on column parley.session_doc_history.after_cursor is 'The newest message of the feed when it was written.';
comment on column parley.session_doc_history.nth_of_author is '@behavior -*
How many versions its author has written with it.';
comment on column parley.session_doc_history.sections is 'The headings above and in what was changed, a few of them; null above the first heading.';

alter table parley.session_doc_history enable row level security;
alter table parley.session_doc_history force row level security;

drop policy if exists session_doc_history_is_readable on parley.session_doc_history;
create policy session_doc_history_is_readable on parley.session_doc_history for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = session_doc_history.session_id offset 0)
);
drop policy if exists session_doc_history_is_read_by_the_owner on parley.session_doc_history;
create policy session_doc_history_is_read_by_the_owner on parley.session_doc_history for select to parley_owner using (true);
drop policy if exists session_doc_history_is_appended_by_the_owner on parley.session_doc_history;
create policy session_doc_history_is_appended_by_the_owner on parley.session_doc_history for insert to parley_owner with check (true);
drop policy if exists session_doc_history_goes_with_its_session on parley.session_doc_history;
create policy session_doc_history_goes_with_its_session on parley.session_doc_history for delete to parley_owner
  using (session_id = (select parley_private.session_being_removed()));

grant select on parley.session_doc_history to parley_caller;

create or replace function parley_private.tg_documents__append_only()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  if tg_op <> 'DELETE' or not parley_private.removes_a_session() then
    perform parley_private.fail(403, 'forbidden', 'Versions of a document are never changed or deleted.', 'Write a new version: update_session_doc.');
  end if;
  return null;
end;
$$;

drop trigger if exists _100_append_only on parley.session_doc_history;
create trigger _100_append_only before update or delete or truncate on parley.session_doc_history
  for each statement execute function parley_private.tg_documents__append_only();
alter table parley.session_doc_history enable always trigger _100_append_only;
