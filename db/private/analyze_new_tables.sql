-- Run by the worker: a table that has got its first rows is analysed once, instead of when autovacuum comes by. Until then
-- the planner guesses, and the page pays for it. As the owner, who may analyse on every version of PostgreSQL.
create or replace function parley_private.analyze_new_tables()
returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_table regclass;
  v_count integer := 0;
begin
  for v_table in
    select c.oid from pg_class c
    where c.relnamespace in ('parley'::regnamespace, 'parley_private'::regnamespace)
      and c.relkind = 'r'
      -- Below 0: neither analysed nor vacuumed since it was made.
      and c.reltuples < 0
      and pg_relation_size(c.oid) > 0
  loop
    execute format('analyze %s', v_table);
    v_count := v_count + 1;
  end loop;
  return v_count;
end;
$$;

grant execute on function parley_private.analyze_new_tables to parley_worker;
