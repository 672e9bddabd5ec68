--! Previous: sha1:309ee7216aa06f78a27b57284aa8510974cb2541
--! Hash: sha1:4990207f4d34cc5c7c557c9b382b2aadadb0a5fa
--! Message: briefing

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
