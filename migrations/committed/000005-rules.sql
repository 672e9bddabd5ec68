--! Previous: sha1:491b83d2f4122d5e5098ab4395f36f3f4b16c1ec
--! Hash: sha1:c2c239600080fcb4eb2fe56f0d8a845b88c59645
--! Message: rules

--! Included tables/post_bounds.sql
-- The bounds that every post asks for, in one row: three of parley.settings, whose trigger keeps them here. To look them up there
-- would cost a post three times as much.
create table if not exists parley_private.post_bounds (
  only_one boolean not null default true,
  posts_per_minute integer,
  hops integer,
  loop_guard integer,
  constraint post_bounds_are_one_row primary key (only_one),
  constraint post_bounds_are_no_second_row check (only_one)
);

comment on table parley_private.post_bounds is 'What parley.settings says of posts; null: no limit.';
comment on column parley_private.post_bounds.only_one is 'There is no other.';
comment on column parley_private.post_bounds.posts_per_minute is 'The setting of this name.';
comment on column parley_private.post_bounds.hops is 'The setting of this name.';
comment on column parley_private.post_bounds.loop_guard is 'The setting of this name.';

alter table parley_private.post_bounds enable row level security;
alter table parley_private.post_bounds force row level security;

drop policy if exists post_bounds_are_kept_by_the_owner on parley_private.post_bounds;
create policy post_bounds_are_kept_by_the_owner on parley_private.post_bounds to parley_owner using (true) with check (true);

insert into parley_private.post_bounds default values on conflict do nothing;
--! EndIncluded tables/post_bounds.sql
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

--! Included tables/counters.sql
-- How often something was done within a window of time, by whoever is counted: a row per rule and subject, for as long as its
-- window lasts.
create table if not exists parley_private.counters (
  rule text not null,
  subject text not null,
  used integer not null,
  ends_at timestamptz not null,
  constraint counters_are_kept_per_rule_and_subject primary key (rule, subject)
);

create index if not exists counters_by_end on parley_private.counters (ends_at);

comment on table parley_private.counters is 'What rules count that are not about one session.';
comment on column parley_private.counters.rule is 'The setting that bounds it.';
comment on column parley_private.counters.subject is 'Who is counted: a key, a person, or an address such as address 192.0.2.7.';
comment on column parley_private.counters.used is 'How often within the window.';
comment on column parley_private.counters.ends_at is 'When the window ends, and the count with it.';

alter table parley_private.counters enable row level security;
alter table parley_private.counters force row level security;

drop policy if exists counters_are_kept_by_the_owner on parley_private.counters;
create policy counters_are_kept_by_the_owner on parley_private.counters to parley_owner using (true) with check (true);
--! EndIncluded tables/counters.sql

do $$
begin
  create type parley_private.carried as (nth_of_author integer, counted_from integer, heard integer, hops integer, talk integer);
exception when duplicate_object then null;
end $$;
