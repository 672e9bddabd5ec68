-- How far the words of a session are indexed.
create or replace function parley_private.indexed_through(session_id uuid)
returns integer
language sql stable
return coalesce((
  select w.sequence from parley_private.message_words w where w.session_id = indexed_through.session_id
  order by w.sequence desc limit 1
), 0);

-- Indexes what follows, at most so many messages. Of those that would do it at the same time one does, and nobody waits for it.
create or replace function parley_private.index_words_of(session_id uuid, at_most integer)
returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_through integer;
  v_count   integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('parley words ' || session_id, 0)) then
    return 0;
  end if;
  v_through := parley_private.indexed_through(session_id);
  insert into parley_private.message_words (session_id, sequence, words)
  select m.session_id, m.sequence, parley_private.words_of(m) from parley.messages m
  where m.session_id = index_words_of.session_id and m.sequence > v_through and m.sequence <= v_through + at_most
  order by m.sequence;
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;

-- The sessions in which somebody has called lately: mostly nothing is new elsewhere. Where messages came in by hand, or everybody
-- left while no worker ran, a look at a few hundred of the others finds it in time.
create or replace function parley_private.sessions_to_index()
returns table (id uuid)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_from uuid := gen_random_uuid();
begin
  return query
  select distinct p.session_id from parley.participants p where p.known_status <> 'disconnected'
  union all
  select s.id from (
    (select s.id from parley.sessions s where s.id >= v_from order by s.id limit 500)
    union all
    (select s.id from parley.sessions s where s.id < v_from order by s.id limit 500)
    limit 500
  ) s;
end;
$$;

-- Run by the worker every few seconds.
create or replace function parley_private.index_words(at_most integer default 5000)
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session uuid;
  v_count   integer := 0;
begin
  perform parley_private.write_presence_only();
  for v_session in
    select s.id from parley_private.sessions_to_index() i
    join parley.sessions s on s.id = i.id
    -- One look for each of thousands: a function with a query in it would be started anew for every one.
    where s.last_sequence > 0 and not exists (
      select from parley_private.message_words w where w.session_id = s.id and w.sequence >= s.last_sequence offset 0)
  loop
    v_count := v_count + parley_private.index_words_of(v_session, at_most - v_count);
    exit when v_count >= at_most;
  end loop;
  return v_count;
end;
$$;

grant execute on function parley_private.index_words to parley_worker;

-- For a worker that was told of it, before it would come by.
create or replace function parley_private.index_words_in(session_id uuid, at_most integer)
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform parley_private.write_presence_only();
  return parley_private.index_words_of(session_id, at_most);
end;
$$;

grant execute on function parley_private.index_words_in to parley_worker;

-- Asked by every fiftieth post, so that what search has to read stays short. To index the words of a post costs as much as the post:
-- it waits for the sweep, and so mostly for a pause. Where that would be too late a worker is told to do it now; where none keeps up,
-- posts do it themselves, a little at a time.
create or replace function parley_private.keep_rest_short(session_id uuid, last_sequence integer)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_rest integer := last_sequence - parley_private.indexed_through(session_id);
begin
  if v_rest > 2000 then
    perform parley_private.note_topic('words ' || session_id);
  end if;
  if v_rest > 4000 then
    perform parley_private.index_words_of(session_id, 100);
  end if;
end;
$$;
