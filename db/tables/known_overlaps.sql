-- Where two teams were found at the same path: each is told in the feed once, for as long as it lasts.
create table if not exists parley_private.known_overlaps (
  session_id uuid not null,
  one_team integer not null,
  other_team integer not null,
  path text not null,
  constraint known_overlaps_are_told_once primary key (session_id, one_team, other_team, path),
  constraint known_overlaps_name_the_older_team_first check (one_team < other_team),
  constraint known_overlaps_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

comment on table parley_private.known_overlaps is 'Where two teams were found at the same path.';
comment on column parley_private.known_overlaps.session_id is 'The session.';
comment on column parley_private.known_overlaps.one_team is 'The one that joined first.';
comment on column parley_private.known_overlaps.other_team is 'The other.';
comment on column parley_private.known_overlaps.path is 'What was changed by one and changed or claimed by the other.';

alter table parley_private.known_overlaps enable row level security;
alter table parley_private.known_overlaps force row level security;

drop policy if exists known_overlaps_are_kept_by_the_owner on parley_private.known_overlaps;
create policy known_overlaps_are_kept_by_the_owner on parley_private.known_overlaps to parley_owner using (true) with check (true);
