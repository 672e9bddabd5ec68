create or replace function parley.lineage_resource(ref text)
returns json
language sql stable
set search_path = ''
as $$
  select to_json(jsonb_strip_nulls(to_jsonb(parley_private.lineage_tree(s)))) from parley_private.find_session(lineage_resource.ref) s;
$$;

grant execute on function parley.lineage_resource to parley_caller;

comment on function parley.lineage_resource is $$
@resource parley://sessions/{ref}/lineage application/json
@topic lineage {ref}
@behavior -*
@name session-lineage
@title Lineage of a session
Which sessions it was spawned by, forked from or resumed, and which came from it.
$$;
