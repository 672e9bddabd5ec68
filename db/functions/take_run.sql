do $$
begin
  create type parley.taken_run as (
    run integer,
    session_id uuid,
    ref text,
    handle text,
    team_id text,
    key text,
    agent text,
    repo text,
    worktree boolean,
    prompt text,
    started_by text,
    title text,
    cursor integer,
    max_turns integer,
    max_tokens bigint,
    max_cost numeric
  );
exception when duplicate_object then null;
end $$;
comment on column parley.taken_run.run is 'Null: there is none.';
comment on column parley.taken_run.team_id is '@optional
The secret of the team that it is. It is shown once.';
comment on column parley.taken_run.key is '@optional
An access key for this session alone; it dies with the run.';
comment on column parley.taken_run.repo is '@optional
The repository to work in, by its name in your configuration.';
comment on column parley.taken_run.worktree is '@optional
Whether in a worktree of its own.';
comment on column parley.taken_run.session_id is '@optional';
comment on column parley.taken_run.ref is '@optional';
comment on column parley.taken_run.handle is '@optional';
comment on column parley.taken_run.agent is '@optional';
comment on column parley.taken_run.prompt is '@optional';
comment on column parley.taken_run.started_by is '@optional';
comment on column parley.taken_run.title is '@optional';
comment on column parley.taken_run.cursor is '@optional';
comment on column parley.taken_run.max_turns is '@optional';
comment on column parley.taken_run.max_tokens is '@optional';
comment on column parley.taken_run.max_cost is '@optional';

-- Of those who take at once each gets another: the row of the runner is locked by whoever looks. From here on the run is a lease.
create or replace function parley.take_run(runner text, wait double precision default 0)
returns parley.taken_run
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds double precision := parley_private.check_wait(wait);
  v_runner  parley_private.runners;
  v_run     parley.runs;
  v_key     parley_private.keys;
  v_secret  text;
  v_team_id text;
begin
  perform parley_private.check_name('runner', runner);
  perform parley_private.refuse_without_token();
  v_runner := parley_private.shown_runner(runner);
  update parley_private.runners r set expires_at = clock_timestamp() + interval '30 seconds' where r.name = v_runner.name;
  v_run := parley_private.next_run(v_runner);
  if v_run.run is null then
    perform parley_private.hold_for_run('take_run', 'queue', v_seconds, runner => v_runner.name);
    return jsonb_populate_record(null::parley.taken_run, '{}');
  end if;

  -- Whoever removes the session waits for this, or this does not find it any more.
  perform from parley.sessions s where s.id = v_run.session_id for key share;
  update parley.runs r set
    status = 'starting', updated_at = clock_timestamp(), alive_until = clock_timestamp() + parley_private.setting('run_lease') * interval '1 second'
  where r.session_id = v_run.session_id and r.run = v_run.run and r.status = 'queued'
  returning r.* into v_run;
  if not found then
    return jsonb_populate_record(null::parley.taken_run, '{}');
  end if;
  v_team_id := parley_private.renew_team_id(v_run.session_id, v_run.participant_id);
  if parley_private.asks_for_keys() then
    v_secret := (parley_private.make_key('run of ' || v_run.agent, '{read,team}', v_run.session_id, made_by => v_runner.offered_by)).secret;
    select * into v_key from parley_private.keys k where k.hash = parley_private.hash_of(v_secret);
    update parley.runs r set key_id = v_key.id where r.session_id = v_run.session_id and r.run = v_run.run;
  end if;
  update parley.participants p set key_id = v_key.id, user_id = null
  where p.session_id = v_run.session_id and p.id = v_run.participant_id;
  perform parley_private.notify('runners');
  return (
    select row(
      v_run.run, s.id, s.ref, p.handle, v_team_id, v_secret,
      v_run.agent, v_run.repo, v_run.own_worktree, v_run.prompt, starter.handle, s.title, p.cursor,
      v_run.max_turns, v_run.max_tokens, v_run.max_cost
    )::parley.taken_run
    from parley.sessions s
    join parley.participants p on p.session_id = s.id and p.id = v_run.participant_id
    left join parley.participants starter on starter.session_id = s.id and starter.id = v_run.started_by
    where s.id = v_run.session_id
  );
end;
$$;

grant execute on function parley.take_run to parley_caller;

comment on function parley.take_run is $$
@verb POST /runners/take
@who key run
@toolset runner
@blocking
@behavior -*
@param runner The name that you have offered.
@param wait Seconds, at most 30.
@secret runner_token! The one that it was offered with.
Take the oldest run that waits for this runner; run is null when there is none. Renews the offer. Then report_run, with its team_id.
$$;
