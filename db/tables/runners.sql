-- The machines that offer to run agents. An offer is a lease: whoever made it renews it, and a name belongs to the token that it was
-- offered with for as long as it lives.
create table if not exists parley_private.runners (
  name text not null,
  hash bytea not null,
  agents text[] not null,
  repos text[] not null default '{}',
  max_runs integer not null,
  accept text not null,
  key_id uuid,
  user_id uuid,
  offered_by text not null,
  offered_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  constraint runners_have_one_name_each primary key (name),
  constraint runners_are_offered_under_a_key foreign key (key_id) references parley_private.keys (id) on delete cascade,
  constraint runners_are_offered_by_a_person foreign key (user_id) references parley_private.users (id) on delete cascade,
  constraint runners_accept_a_key_or_anyone check (accept in ('key', 'anyone'))
);

create index if not exists runners_of_a_key on parley_private.runners (key_id) where key_id is not null;
create index if not exists runners_of_a_person on parley_private.runners (user_id) where user_id is not null;

comment on table parley_private.runners is '@backup none
The machines that offer to run agents.';
comment on column parley_private.runners.name is 'What it is called.';
comment on column parley_private.runners.hash is 'SHA-256 of its token, which is kept nowhere: nobody else takes runs under its name.';
comment on column parley_private.runners.agents is 'The agents that it is configured for, by their names.';
comment on column parley_private.runners.repos is 'The repositories that it is configured for, by their names.';
comment on column parley_private.runners.max_runs is 'How many it runs at a time.';
comment on column parley_private.runners.accept is 'key: only for who has come by a key; anyone: also with open access.';
comment on column parley_private.runners.key_id is 'The access key that it was offered under: it dies with it.';
comment on column parley_private.runners.user_id is 'The person that has offered it.';
comment on column parley_private.runners.offered_by is 'Who that was, by name.';
comment on column parley_private.runners.offered_at is 'Since when.';
comment on column parley_private.runners.expires_at is 'When the offer ends by itself; one that waits for a run lives longer.';

alter table parley_private.runners enable row level security;
alter table parley_private.runners force row level security;

drop policy if exists runners_are_kept_by_the_owner on parley_private.runners;
create policy runners_are_kept_by_the_owner on parley_private.runners to parley_owner using (true) with check (true);
