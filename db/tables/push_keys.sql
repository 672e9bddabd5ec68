-- What this server signs its notifications with (VAPID): made at the first start, and read by nobody but the worker.
create table if not exists parley_private.push_keys (
  one boolean not null default true,
  public_key text not null,
  private_key text not null,
  made_at timestamptz not null default now(),
  constraint push_keys_are_one primary key (one),
  constraint push_keys_are_no_more_than_one check (one)
);

comment on table parley_private.push_keys is 'The keys that notifications are signed with.';
comment on column parley_private.push_keys.one is 'There is one pair.';
comment on column parley_private.push_keys.public_key is 'What browsers are given.';
comment on column parley_private.push_keys.private_key is 'What signs.';
comment on column parley_private.push_keys.made_at is 'When they were made.';

alter table parley_private.push_keys enable row level security;
alter table parley_private.push_keys force row level security;

drop policy if exists push_keys_are_kept_by_the_owner on parley_private.push_keys;
create policy push_keys_are_kept_by_the_owner on parley_private.push_keys to parley_owner using (true) with check (true);
