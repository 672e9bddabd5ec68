-- The briefing tells the state of the work.
do $$
begin
  create type parley.task_in_short as (task integer, title text, priority integer, blocked_by integer[]);
exception when duplicate_object then null;
end $$;
do $$
begin
  create type parley.briefing_tasks as (
    mine parley.task_in_short[],
    open parley.task_in_short[],
    blocked parley.task_in_short[],
    work parley.work
  );
exception when duplicate_object then null;
end $$;
do $$ begin alter type parley.briefing add attribute tasks parley.briefing_tasks; exception when duplicate_column then null; end $$;
do $$ begin alter type parley.caught_up add attribute tasks parley.briefing_tasks; exception when duplicate_column then null; end $$;

-- One with more arguments has come beside it: who calls it in the sources could not tell which is meant.
drop function if exists parley_private.announce(uuid, text, jsonb);
