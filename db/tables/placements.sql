-- Where a session stands: on one board at most, in one of its zones.
create table if not exists parley.placements (
  session_id uuid not null,
  board text not null,
  zone text not null,
  placed_at timestamptz not null default clock_timestamp(),
  constraint sessions_are_on_one_board primary key (session_id),
  constraint placements_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint placements_are_on_a_board foreign key (board) references parley.boards (slug)
);

create index if not exists placements_of_a_board on parley.placements (board, placed_at desc);

comment on table parley.placements is 'Which session stands on which board.';
comment on constraint placements_belong_to_a_session on parley.placements is '@foreignFieldName placement';
comment on constraint placements_are_on_a_board on parley.placements is '@fieldName board
@foreignFieldName placements';
comment on column parley.placements.session_id is 'The session.';
comment on column parley.placements.board is '@behavior -*
The board.';
comment on column parley.placements.zone is 'One of the zones of the board.';
comment on column parley.placements.placed_at is 'When it came there.';

alter table parley.placements enable row level security;
alter table parley.placements force row level security;

drop policy if exists placements_are_readable on parley.placements;
create policy placements_are_readable on parley.placements for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = placements.session_id offset 0)
);
drop policy if exists placements_are_kept_by_the_owner on parley.placements;
create policy placements_are_kept_by_the_owner on parley.placements to parley_owner using (true) with check (true);

grant select on parley.placements to parley_caller;

-- Both boards of a session that moves from one to another have changed.
create or replace function parley_private.tg_placements__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('board ' || new.board);
  if tg_op = 'UPDATE' and old.board <> new.board then
    perform parley_private.notify('board ' || old.board);
  end if;
  return null;
end;
$$;

-- A board shows the titles of its sessions, and which of them are concluded.
create or replace function parley_private.tg_sessions__notify_board()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('board ' || p.board) from parley.placements p where p.session_id = new.id;
  return null;
end;
$$;

drop trigger if exists _500_notify_board on parley.sessions;
create trigger _500_notify_board after update of title, status on parley.sessions
  for each row execute function parley_private.tg_sessions__notify_board();
drop trigger if exists _500_notify on parley.placements;
create trigger _500_notify after insert or update on parley.placements
  for each row execute function parley_private.tg_placements__notify();
