-- What the beginning of a ref, or a part of it, may mean: newest first, those that begin with it before the others.
create or replace function parley.complete_ref(value text, status text default null)
returns jsonb
language sql stable
set search_path = ''
as $$
  with matches as (
    select s.ref, s.created_at, s.id, strpos(s.ref, part) as place
    from parley.sessions s
    cross join parley_private.part_to_find('value', value) as part
    where strpos(s.ref, part) > 0 and (complete_ref.status is null or s.status = complete_ref.status)
  ),
  best as (
    select m.ref, row_number() over (order by m.place > 1, m.created_at desc, m.id) as rank from matches m
  )
  select jsonb_build_object(
    'values', coalesce(jsonb_agg(b.ref order by b.rank) filter (where b.rank <= 100), '[]'),
    'total', count(*),
    'hasMore', count(*) > 100
  )
  from best b;
$$;

grant execute on function parley.complete_ref to parley_caller;

comment on function parley.complete_ref is $$
@completes ref
@behavior -*
The refs that a text may stand for.
$$;
