-- What a DBA has put in the place of a function of ours, as it was found when sources were last applied. What no longer fits
-- is kept here too, aside, until somebody resets it: nothing that was written is lost.
create table if not exists parley_private.changed_functions (
  signature text not null,
  definition text not null,
  comment text,
  granted_to text[] not null,
  was_ours boolean not null,
  found_at timestamptz not null default now(),
  kept_aside text,
  constraint changed_functions_are_told_apart_by_their_signature primary key (signature)
);

comment on table parley_private.changed_functions is '@backup none
Functions of a DBA in the place of ours, as they were found.';
comment on column parley_private.changed_functions.signature is 'Schema, name and the types of the arguments.';
comment on column parley_private.changed_functions.definition is 'The whole statement that makes theirs.';
comment on column parley_private.changed_functions.comment is 'The comment of theirs.';
comment on column parley_private.changed_functions.granted_to is 'The roles that may execute theirs.';
comment on column parley_private.changed_functions.was_ours is 'Whether a function of ours stood there; else it is one of their own, whose name ours may be about to take.';
comment on column parley_private.changed_functions.found_at is 'When it was found last.';
comment on column parley_private.changed_functions.kept_aside is 'Why theirs could not be put back; null while it stands.';

alter table parley_private.changed_functions enable row level security;
alter table parley_private.changed_functions force row level security;

drop policy if exists changed_functions_are_kept_by_the_owner on parley_private.changed_functions;
create policy changed_functions_are_kept_by_the_owner on parley_private.changed_functions
  to parley_owner using (true) with check (true);
