-- What a machine offers, and who may have it.

-- A name that is looked up in a configuration, and never more than that: no path, no argument, no word for a shell.
create or replace function parley_private.check_name(field text, value text, may_be_missing boolean default false)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if value is null and may_be_missing then
    return;
  elsif value is null or char_length(value) > 40 or value !~ '^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$' or value ~ '\.\.' then
    perform parley_private.refuse_argument(field,
      format('%s must be a name of 1 to 40 characters: a to z, 0 to 9, and . _ - between them.', field), 'list_runners tells which there are.');
  end if;
end;
$$;

create or replace function parley_private.check_names(field text, names text[], at_least integer)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if coalesce(cardinality(names), 0) < at_least or cardinality(names) > 50 then
    perform parley_private.refuse_argument(field, format('%s must be %s to 50 names.', field, at_least),
      'Names from your configuration, in brackets: ["claude", "codex"].');
  end if;
  perform parley_private.check_name(field, n.name) from unnest(names) as n (name);
end;
$$;

-- Whether what it was offered under, a key or a person, still opens doors.
create or replace function parley_private.is_admitted(runner parley_private.runners)
returns boolean
language sql stable
set search_path = ''
as $$
  select (runner.key_id is null or exists (
      select from parley_private.keys k where k.id = (is_admitted.runner).key_id and parley_private.is_alive(k)))
    and (runner.user_id is null or exists (
      select from parley_private.users u where u.id = (is_admitted.runner).user_id and u.removed_at is null));
$$;

-- Whether its offer stands: the lease runs, or it waits for a run, and it is admitted.
create or replace function parley_private.is_alive(runner parley_private.runners)
returns boolean
language sql stable
set search_path = ''
as $$
  select (runner.expires_at > clock_timestamp() or exists (
      select from parley_private.run_waits w where w.runner = (is_alive.runner).name and w.expires_at > clock_timestamp()))
    and parley_private.is_admitted(runner);
$$;

-- Whether an offer is for this session. With open access nobody has shown who they are: a runner has to have said that it takes
-- that. Under a key that is bound to a session, for that one alone.
create or replace function parley_private.is_for(runner parley_private.runners, session_id uuid)
returns boolean
language sql stable
set search_path = ''
as $$
  select (runner.accept = 'anyone' or parley_private.asks_for_keys()) and not exists (
    select from parley_private.keys k where k.id = (is_for.runner).key_id and k.session_id <> is_for.session_id);
$$;

create or replace function parley_private.runners_for(session_id uuid)
returns setof parley_private.runners
language sql stable
set search_path = ''
as $$
  select r.* from parley_private.runners r
  where parley_private.is_alive(r) and parley_private.is_for(r, runners_for.session_id)
  order by r.name;
$$;

-- How many of its runs have been taken and are not over.
create or replace function parley_private.runs_on(runner text)
returns integer
language sql stable
set search_path = ''
as $$
  select count(*)::integer from parley.runs r where r.runner = runs_on.runner and r.ended_at is null and r.status <> 'queued';
$$;

create or replace function parley_private.runs_queued_for(runner text)
returns integer
language sql stable
set search_path = ''
as $$
  select count(*)::integer from parley.runs r where r.runner = runs_queued_for.runner and r.ended_at is null and r.status = 'queued';
$$;

-- The runner that a spawn goes to: the one that was named, or of those that offer the agent and the repository the one that has
-- the most room. What is not offered is said, with what is.
create or replace function parley_private.choose_runner(session_id uuid, agent text, runner text, repo text)
returns parley_private.runners
language plpgsql stable
set search_path = ''
as $$
declare
  v_runner parley_private.runners;
begin
  select r.* into v_runner from parley_private.runners_for(session_id) r
  where choose_runner.agent = any (r.agents)
    and r.name = coalesce(choose_runner.runner, r.name)
    and (choose_runner.repo is null or choose_runner.repo = any (r.repos))
  order by r.max_runs - parley_private.runs_on(r.name) - parley_private.runs_queued_for(r.name) desc, r.name
  limit 1;
  if not found then
    perform parley_private.fail(409, 'no_runner',
      concat('Nobody offers ', agent, ' on ' || runner, ' with ' || repo, '.'),
      'list_runners tells who offers what. A machine is offered by: parley runner --name NAME --agents AGENT (with open access: --accept anyone).',
      jsonb_build_object('agents', (
        select coalesce(jsonb_agg(distinct a.name), '[]') from parley_private.runners_for(session_id) r cross join unnest(r.agents) as a (name))));
  elsif parley_private.runs_queued_for(v_runner.name) >= 100 then
    perform parley_private.fail(429, 'rate_limited', format('A hundred runs wait for %s already.', v_runner.name),
      'Wait until some are done, or name another runner.', '{"retry_after_seconds": 60}');
  end if;
  return v_runner;
end;
$$;

-- The runner whose name and token the caller has shown; nobody else takes runs under its name.
create or replace function parley_private.shown_runner(name text)
returns parley_private.runners
language plpgsql volatile
set search_path = ''
as $$
declare
  v_runner parley_private.runners;
begin
  select * into v_runner from parley_private.runners r
  where r.name = shown_runner.name and r.hash = parley_private.shown_hash('runner')
  for no key update;
  if not found then
    perform parley_private.fail(404, 'runner_not_found', 'No runner of this name was offered with this token.',
      'Offer it first: offer_runner. An offer that is not renewed is gone after a while.');
  end if;
  return v_runner;
end;
$$;

-- Every spawn looks through all of them, and so does whoever lists them.
create or replace function parley_private.refuse_more_runners(offered_by text)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  c_of_one constant integer := 50;
  c_of_all constant integer := 1000;
begin
  if (select count(*) >= c_of_all or count(*) filter (where r.offered_by = refuse_more_runners.offered_by) >= c_of_one from parley_private.runners r) then
    perform parley_private.fail(429, 'rate_limited', 'As many machines are offered already as this server takes.',
      format('One caller may offer %s, all together %s. An offer that is not renewed ends after 30 seconds.', c_of_one, c_of_all),
      '{"retry_after_seconds": 30}');
  end if;
end;
$$;

-- The token of a runner is made by itself: a random word, as secret as a team_id.
create or replace function parley_private.refuse_without_token()
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if parley_private.shown_hash('runner') is null then
    perform parley_private.refuse_argument('runner_token', 'runner_token is required: a random word of your own, the same with every call.',
      'Make one once, and keep it for as long as the runner lives.');
  end if;
end;
$$;
