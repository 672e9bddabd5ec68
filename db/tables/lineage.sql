-- Where a session comes from, if it comes from another: what resume, spawn and fork have made. Each comes from one at most, and
-- from an older one, so that the rows are trees.
create table if not exists parley.lineage (
  session_id uuid not null,
  origin_id uuid not null,
  relation text not null,
  origin_cursor integer not null default 0,
  spawned_by integer,
  constraint lineage_has_one_origin_per_session primary key (session_id),
  constraint lineage_belongs_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint lineage_leads_to_a_session foreign key (origin_id) references parley.sessions (id) on delete cascade,
  constraint spawned_sessions_have_a_parent_team foreign key (origin_id, spawned_by) references parley.participants (session_id, id) on delete cascade,
  constraint lineage_leads_to_another check (session_id <> origin_id),
  constraint lineage_relations_are_three check (relation in ('spawned', 'forked', 'resumed')),
  constraint spawned_sessions_say_by_whom check ((spawned_by is not null) = (relation = 'spawned'))
);

create index if not exists lineage_of_an_origin on parley.lineage (origin_id, spawned_by);

comment on table parley.lineage is '@behavior -*
Which session was spawned by, forked from or resumed another.';
comment on column parley.lineage.session_id is 'The later session.';
comment on column parley.lineage.origin_id is 'The session that it comes from.';
comment on column parley.lineage.relation is 'spawned (a part of the work, given away), forked (another way from the same point) or resumed (picked up after its end).';
comment on column parley.lineage.origin_cursor is 'The message of the origin that it starts from.';
comment on column parley.lineage.spawned_by is 'The team of the origin that has spawned it.';

alter table parley.lineage enable row level security;
alter table parley.lineage force row level security;

drop policy if exists lineage_is_readable on parley.lineage;
create policy lineage_is_readable on parley.lineage for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = lineage.session_id offset 0) and exists (select from parley.sessions s where s.id = lineage.origin_id offset 0)
);
drop policy if exists lineage_is_kept_by_the_owner on parley.lineage;
create policy lineage_is_kept_by_the_owner on parley.lineage to parley_owner using (true) with check (true);

grant select on parley.lineage to parley_caller;

-- Whoever looks at a session sees what has become of those that come from it, however far down.
create or replace function parley_private.notify_lineage(session_id uuid)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('lineage ' || line.id)
  from (
    with recursive line as (
      select notify_lineage.session_id as id
      union
      select l.origin_id from line join parley.lineage l on l.session_id = line.id
    )
    select line.id from line
  ) line;
end;
$$;

create or replace function parley_private.tg_lineage__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('session ' || new.origin_id);
  perform parley_private.notify_lineage(new.session_id);
  return null;
end;
$$;

create or replace function parley_private.tg_sessions__notify_lineage()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  if exists (select from parley.lineage l where new.id in (l.session_id, l.origin_id)) then
    perform parley_private.notify_lineage(new.id);
  end if;
  return null;
end;
$$;

drop trigger if exists _500_notify on parley.lineage;
create trigger _500_notify after insert on parley.lineage
  for each row execute function parley_private.tg_lineage__notify();
drop trigger if exists _500_notify_lineage on parley.sessions;
create trigger _500_notify_lineage after update of title, status on parley.sessions
  for each row execute function parley_private.tg_sessions__notify_lineage();
