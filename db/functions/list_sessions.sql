do $$
begin
  create type parley.session_summary as (
    session_id uuid,
    ref text,
    title text,
    description text,
    status text,
    teams integer,
    last_cursor integer,
    doc_version integer,
    last_activity_at timestamptz,
    continues text,
    board text,
    zone text
  );
exception when duplicate_object then null;
end $$;
comment on column parley.session_summary.continues is '@optional
The ref of the session that it picks up.';
comment on column parley.session_summary.board is '@optional
The board that it is on.';
comment on column parley.session_summary.zone is '@optional
And its zone there.';

do $$
begin
  create type parley.session_list as (sessions parley.session_summary[], has_more boolean);
exception when duplicate_object then null;
end $$;

create or replace function parley.list_sessions(status text default null, text text default null, "limit" integer default 20, board text default null)
returns parley.session_list
language plpgsql stable
set search_path = ''
as $$
declare
  v_limit    integer := least(coalesce("limit", 20), 100);
  v_board    parley.boards;
  v_found    parley.sessions[];
  v_sessions parley.session_summary[];
begin
  if list_sessions.status not in ('active', 'closed') then
    perform parley_private.refuse_argument('status', 'status must be active or closed.', 'Leave it out to see both.');
  elsif v_limit < 1 then
    perform parley_private.refuse_argument('limit', 'limit must be 1 or more.', 'Leave it out for the usual number.');
  end if;
  perform parley_private.part_to_find('text', list_sessions.text);

  if list_sessions.board is null then
    v_found := array(select s from parley.find_sessions(list_sessions.status, list_sessions.text) s limit v_limit + 1);
  else
    v_board := parley_private.find_board(list_sessions.board);
    v_found := array(
      select s from parley_private.sessions_on(v_board.slug, list_sessions.status, list_sessions.text) s limit v_limit + 1
    );
  end if;
  v_sessions := array(
    select row(
      s.id,
      s.ref,
      s.title,
      parley_private.shortened(s.description),
      s.status,
      (select count(*) from parley.participants p where p.session_id = s.id and p.left_at is null),
      s.last_sequence,
      s.session_doc_version,
      parley.sessions_last_activity_at(s),
      (parley.sessions_continues(s)).ref,
      p.board,
      p.zone
    )::parley.session_summary
    from generate_subscripts(v_found, 1) i
    cross join lateral (select (v_found[i]).*) s
    left join parley.placements p on p.session_id = s.id
    order by i
  );
  return row(v_sessions[:v_limit], cardinality(v_sessions) > v_limit)::parley.session_list;
end;
$$;

grant execute on function parley.list_sessions to parley_caller;

comment on function parley.list_sessions is $$
@verb GET /sessions
@who key read
@toolset sessions
@clamped
@readonly
@param status active or closed.
@param text -
@param limit At most 100; default 20.
@param board Its slug: the sessions on it.
@unlisted board, limit
Sessions to join or resume, newest activity first.
$$;
