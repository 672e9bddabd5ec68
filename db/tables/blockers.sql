-- What teams have said they are stuck at, each until somebody has replied or the team has reported anew: people are shown it, however long the feed.
-- No foreign key: a row comes with its message, which is never changed or deleted.
create table if not exists parley.blockers (
  session_id uuid not null,
  sequence integer not null,
  raised_by integer not null,
  constraint blockers_are_messages primary key (session_id, sequence)
);

comment on table parley.blockers is '@behavior -*
The messages of kind blocker or blocked that nobody has answered, the newest of each team.';
comment on column parley.blockers.session_id is 'The session.';
comment on column parley.blockers.sequence is 'The cursor of the message.';
comment on column parley.blockers.raised_by is 'Its author, among the participants.';

alter table parley.blockers enable row level security;
alter table parley.blockers force row level security;

drop policy if exists blockers_are_readable on parley.blockers;
create policy blockers_are_readable on parley.blockers for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = blockers.session_id offset 0)
);
drop policy if exists blockers_are_kept_by_the_owner on parley.blockers;
create policy blockers_are_kept_by_the_owner on parley.blockers to parley_owner using (true) with check (true);

grant select on parley.blockers to parley_caller;

-- A reply of anybody ends it, its author's too: it says how it went on. So does what its team reports next: it is stuck once at a time.
create or replace function parley_private.keep_blockers(newest parley.messages)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reports boolean := newest.type = 'chat' and newest.kind in ('blocker', 'blocked', 'status');
  v_changed boolean;
begin
  delete from parley.blockers b
  where b.session_id = newest.session_id and (b.sequence = newest.reply_to or v_reports and b.raised_by = newest.posted_by);
  v_changed := found;
  if v_reports and newest.kind <> 'status' then
    insert into parley.blockers (session_id, sequence, raised_by) values (newest.session_id, newest.sequence, newest.posted_by);
    v_changed := true;
  end if;
  if v_changed then
    perform parley_private.notify('inbox ' || newest.session_id);
  end if;
end;
$$;
