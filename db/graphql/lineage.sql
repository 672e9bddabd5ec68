-- Where a session comes from and what has come from it, as fields of the GraphQL type Session.
create or replace function parley.sessions_continues(session parley.sessions)
returns parley.sessions
language sql stable
set search_path = ''
as $$
  select o from parley.lineage l join parley.sessions o on o.id = l.origin_id
  where l.session_id = session.id and l.relation = 'resumed';
$$;

comment on function parley.sessions_continues is 'The concluded session that this one picks up.';

create or replace function parley.sessions_continuations(session parley.sessions)
returns setof parley.sessions
language sql stable
as $$
  select s.* from parley.lineage l join parley.sessions s on s.id = l.session_id
  where l.origin_id = session.id and l.relation = 'resumed'
  order by s.created_at, s.id;
$$;

comment on function parley.sessions_continuations is 'The sessions that pick this one up, the oldest first.';

create or replace function parley.sessions_lineage(session parley.sessions)
returns parley.lineage_tree
language sql stable
set search_path = ''
as $$
  select parley_private.lineage_tree(session);
$$;

comment on function parley.sessions_lineage is '@cost 100
@notNull
The sessions that this one comes from, and those that come from it.';

grant execute on function parley.sessions_continues, parley.sessions_continuations, parley.sessions_lineage to parley_caller;
