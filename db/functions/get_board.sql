do $$
begin
  create type parley.board_session as (
    session_id uuid,
    ref text,
    title text,
    status text,
    zone text,
    teams integer,
    last_cursor integer,
    last_activity_at timestamptz,
    placed_at timestamptz
  );
exception when duplicate_object then null;
end $$;
comment on type parley.board_session is 'A session on a board.';
comment on column parley.board_session.teams is 'How many teams are in it.';

do $$
begin
  create type parley.board_details as (
    board text,
    name text,
    description text,
    zones text[],
    sessions parley.board_session[],
    has_more boolean,
    url text,
    created_at timestamptz
  );
exception when duplicate_object then null;
end $$;
comment on column parley.board_details.board is 'Its slug: what it is called everywhere.';
comment on column parley.board_details.zones is 'In their order.';
comment on column parley.board_details.sessions is '@notNull
Zone by zone, those that came last first; 1,000 at most.';
comment on column parley.board_details.url is 'The page where people watch the board.';

create or replace function parley.get_board(board text)
returns parley.board_details
language plpgsql stable
set search_path = ''
as $$
declare
  c_most     constant integer := 1000;
  v_board    parley.boards := parley_private.find_board(board);
  v_sessions parley.board_session[] := array(
    select row(
      s.id, s.ref, s.title, s.status, p.zone,
      (select count(*) from parley.participants t where t.session_id = s.id and t.left_at is null),
      s.last_sequence, parley.sessions_last_activity_at(s), p.placed_at)::parley.board_session
    from parley.placements p
    join parley.sessions s on s.id = p.session_id
    where p.board = v_board.slug
    order by array_position(v_board.zones, p.zone), p.placed_at desc, s.id
    limit c_most + 1
  );
begin
  return row(
    v_board.slug, v_board.name, v_board.description, v_board.zones, v_sessions[:c_most], cardinality(v_sessions) > c_most,
    parley_private.public_url() || '/b/' || v_board.slug, v_board.created_at)::parley.board_details;
end;
$$;

grant execute on function parley.get_board to parley_caller;

comment on function parley.get_board is $$
@verb GET /boards/{board}
@who key read
@toolset sessions
@readonly
@param board -
The zones of a board and their sessions.
$$;
