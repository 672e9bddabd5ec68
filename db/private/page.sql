-- How much of the feed one answer holds.

-- How many of these messages, given by their sizes, fit on a page; one always does. Texts are cut to text_max
-- characters of at most four bytes.
create or replace function parley_private.fitting(sizes integer[], text_max integer)
returns integer
language plpgsql stable
set search_path = ''
as $$
declare
  v_room bigint := parley_private.setting('page_max_bytes');
begin
  for n in 1 .. coalesce(cardinality(sizes), 0) loop
    v_room := v_room - least(sizes[n], 4 * text_max::bigint);
    if v_room < 0 then
      return greatest(n - 1, 1);
    end if;
  end loop;
  return coalesce(cardinality(sizes), 0);
end;
$$;

grant execute on function parley_private.fitting to parley_caller;

do $$
begin
  create type parley_private.page as (cursors integer[], last integer, has_more boolean);
exception when duplicate_object then null;
end $$;

-- The page after a cursor: at most so many messages, without those of one participant (0: without nobody). Its last
-- cursor is that of its last message or, if no more is to come, the end of the feed.
create or replace function parley_private.page_after(
  session parley.sessions,
  since_cursor integer,
  without integer,
  max_items integer,
  text_max integer
)
returns parley_private.page
language plpgsql stable
set search_path = ''
as $$
declare
  v_cursors integer[];
  v_sizes   integer[];
  v_count   integer;
  v_more    boolean;
begin
  if session.last_sequence <= since_cursor then
    return row('{}'::integer[], since_cursor, false)::parley_private.page;
  end if;
  select coalesce(array_agg(m.sequence order by m.sequence), '{}'), array_agg(m.bytes order by m.sequence)
  into v_cursors, v_sizes
  from (
    select m.sequence, m.bytes from parley.messages m
    where m.session_id = session.id
      and m.sequence > since_cursor
      and m.sequence <= session.last_sequence
      and m.caused_by is distinct from without
    order by m.sequence
    limit max_items + 1
  ) m;
  v_count := least(parley_private.fitting(v_sizes, text_max), max_items);
  v_more := cardinality(v_cursors) > v_count;
  return row(v_cursors[:v_count], case when v_more then v_cursors[v_count] else session.last_sequence end, v_more)::parley_private.page;
end;
$$;

-- The cursor before the first message of the page that ends with another.
create or replace function parley_private.page_before(session_id uuid, through_cursor integer, max_items integer, text_max integer)
returns integer
language sql stable
set search_path = ''
as $$
  select greatest(through_cursor - parley_private.fitting(array(
    select m.bytes from parley.messages m
    where m.session_id = page_before.session_id and m.sequence <= through_cursor
    order by m.sequence desc
    limit max_items
  ), text_max), 0);
$$;

grant execute on function parley_private.page_before to parley_caller;
