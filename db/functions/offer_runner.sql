do $$
begin
  create type parley.runner_info as (
    runner text,
    agents text[],
    repos text[],
    max_runs integer,
    running integer,
    queued integer,
    accept text,
    offered_by text,
    offered_at timestamptz,
    expires_at timestamptz
  );
exception when duplicate_object then null;
end $$;
comment on column parley.runner_info.runner is '@notNull
Its name.';
comment on column parley.runner_info.agents is '@notNull
The agents that it can run.';
comment on column parley.runner_info.repos is '@notNull
The repositories that they can work in.';
comment on column parley.runner_info.max_runs is 'How many it runs at a time.';
comment on column parley.runner_info.running is 'How many it runs now, of those that you may know of.';
comment on column parley.runner_info.queued is 'How many wait for it, of those that you may know of.';
comment on column parley.runner_info.accept is 'key: only for who has come by a key; anyone: also with open access.';
comment on column parley.runner_info.expires_at is 'When the offer ends, if nothing is heard of it.';

-- The runner itself knows of all its runs, others of those in sessions that they see.
create or replace function parley_private.runner_info(runner parley_private.runners, is_its_own boolean default false)
returns parley.runner_info
language sql stable
set search_path = ''
as $$
  select row(
    runner.name, runner.agents, runner.repos, runner.max_runs,
    count(*) filter (where r.status <> 'queued'), count(*) filter (where r.status = 'queued'),
    runner.accept, runner.offered_by, runner.offered_at, runner.expires_at
  )::parley.runner_info
  from parley.runs r join parley.sessions s on s.id = r.session_id
  where r.runner = (runner_info.runner).name and r.ended_at is null and (is_its_own or parley_private.sees(s));
$$;

-- A machine offers to run agents. The name is bound to the token for as long as the offer lives: 30 seconds, renewed by this and by
-- take_run. Commands, folders and arguments stay with the runner; what comes over the wire are names of its configuration.
create or replace function parley.offer_runner(
  name text,
  agents text[],
  repos text[] default '{}',
  max_runs integer default 1,
  accept text default 'key'
)
returns parley.runner_info
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_actor  parley_private.actor := parley_private.actor();
  v_runner parley_private.runners;
begin
  perform parley_private.check_name('name', name);
  perform parley_private.check_names('agents', agents, 1);
  perform parley_private.check_names('repos', repos, 0);
  if max_runs is null or max_runs not between 1 and 100 then
    perform parley_private.refuse_argument('max_runs', 'max_runs must be 1 to 100.', 'Leave it out for one at a time.');
  elsif accept is null or accept not in ('key', 'anyone') then
    perform parley_private.refuse_argument('accept', 'accept must be key or anyone.', 'key: only for who has come by a key; anyone: also with open access.');
  end if;
  perform parley_private.refuse_without_token();

  -- Of two who offer the same name at once one is first.
  perform pg_advisory_xact_lock(hashtextextended('parley runner ' || name, 0));
  select * into v_runner from parley_private.runners r where r.name = offer_runner.name for no key update;
  if found and v_runner.hash <> parley_private.shown_hash('runner') and parley_private.is_alive(v_runner) then
    perform parley_private.fail(409, 'already_claimed', format('Another machine is offered as %s.', name), 'Take another name.',
      jsonb_build_object('field', 'name', 'until', v_runner.expires_at));
  end if;
  if v_runner.hash is distinct from parley_private.shown_hash('runner') then
    delete from parley_private.runners r where r.name = offer_runner.name;
    perform parley_private.refuse_more_runners(parley_private.name_of(v_actor));
    perform parley_private.audit('runner_offered', (v_actor.key).session_id, jsonb_build_object('runner', name, 'agents', agents, 'accept', accept));
  end if;
  insert into parley_private.runners as r (name, hash, agents, repos, max_runs, accept, key_id, user_id, offered_by, expires_at)
  values (
    name, parley_private.shown_hash('runner'), agents, repos, max_runs, accept, (v_actor.key).id,
    case when (v_actor.key).id is null then (v_actor.person).id end, parley_private.name_of(v_actor), clock_timestamp() + interval '30 seconds')
  on conflict on constraint runners_have_one_name_each do update set
    agents = excluded.agents, repos = excluded.repos, max_runs = excluded.max_runs, accept = excluded.accept,
    key_id = excluded.key_id, user_id = excluded.user_id, offered_by = excluded.offered_by, expires_at = excluded.expires_at
  returning r.* into v_runner;
  perform parley_private.notify('runners'), parley_private.notify('queue');
  return parley_private.runner_info(v_runner, is_its_own => true);
end;
$$;

grant execute on function parley.offer_runner to parley_caller;

comment on function parley.offer_runner is $$
@verb POST /runners/offer
@who key run
@toolset runner
@idempotent
@behavior -*
@param name Of the machine: studio.
@param agents The agents that it is configured for: claude, codex.
@param repos The repositories that it is configured for, by name.
@param max_runs How many at a time.
@param accept key, or anyone: also spawns of who has shown no key.
@secret runner_token! A random word of your own, the same with every call.
Offer a machine to run agents for 30 seconds; take_run goes on with it.
$$;
