do $$
begin
  create type parley.placed_session as (
    session_id uuid,
    ref text,
    board text,
    zone text,
    placed_at timestamptz,
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.placed_session.unread is 'Messages of others that no answer has handed to you yet.';

-- By the teams of the session, and by people who may write. A concluded
-- session can be moved, too: that is when it is done.
create or replace function parley.place_session(session_id text, board text, zone text default null)
returns parley.placed_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat      parley_private.seat;
  v_placement parley.placements;
begin
  if board is null then
    perform parley_private.refuse_argument('board', 'board is required.', 'list_boards names them all.');
  end if;
  v_seat := parley_private.take_seat(session_id, to_read => true);
  perform parley_private.refuse_onlookers(v_seat);
  v_placement := parley_private.place((v_seat.session).id, parley_private.find_board(board), zone);
  return row(
    (v_seat.session).id, (v_seat.session).ref, v_placement.board, v_placement.zone, v_placement.placed_at,
    parley_private.unread(v_seat.participant))::parley.placed_session;
end;
$$;

grant execute on function parley.place_session to parley_caller;

comment on function parley.place_session is $$
@verb POST /sessions/{session_id}/place
@who team
@toolset sessions
@idempotent
@param board -
@param zone -
Put the session on a board, or into another zone.
$$;
