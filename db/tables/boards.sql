-- A board groups sessions in zones: what is planned, what is in progress, what is done.
create table if not exists parley.boards (
  slug text not null,
  name text not null,
  description text not null default '',
  zones text[] not null,
  created_at timestamptz not null default now(),
  constraint boards_are_found_by_their_slug primary key (slug),
  constraint boards_have_zones check (cardinality(zones) > 0)
);

create index if not exists boards_by_creation on parley.boards (created_at desc, slug);

comment on table parley.boards is 'A board: sessions, grouped in zones.';
comment on column parley.boards.slug is 'What it is called everywhere, made from its name: billing, billing-2.';
comment on column parley.boards.name is 'Its name.';
comment on column parley.boards.description is 'What it is for.';
comment on column parley.boards.zones is 'The names of its zones, in their order.';
comment on column parley.boards.created_at is 'When it was created.';

alter table parley.boards enable row level security;
alter table parley.boards force row level security;

drop policy if exists boards_are_readable on parley.boards;
create policy boards_are_readable on parley.boards for select to parley_caller using (
  (select parley_private.sees_public()) or slug = any ((select parley_private.sees_boards())::text[])
);
drop policy if exists boards_are_kept_by_the_owner on parley.boards;
create policy boards_are_kept_by_the_owner on parley.boards to parley_owner using (true) with check (true);

grant select on parley.boards to parley_caller;

create or replace function parley_private.tg_boards__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('board ' || new.slug);
  return null;
end;
$$;

drop trigger if exists _500_notify on parley.boards;
create trigger _500_notify after insert or update on parley.boards
  for each row execute function parley_private.tg_boards__notify();
