-- An interrupt is a message of the server like any other, and rides on the very next answer that the team gets, whatever it has
-- asked for: finish_call puts it there, and where a wait has ended, answer_one_by_one. A wait does not begin before it is told.

-- From now on the posts of this session look whether there is something to tell. First, under its lock: so a post comes before, or looks.
create or replace function parley_private.note_interrupts(session_id uuid)
returns void
language sql volatile
set search_path = ''
as $$
  update parley.sessions s set has_interrupts = true where s.id = note_interrupts.session_id and not s.has_interrupts;
$$;

create or replace function parley_private.is_interrupted(session_id uuid, participant_id integer)
returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return exists (
    select from parley_private.interrupts i
    where i.session_id = is_interrupted.session_id and i.participant_id = is_interrupted.participant_id
  ) or exists (
    select from parley_private.rings r
    where r.session_id = is_interrupted.session_id and r.participant_id = is_interrupted.participant_id and r.handed_at is null
  );
end;
$$;

-- What an answer has to tell beside what was asked for: an interrupt or, if there is none, that somebody rings.
create or replace function parley_private.take_interrupt(session_id uuid, participant_id integer)
returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_told json;
begin
  delete from parley_private.interrupts i
  where i.session_id = take_interrupt.session_id and i.participant_id = take_interrupt.participant_id
  returning json_build_object('by', i.by, 'reason', i.reason, 'cursor', i.cursor) into v_told;
  if found then
    return v_told;
  end if;
  update parley_private.rings r set handed_at = clock_timestamp()
  from parley.participants p
  where r.session_id = take_interrupt.session_id and r.participant_id = take_interrupt.participant_id and r.handed_at is null
    and p.session_id = r.session_id and p.id = r.participant_id
  returning json_build_object('ring', json_build_object('by', r.by, 'at', r.at, 'cursor', greatest(p.cursor, p.acked_cursor))) into v_told;
  return v_told;
end;
$$;

-- For every call: mostly there is none at all.
create or replace function parley_private.take_interrupt(team_hash text)
returns json
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if not exists (select from parley_private.interrupts) and not exists (select from parley_private.rings r where r.handed_at is null) then
    return null;
  end if;
  return (
    select parley_private.take_interrupt(c.session_id, c.participant_id)
    from parley_private.credentials c
    where c.hash = decode(team_hash, 'hex')
  );
end;
$$;

grant execute on function parley_private.take_interrupt(text) to parley_caller;

-- As text, so that every number keeps its digits.
create or replace function parley_private.with_interrupt(answer json, interrupt json)
returns json
language sql immutable
set search_path = ''
as $$
  select case when interrupt is null then answer
    else (left(rtrim(answer::text), -1) || case when answer::text ~ '^\s*\{\s*\}' then '' else ',' end
      || case when interrupt -> 'ring' is null then '"interrupt":' || interrupt else '"ring":' || (interrupt -> 'ring') end || '}')::json
  end;
$$;

grant execute on function parley_private.with_interrupt to parley_caller;

-- Plain waits share an answer; that of a team that was interrupted is its own. Whether there are any.
create or replace function parley_private.single_out_interrupted(ids uuid[])
returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  if not exists (select from parley_private.interrupts) and not exists (select from parley_private.rings r where r.handed_at is null) then
    return false;
  end if;
  update parley_private.waits w set options = '{"poll": true}'
  where w.id in (
    select x.id from parley_private.waits x
    where x.id = any (ids) and x.options is null and parley_private.is_interrupted(x.session_id, x.participant_id)
    for update of x skip locked
  );
  return found;
end;
$$;
