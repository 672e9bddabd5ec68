-- Nothing to take: what there is instead.
create or replace function parley_private.no_task(reader parley.participants)
returns parley.task_details
language plpgsql stable
set search_path = ''
as $$
declare
  v_work    parley.work := parley_private.work(reader.session_id);
  v_details parley.task_details;
begin
  v_details.open := coalesce(v_work.open, 0);
  v_details.blocked := coalesce(v_work.blocked, 0);
  v_details.claimed := coalesce(v_work.claimed, 0);
  v_details.unread := parley_private.unread(reader);
  return v_details;
end;
$$;

-- Calls of claim_task that wait are not answered here: those that may find something, or have to be refused, come back without
-- an answer, and the server asks the verb again, which takes the lock that a claim needs. Of those who wait longest as many
-- are woken as there are tasks to take. Whose time is over gets nothing.
create or replace function parley_private.end_waits_for_work(ids uuid[], give_up boolean)
returns table (wait_ids uuid[], answer json)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_only_verified boolean := parley_private.only_verified_counts();
  v_wait          record;
  v_left          jsonb := '{}';
begin
  for v_wait in
    select w.id, s.id as session_id, s.status, p as team
    from parley_private.waits w
    join parley.participants p on p.session_id = w.session_id and p.id = w.participant_id
    join parley.sessions s on s.id = w.session_id
    where w.id = any (ids) and w.verb = 'claim_task'
    order by w.expires_at
    for update of w skip locked
  loop
    if not v_left ? v_wait.session_id::text then
      v_left := v_left || jsonb_build_object(v_wait.session_id::text, (
        select count(*) from (
          select from parley.tasks t
          where t.session_id = v_wait.session_id and t.status = 'open' and t.readiness <> 'waiting'
            and parley_private.is_free(t.readiness, v_only_verified)
          limit cardinality(ids)
        ) free
      ));
    end if;
    if v_wait.status = 'active' and (v_wait.team).left_at is null then
      continue when not give_up and not parley_private.is_interrupted(v_wait.session_id, (v_wait.team).id)
        and ((v_left ->> v_wait.session_id::text)::integer = 0 or (parley_private.next_task(v_wait.team)).task is null);
      answer := case when give_up then parley_private.with_interrupt(
        to_json(parley_private.no_task(v_wait.team)), parley_private.take_interrupt(v_wait.session_id, (v_wait.team).id)) end;
      v_left := jsonb_set(v_left, array[v_wait.session_id::text], to_jsonb((v_left ->> v_wait.session_id::text)::integer - 1));
    end if;

    delete from parley_private.waits w where w.id = v_wait.id;
    update parley.participants p set last_seen_at = clock_timestamp()
    from (
      select x.session_id, x.id from parley.participants x
      where x.session_id = v_wait.session_id and x.id = (v_wait.team).id
      for no key update skip locked
    ) free
    where p.session_id = free.session_id and p.id = free.id;
    wait_ids := array[v_wait.id];
    return next;
    answer := null;
  end loop;
end;
$$;
