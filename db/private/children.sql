-- What was given away is asked for before a session ends: the teams of an open child would report to nobody. Those are named that
-- the caller sees.
create or replace function parley_private.refuse_if_children_are_open(session parley.sessions)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_open     integer;
  v_children jsonb;
begin
  select count(*), coalesce(jsonb_agg(jsonb_build_object('ref', c.ref, 'title', c.title) order by c.nth) filter (where c.nth <= 20 and c.seen), '[]')
  into v_open, v_children
  from (
    select s.ref, s.title, parley_private.sees(s) as seen, row_number() over (order by s.created_at, s.id) as nth
    from parley.lineage l join parley.sessions s on s.id = l.session_id
    where l.origin_id = session.id and l.relation = 'spawned' and s.status = 'active'
  ) c;
  if v_open > 0 then
    perform parley_private.fail(409, 'session_active',
      format('%s spawned here %s still open.', case v_open when 1 then 'A session' else v_open || ' sessions' end, case v_open when 1 then 'is' else 'are' end),
      'Wait until they are concluded (child_concluded in the feed) or conclude them; to close this one all the same, send even_so: true.',
      jsonb_build_object('children', v_children, 'open_children', v_open));
  end if;
end;
$$;

-- The conclusion of a spawned session comes home to the feed of its parent or, if that was concluded and resumed meanwhile, of the
-- session in which the work goes on. Who concludes holds the lock of the child, then takes that of the parent: always upwards,
-- to an older session and from there to the end of its line, so that two never wait for each other. Of a child that is for its
-- members alone, where the home is for everyone, no more is told than what was known when it was spawned.
create or replace function parley_private.tell_parent(child_id uuid)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_child  parley.sessions;
  v_home   uuid;
  v_public boolean;
  v_title  text;
begin
  select s.id into v_home from parley.lineage l join parley.sessions s on s.id = l.origin_id
  where l.session_id = child_id and l.relation = 'spawned'
  for no key update of s;
  if not found then
    return;
  end if;
  select s.id, s.visibility = 'everyone' into v_home, v_public
  from (
    with recursive line as (
      select v_home as id
      union
      select l.session_id from line join parley.lineage l on l.origin_id = line.id and l.relation = 'resumed'
    )
    select line.id from line
  ) line
  join parley.sessions s on s.id = line.id
  where s.status = 'active'
  order by s.created_at desc limit 1
  for no key update of s;
  if not found then
    return;
  end if;

  select * into v_child from parley.sessions s where s.id = child_id;
  if v_public and v_child.visibility = 'members' then
    select m.content ->> 'title' into v_title
    from parley.lineage l join parley.messages m on m.session_id = l.origin_id and m.sequence = l.origin_cursor + 1
    where l.session_id = child_id;
    perform parley_private.announce(v_home, 'child_concluded', jsonb_build_object('ref', v_child.ref, 'title', v_title));
    return;
  end if;
  perform parley_private.announce(v_home, 'child_concluded', jsonb_build_object(
    'ref', v_child.ref,
    'title', v_child.title,
    'conclusion', parley_private.cut(parley_private.conclusion_of(v_child), 1000)));
end;
$$;
