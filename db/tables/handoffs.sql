-- What the teams of a session that continues another are told about that one: made once, when it is resumed. As JSON, so that
-- its type can gain fields.
create table if not exists parley_private.handoffs (
  session_id uuid not null,
  handoff jsonb not null,
  constraint handoffs_are_one_per_session primary key (session_id),
  constraint handoffs_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

comment on table parley_private.handoffs is 'What the teams of a resumed session are told about the one that it continues.';
comment on column parley_private.handoffs.session_id is 'The session that continues another.';
comment on column parley_private.handoffs.handoff is 'A parley.handoff.';

alter table parley_private.handoffs enable row level security;
alter table parley_private.handoffs force row level security;

drop policy if exists handoffs_are_kept_by_the_owner on parley_private.handoffs;
create policy handoffs_are_kept_by_the_owner on parley_private.handoffs to parley_owner using (true) with check (true);
