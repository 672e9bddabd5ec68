-- The browsers that want to be told when something waits for their person, also while no page is open.
create table if not exists parley_private.push_subscriptions (
  endpoint text not null,
  user_id uuid not null,
  p256dh text not null,
  auth text not null,
  created_at timestamptz not null default now(),
  constraint push_subscriptions_have_an_endpoint primary key (endpoint),
  constraint push_subscriptions_are_of_a_person foreign key (user_id) references parley_private.users (id)
);

create index if not exists push_subscriptions_by_person on parley_private.push_subscriptions (user_id);

comment on table parley_private.push_subscriptions is 'The browsers that are notified.';
comment on column parley_private.push_subscriptions.endpoint is 'Where its push service takes notifications.';
comment on column parley_private.push_subscriptions.user_id is 'Whose browser it is.';
comment on column parley_private.push_subscriptions.p256dh is 'The key that only the browser can open.';
comment on column parley_private.push_subscriptions.auth is 'And the secret that goes with it.';
comment on column parley_private.push_subscriptions.created_at is 'Since when.';

alter table parley_private.push_subscriptions enable row level security;
alter table parley_private.push_subscriptions force row level security;

drop policy if exists push_subscriptions_are_kept_by_the_owner on parley_private.push_subscriptions;
create policy push_subscriptions_are_kept_by_the_owner on parley_private.push_subscriptions to parley_owner using (true) with check (true);
