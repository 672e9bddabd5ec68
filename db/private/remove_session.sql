-- Removes a session with all that belongs to it: the only way by which messages and versions of documents ever go. What
-- belongs to it is every row with its session_id, whoever made the table; a table whose rows stay says so in its comment,
-- "@outlives sessions". What refers to it otherwise says what becomes of that in its foreign key.
create or replace function parley_private.remove_session(session_id uuid, reason text, actor text default null)
returns parley.sessions
language plpgsql volatile
set search_path = ''
as $$
declare
  v_session    parley.sessions;
  v_neighbours uuid[];
  v_tables     regclass[];
  v_table      regclass;
  v_referring  regclass[];
  v_referred   regclass[];
begin
  -- Writers of the session, and whoever refers to its teams, are through or will find nothing.
  select s.* into v_session from parley.sessions s where s.id = remove_session.session_id for update;
  if not found then
    perform parley_private.fail(404, 'session_not_found', 'No session has this id or ref.', 'It has just been deleted.');
  end if;
  perform from parley.participants p where p.session_id = v_session.id order by p.id for update;
  v_neighbours := array(
    select l.session_id from parley.lineage l where l.origin_id = v_session.id
    union
    select l.origin_id from parley.lineage l where l.session_id = v_session.id
  );
  perform parley_private.audit('session_deleted', v_session.id,
    jsonb_build_object('messages', v_session.last_sequence, 'reason', reason), actor);
  perform set_config('parley.removing', v_session.id::text, true);

  -- What the teams of the next session were told is this one in short.
  delete from parley_private.handoffs h
  where h.session_id in (select l.session_id from parley.lineage l where l.origin_id = v_session.id);
  v_tables := parley_private.tables_of_sessions();
  -- Read once: nothing in the catalogue is indexed by what is referred to.
  select array_agg(c.conrelid), array_agg(c.confrelid) into v_referring, v_referred from pg_constraint c
  where c.contype = 'f' and c.conrelid <> c.confrelid and c.conrelid = any (v_tables) and c.confrelid = any (v_tables);
  while cardinality(v_tables) > 0 loop
    -- Those first that no other one refers to.
    select t into v_table from unnest(v_tables) as t
    order by exists (
      select from unnest(v_referring, v_referred) as r (referring, referred)
      where r.referred = t and r.referring = any (v_tables)
    )
    limit 1;
    execute format('delete from %s where session_id = $1', v_table) using v_session.id;
    v_tables := array_remove(v_tables, v_table);
  end loop;
  delete from parley.sessions s where s.id = v_session.id;
  perform set_config('parley.removing', '', true);

  perform parley_private.notify(kind || ' ' || v_session.id) from unnest(array['session', 'feed', 'roster', 'doc']) as kind;
  perform parley_private.notify('session ' || neighbour) from unnest(v_neighbours) as neighbour;
  -- No list has it any more, and no key or invitation leads to it.
  perform parley_private.notify('sessions'), parley_private.notify('doors');
  return v_session;
end;
$$;

-- The tables that hold rows of sessions.
create or replace function parley_private.tables_of_sessions()
returns regclass[]
language sql stable
set search_path = ''
as $$
  select array(
    select c.oid::regclass
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'session_id' and not a.attisdropped
    where c.relnamespace in ('parley'::regnamespace, 'parley_private'::regnamespace)
      and c.relkind in ('r', 'p') and not c.relispartition
      and coalesce(obj_description(c.oid, 'pg_class'), '') !~ '(?n)^@outlives sessions$'
    order by c.oid::regclass::text
  );
$$;

-- Run by the worker: the session that was concluded first, if that is long enough ago. One at a time, so that nobody waits
-- long; what somebody is using is left for the next time.
create or replace function parley_private.remove_an_old_session()
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_days    integer := parley_private.setting('delete_closed_after');
  v_session uuid;
begin
  if v_days = 0 then
    return false;
  end if;
  select s.id into v_session from parley.sessions s
  where s.closed_at < now() - v_days * interval '1 day'
  order by s.closed_at
  limit 1
  for update skip locked;
  if not found then
    return false;
  end if;
  perform parley_private.remove_session(v_session, format('concluded more than %s days ago', v_days), 'delete_closed_after');
  return true;
end;
$$;

grant execute on function parley_private.remove_an_old_session to parley_worker;
