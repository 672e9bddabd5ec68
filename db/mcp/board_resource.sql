create or replace function parley.board_resource(board text)
returns json
language sql stable
set search_path = ''
as $$
  select to_json(parley.get_board(board_resource.board));
$$;

grant execute on function parley.board_resource to parley_caller;

comment on function parley.board_resource is $$
@resource parley://boards/{board} application/json
@topic board {board}
@behavior -*
@name board
@title Board
The zones of a board, and the sessions in them.
$$;

create or replace function parley.board_in_topics(board text)
returns text
language sql stable
set search_path = ''
as $$
  select b.slug from parley_private.find_board(board_in_topics.board) b;
$$;

grant execute on function parley.board_in_topics to parley_caller;

comment on function parley.board_in_topics is $$
@in_topics board
@behavior -*
How topics name the board that a slug stands for.
$$;

create or replace function parley.complete_board(value text)
returns jsonb
language sql stable
set search_path = ''
as $$
  with matches as (
    select b.slug, row_number() over (order by strpos(b.slug, part) > 1, b.created_at desc, b.slug) as rank
    from parley.boards b
    cross join parley_private.part_to_find('value', value) as part
    where strpos(b.slug, part) > 0
  )
  select jsonb_build_object(
    'values', coalesce(jsonb_agg(m.slug order by m.rank) filter (where m.rank <= 100), '[]'),
    'total', count(*),
    'hasMore', count(*) > 100
  )
  from matches m;
$$;

grant execute on function parley.complete_board to parley_caller;

comment on function parley.complete_board is $$
@completes board
@behavior -*
The slugs that a text may stand for.
$$;
