-- What a person may attach: the newest sessions, a page at a time. The cursor of a page is the last session of the one before it.
create or replace function parley.list_resources(cursor text default null)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_page_size constant integer := 50;
  v_last      parley.sessions;
  v_page      parley.sessions[];
begin
  if cursor is not null then
    if list_resources.cursor ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
      select * into v_last from parley.sessions s where s.id = list_resources.cursor::uuid;
    end if;
    if v_last.id is null then
      perform parley_private.refuse_argument('cursor', 'This cursor is not the nextCursor of a list.', 'Leave it out to start at the beginning.');
    end if;
  end if;

  v_page := array(
    select s from parley.sessions s
    where v_last.id is null
      or s.created_at <= v_last.created_at and (s.created_at < v_last.created_at or s.id > v_last.id)
    order by s.created_at desc, s.id
    limit v_page_size + 1
  );
  return jsonb_strip_nulls(jsonb_build_object(
    'resources', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'uri', 'parley://sessions/' || s.ref,
        'name', s.ref,
        'title', parley_private.on_one_line(s.title),
        'description', concat_ws(', ', s.status, s.last_sequence || case s.last_sequence when 1 then ' message' else ' messages' end, nullif(parley_private.on_one_line(s.description, 200), '')),
        'mimeType', 'application/json'
      ) order by s.created_at desc, s.id), '[]')
      from unnest(v_page[:v_page_size]) s
    ),
    'nextCursor', case when cardinality(v_page) > v_page_size then v_page[v_page_size].id end
  ));
end;
$$;

grant execute on function parley.list_resources to parley_caller;

comment on function parley.list_resources is $$
@lists_resources
@topic session *
@topic sessions
@behavior -*
The sessions as resources, newest first.
$$;
