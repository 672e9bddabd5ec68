--!include tables/post_bounds.sql
alter table parley.settings add column if not exists category text not null default 'limits';
alter table parley.settings drop constraint if exists settings_have_a_known_type;
alter table parley.settings add constraint settings_have_a_known_type check (type in ('integer', 'boolean', 'url'));
alter table parley.settings drop constraint if exists settings_have_a_known_category;
alter table parley.settings
  add constraint settings_have_a_known_category check (category in ('link', 'people', 'keys', 'rules', 'limits', 'data'));

alter table parley.sessions
  add column if not exists capacity integer,
  add column if not exists talk integer not null default 0,
  add column if not exists metadata_changed_at timestamptz;
alter table parley.participants
  add column if not exists worked_after integer not null default 0;
alter table parley.messages
  add column if not exists counted_from integer,
  add column if not exists heard integer,
  add column if not exists hops integer;
create index if not exists participants_by_name on parley.participants (lower(team_name));

--!include tables/counters.sql

do $$
begin
  create type parley_private.carried as (nth_of_author integer, counted_from integer, heard integer, hops integer, talk integer);
exception when duplicate_object then null;
end $$;
