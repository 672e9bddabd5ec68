do $$
begin
  create type parley.board_summary as (
    board text,
    name text,
    description text,
    zones text[],
    sessions integer,
    created_at timestamptz
  );
exception when duplicate_object then null;
end $$;
comment on column parley.board_summary.board is 'Its slug: what it is called everywhere.';
comment on column parley.board_summary.zones is 'In their order.';
comment on column parley.board_summary.sessions is 'How many sessions are on it.';

create or replace function parley_private.as_board(board parley.boards)
returns parley.board_summary
language sql stable
set search_path = ''
as $$
  select row(
    board.slug, board.name, board.description, board.zones,
    (select count(*) from parley.placements p where p.board = as_board.board.slug), board.created_at)::parley.board_summary;
$$;

-- The names of zones as they are kept: each on one line, none twice.
create or replace function parley_private.check_zones(zones text[])
returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  c_most    constant integer := 20;
  c_longest constant integer := 60;
  v_zones   text[];
begin
  if coalesce(cardinality(zones), 0) not between 1 and c_most then
    perform parley_private.refuse_argument('zones', format('zones must be 1 to %s names.', c_most), 'Leave it out for Planning, In progress, Done.');
  end if;
  v_zones := array(select btrim(left(z.name, 1000)) from unnest(zones) with ordinality as z (name, nth) order by z.nth);
  if exists (select from unnest(v_zones) z where z is null or z !~ '\S' or char_length(z) > c_longest or z ~ '[\n\r,]') then
    perform parley_private.refuse_argument('zones', format('A zone has a name of 1 to %s characters, on one line, without a comma.', c_longest),
      'Leave zones out for Planning, In progress, Done.');
  elsif (select count(distinct lower(z)) from unnest(v_zones) z) < cardinality(v_zones) then
    perform parley_private.refuse_argument('zones', 'Two zones have the same name.', 'Name each zone once.');
  end if;
  perform parley_private.refuse_secrets('zones', array_to_string(v_zones, ' '));
  return v_zones;
end;
$$;

-- One that the caller sees, also for functions that run as the owner.
create or replace function parley_private.find_board(slug text)
returns parley.boards
language plpgsql stable
set search_path = ''
as $$
declare
  v_board parley.boards;
begin
  select * into v_board from parley.boards b where b.slug = lower(left(find_board.slug, 100))
    and (parley_private.sees_public() or b.slug = any (parley_private.sees_boards()));
  if not found then
    perform parley_private.fail(404, 'board_not_found', 'No board has this slug.', 'list_boards names them all.',
      jsonb_build_object('field', 'board'));
  end if;
  return v_board;
end;
$$;

-- The zone of a board that a caller means, or the one to begin with.
create or replace function parley_private.find_zone(board parley.boards, zone text)
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_zone text;
begin
  if zone is null then
    return board.zones[1];
  end if;
  select z into v_zone from unnest(board.zones) z where lower(z) = lower(left(find_zone.zone, 100));
  if not found then
    perform parley_private.refuse_argument('zone', format('The board %s has no such zone.', board.slug),
      format('Its zones are: %s.', array_to_string(board.zones, ', ')));
  end if;
  return v_zone;
end;
$$;

grant execute on function parley_private.as_board, parley_private.find_board, parley_private.find_zone to parley_caller;

-- The sessions on a board, those with the newest activity first; as part of the statement that reads a few of them.
create or replace function parley_private.sessions_on(board text, status text, search text)
returns setof parley.sessions
language sql stable
as $$
  select s.* from parley.placements p
  join parley.sessions s on s.id = p.session_id
  where p.board = sessions_on.board
    and (sessions_on.status is null or s.status = sessions_on.status)
    and (search is null
      or strpos(lower(concat_ws(' ', s.ref, s.title, s.description)), (select parley_private.part_to_find('search', search))) > 0)
  order by s.active_minute desc, greatest(s.updated_at, s.last_message_at) desc, s.id;
$$;

grant execute on function parley_private.sessions_on to parley_caller;

-- Puts a session on a board. One that is there already stays in its zone, unless another is named. Two at once are one after
-- the other: the row is the session's only one.
create or replace function parley_private.place(session_id uuid, board parley.boards, zone text)
returns parley.placements
language plpgsql volatile
set search_path = ''
as $$
declare
  v_zone      text := parley_private.find_zone(board, zone);
  v_placement parley.placements;
begin
  insert into parley.placements as p (session_id, board, zone) values (place.session_id, place.board.slug, v_zone)
  on conflict on constraint sessions_are_on_one_board do update set
    board = excluded.board,
    zone = case when place.zone is null and p.board = excluded.board then p.zone else excluded.zone end,
    placed_at = case when p.board = excluded.board and p.zone = excluded.zone then p.placed_at else excluded.placed_at end
  returning * into v_placement;
  return v_placement;
end;
$$;
