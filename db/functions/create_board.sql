create or replace function parley.create_board(name text, description text default '', zones text[] default '{Planning,In progress,Done}')
returns parley.board_summary
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_zones  text[];
  v_slug   text;
  v_free   text;
  v_number integer := 1;
  v_board  parley.boards;
begin
  perform parley_private.check_text('name', name, 'title_max');
  perform parley_private.check_text('description', coalesce(description, ''), 'description_max', may_be_blank => true);
  v_zones := parley_private.check_zones(zones);
  v_slug := parley_private.slug_of(name, 'board');
  v_free := v_slug;

  -- Of two with one name at the same time the second waits for the first, and takes the next number.
  perform pg_advisory_xact_lock(hashtextextended('parley.boards', 0));
  while exists (select from parley.boards b where b.slug = v_free) loop
    v_number := v_number + 1;
    v_free := v_slug || '-' || v_number;
  end loop;
  insert into parley.boards (slug, name, description, zones)
  values (v_free, create_board.name, coalesce(create_board.description, ''), v_zones)
  returning * into v_board;
  return parley_private.as_board(v_board);
end;
$$;

grant execute on function parley.create_board to parley_caller;

comment on function parley.create_board is $$
@verb POST /boards
@who key team
@toolset sessions
@param name -
@param description What it is for.
@param zones Default: Planning, In progress, Done.
@unlisted description, zones
Make a board that groups sessions in zones.
$$;
