do $$
begin
  create type parley.board_list as (boards parley.board_summary[], has_more boolean);
exception when duplicate_object then null;
end $$;
comment on column parley.board_list.boards is '@notNull';

create or replace function parley.list_boards()
returns parley.board_list
language plpgsql stable
set search_path = ''
as $$
declare
  c_most   constant integer := 200;
  v_boards parley.board_summary[] := array(
    select parley_private.as_board(b) from parley.boards b order by b.created_at desc, b.slug limit c_most + 1
  );
begin
  return row(v_boards[:c_most], cardinality(v_boards) > c_most)::parley.board_list;
end;
$$;

grant execute on function parley.list_boards to parley_caller;

comment on function parley.list_boards is $$
@verb GET /boards
@who key read
@toolset sessions
@readonly
Boards, newest first.
$$;
