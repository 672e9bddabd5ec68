-- How far a run may go: turns, tokens and cost, of itself and of all runs of its session. Asked before each turn. Null: the next one
-- may begin; else why not, in a sentence.
create or replace function parley_private.over_budget(run parley.runs)
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_session record;
  v_limit   record;
begin
  select sum(r.turns) as turns, sum(r.tokens) as tokens, sum(r.cost) as cost into v_session
  from parley.runs r where r.session_id = run.session_id and r.run <> (over_budget.run).run;
  for v_limit in
    select * from (values
      ('turns', run.turns::numeric, coalesce(run.max_turns, parley_private.setting('run_turns'))::numeric, 'this run', 'run_turns'),
      ('tokens', run.tokens::numeric, coalesce(run.max_tokens, parley_private.setting('run_tokens'))::numeric, 'this run', 'run_tokens'),
      ('US dollars', run.cost, coalesce(run.max_cost, parley_private.setting('run_cost')), 'this run', 'run_cost'),
      ('turns', coalesce(v_session.turns, 0) + run.turns, parley_private.setting('session_turns'), 'all runs of the session', 'session_turns'),
      ('tokens', coalesce(v_session.tokens, 0) + run.tokens, parley_private.setting('session_tokens'), 'all runs of the session', 'session_tokens'),
      ('US dollars', coalesce(v_session.cost, 0) + run.cost, parley_private.setting('session_cost'), 'all runs of the session', 'session_cost')
    ) as l (what, used, bound, of_what, setting)
  loop
    if v_limit.bound > 0 and v_limit.used >= v_limit.bound then
      return format('The limit of %s %s for %s is reached.', trim_scale(v_limit.bound), v_limit.what, v_limit.of_what);
    end if;
  end loop;
  return null;
end;
$$;
