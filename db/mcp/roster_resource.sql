create or replace function parley.roster_resource(ref text)
returns json
language sql stable
set search_path = ''
as $$
  select json_build_object('participants', (
    select json_agg(jsonb_strip_nulls(to_jsonb(p)) - 'you')
    from unnest(parley_private.roster(s.id, null)) p
  ))
  from parley_private.find_session(roster_resource.ref) s;
$$;

grant execute on function parley.roster_resource to parley_caller;

comment on function parley.roster_resource is $$
@resource parley://sessions/{ref}/roster application/json
@topic roster {ref}
@behavior -*
@name session-roster
@title Roster of a session
The teams of a session: who is there, who is listening, how far each has read.
$$;
