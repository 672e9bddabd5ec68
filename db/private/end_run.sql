-- The end of a run. What it had claimed is free, what it asked for is refused, whoever waits for its words waits no longer. One that was
-- spawned leaves: its credential and its key die with it. The caller holds the lock of the session.
create or replace function parley_private.end_run(run parley.runs, status text, error text default null, reason text default null)
returns parley.runs
language plpgsql volatile
set search_path = ''
as $$
declare
  v_run     parley.runs;
  v_team    parley.participants;
  v_session parley.sessions;
begin
  update parley.runs r set
    status = end_run.status, error = coalesce(end_run.error, r.error), ended_at = clock_timestamp(), updated_at = clock_timestamp()
  where r.session_id = run.session_id and r.run = (end_run.run).run and r.ended_at is null
  returning r.* into v_run;
  if not found then
    return run;
  end if;
  update parley_private.run_orders o set done_at = clock_timestamp()
  where o.session_id = v_run.session_id and o.run = v_run.run and o.done_at is null;
  update parley.run_permissions p set answered_at = clock_timestamp()
  where p.session_id = v_run.session_id and p.run = v_run.run and p.answered_at is null;
  delete from parley_private.run_waits w
  where w.session_id = v_run.session_id and w.participant_id = v_run.participant_id and w.verb in ('report_run', 'ask_permission');
  perform parley_private.notify('orders ' || v_run.session_id), parley_private.notify('queue'), parley_private.notify('runners');

  select * into v_session from parley.sessions s where s.id = v_run.session_id;
  select * into v_team from parley.participants p where p.session_id = v_run.session_id and p.id = v_run.participant_id;
  reason := coalesce(reason, v_run.error, status);
  if v_team.left_at is null and v_run.runner is not null then
    update parley.participants p set left_at = clock_timestamp(), known_status = 'disconnected'
    where p.session_id = v_team.session_id and p.id = v_team.id;
    if v_session.status = 'active' then
      perform parley_private.announce(v_run.session_id, 'team_left', jsonb_build_object(
        'team', v_team.team_name, 'handle', v_team.handle, 'reason', left(reason, 500)), moves => false);
    end if;
  elsif v_team.left_at is null and v_session.status = 'active' and status in ('failed', 'lost') then
    perform parley_private.free_claims(v_team, 'run ' || status);
    perform parley_private.announce(v_run.session_id, 'run_ended', jsonb_build_object(
      'team', v_team.team_name, 'handle', v_team.handle, 'agent', v_run.agent, 'status', status, 'reason', left(reason, 500)), moves => false);
  end if;
  if v_run.key_id is not null then
    update parley_private.keys k set revoked_at = clock_timestamp() where k.id = v_run.key_id and k.revoked_at is null;
    perform parley_private.end_waits_of(key_id => v_run.key_id);
  end if;
  return v_run;
end;
$$;

-- Whoever leaves, or is made to leave, runs no more.
create or replace function parley_private.tg_participants__end_run()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.end_run(r, 'stopped', reason => 'the team has left')
  from parley.runs r where r.session_id = new.session_id and r.participant_id = new.id and r.ended_at is null;
  return null;
end;
$$;

drop trigger if exists _310_end_run on parley.participants;
create trigger _310_end_run after update of left_at on parley.participants
  for each row when (new.left_at is not null) execute function parley_private.tg_participants__end_run();
