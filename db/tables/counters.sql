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
