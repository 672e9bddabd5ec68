-- Everybody who is or was in a session, in the order in which they came.
create or replace function parley_private.roster(session_id uuid, reader integer)
returns parley.roster_entry[]
language sql stable
set search_path = ''
as $$
  select array_agg(
    row(
      p.handle,
      p.team_name,
      p.kind,
      p.id = s.created_by,
      coalesce(p.id = reader, false),
      p.joined_at,
      p.left_at,
      p.last_seen_at,
      parley_private.presence(p),
      parley_private.is_listening(p.session_id, p.id),
      p.cursor,
      p.acked_cursor,
      parley_private.activity(p)
    )::parley.roster_entry
    order by p.id
  )
  from parley.participants p
  join parley.sessions s on s.id = p.session_id
  where p.session_id = roster.session_id;
$$;

grant execute on function parley_private.roster to parley_caller;
