-- The bounds that every post asks for, in one row: four of parley.settings, whose trigger keeps them here. To look them up there
-- would cost a post four times as much.
create table if not exists parley_private.post_bounds (
  only_one boolean not null default true,
  posts_per_minute integer,
  hops integer,
  loop_guard integer,
  message_max integer,
  constraint post_bounds_are_one_row primary key (only_one),
  constraint post_bounds_are_no_second_row check (only_one)
);

comment on table parley_private.post_bounds is '@backup none
What parley.settings says of posts; null: no limit.';
comment on column parley_private.post_bounds.only_one is 'There is no other.';
comment on column parley_private.post_bounds.posts_per_minute is 'The setting of this name.';
comment on column parley_private.post_bounds.hops is 'The setting of this name.';
comment on column parley_private.post_bounds.loop_guard is 'The setting of this name.';
comment on column parley_private.post_bounds.message_max is 'The setting of this name.';

alter table parley_private.post_bounds enable row level security;
alter table parley_private.post_bounds force row level security;

drop policy if exists post_bounds_are_kept_by_the_owner on parley_private.post_bounds;
create policy post_bounds_are_kept_by_the_owner on parley_private.post_bounds to parley_owner using (true) with check (true);

insert into parley_private.post_bounds default values on conflict do nothing;
