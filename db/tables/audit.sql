-- Who changed what about this server. Append-only, without secrets; the worker removes what is older than 90 days.
create table if not exists parley_private.audit (
  id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  event text not null,
  session_ref text,
  details jsonb not null default '{}',
  constraint audit_is_counted primary key (id)
);

create index if not exists audit_by_time on parley_private.audit (at desc, id desc);

comment on table parley_private.audit is '@backup seeded
Who changed what about this server.';
comment on column parley_private.audit.id is '1, 2, 3 … in the order in which it was written.';
comment on column parley_private.audit.at is 'When.';
comment on column parley_private.audit.actor is 'Who: a person, a key by its prefix, a team by its handle, or the machine itself.';
comment on column parley_private.audit.event is 'What: key_created, settings_changed, team_removed …';
comment on column parley_private.audit.session_ref is 'In which session, if in one. A ref, since the session may be gone.';
comment on column parley_private.audit.details is 'What else there is to know; never a secret.';

alter table parley_private.audit enable row level security;
alter table parley_private.audit force row level security;

drop policy if exists audit_is_read_by_the_owner on parley_private.audit;
create policy audit_is_read_by_the_owner on parley_private.audit for select to parley_owner using (true);
drop policy if exists audit_is_appended_by_the_owner on parley_private.audit;
create policy audit_is_appended_by_the_owner on parley_private.audit for insert to parley_owner with check (true);
drop policy if exists audit_ends_after_a_while on parley_private.audit;
create policy audit_ends_after_a_while on parley_private.audit for delete to parley_owner using (at < now() - interval '90 days');
