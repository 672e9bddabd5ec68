create or replace function parley_private.board_as_text(answer parley.board_summary)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('board %s · sessions %s', answer.board, answer.sessions),
    'name: ' || parley_private.on_one_line(answer.name, 200),
    'zones: ' || parley_private.on_one_line(array_to_string(answer.zones, ', '), 1500));
$$;

create or replace function parley_private.board_list_as_text(answer parley.board_list)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('boards %s · more %s', cardinality(answer.boards), parley_private.yes_or_no(answer.has_more)),
    string_agg(format('board %s (sessions %s): %s', b.board, b.sessions, parley_private.on_one_line(b.name, 100)), E'\n' order by i))
  from generate_subscripts(answer.boards, 1) i, lateral (select (answer.boards[i]).*) b;
$$;

-- Zone by zone; of a long one the newest, and how many more there are.
create or replace function parley_private.board_details_as_text(answer parley.board_details)
returns text
language sql stable
set search_path = ''
as $$
  with placed as (
    select s.*, row_number() over (partition by s.zone order by s.nth) as place
    from unnest(answer.sessions) with ordinality as s (
      session_id, ref, title, status, zone, teams, last_cursor, last_activity_at, placed_at, nth)
  )
  select concat_ws(E'\n',
    format('board %s · sessions %s · more %s', answer.board, cardinality(answer.sessions), parley_private.yes_or_no(answer.has_more)),
    'name: ' || parley_private.on_one_line(answer.name, 200),
    'description: ' || parley_private.on_one_line(nullif(answer.description, ''), 500),
    (
      select string_agg(concat_ws(E'\n', format('zone %s: %s', parley_private.on_one_line(z.name, 60), listed.sessions), nullif(listed.lines, '')), E'\n' order by z.nth)
      from unnest(answer.zones) with ordinality as z (name, nth)
      cross join lateral (
        select count(*) as sessions, concat_ws(E'\n',
          string_agg(
            format('session %s (%s, teams %s, messages %s, %s): %s', p.ref, p.status, p.teams, p.last_cursor,
              parley_private.age_as_text(p.last_activity_at), parley_private.on_one_line(p.title, 100)),
            E'\n' order by p.place) filter (where p.place <= 20),
          case when count(*) > 20 then format('left out: %s more; list_sessions with board %s has them', count(*) - 20, answer.board) end) as lines
        from placed p where p.zone = z.name
      ) listed
    ),
    'page: ' || answer.url);
$$;

create or replace function parley_private.placed_as_text(answer parley.placed_session)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ', 'ref ' || answer.ref, 'board ' || answer.board, 'unread ' || answer.unread),
    'zone: ' || parley_private.on_one_line(answer.zone, 60));
$$;

grant execute on function
  parley_private.board_as_text,
  parley_private.board_list_as_text,
  parley_private.board_details_as_text,
  parley_private.placed_as_text
to parley_caller;

comment on type parley.board_summary is '@text parley_private.board_as_text
A board, in short.';
comment on type parley.board_list is '@text parley_private.board_list_as_text';
comment on type parley.board_details is '@text parley_private.board_details_as_text';
comment on type parley.placed_session is '@text parley_private.placed_as_text';
