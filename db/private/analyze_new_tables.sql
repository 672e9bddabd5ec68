-- Run by the worker: a table is analysed after its first rows, and again when it has grown tenfold, twice; from there on
-- autovacuum keeps pace. Until the first time the planner guesses, and the page pays for it; and what it plans for three rows
-- is no good for thousands. As the owner, who may analyse on every version of PostgreSQL.
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
    select c.oid
    from pg_class c
    cross join lateral (select pg_relation_size(c.oid) / current_setting('block_size')::integer as pages) as now
    where c.relnamespace in ('parley'::regnamespace, 'parley_private'::regnamespace)
      and c.relkind = 'r'
      and now.pages > 0
      -- Below 0: neither analysed nor vacuumed since it was made. 0: it was empty then, or its first rows were not committed yet.
      and (c.reltuples < 0
        -- An analysis that ends after their commit hides them from the count; what has many pages is looked at all the same.
        or c.reltuples = 0 and (pg_stat_get_live_tuples(c.oid) >= 10 or now.pages >= 8)
        or c.relpages < 100 and now.pages >= 10 * greatest(c.relpages, 1))
  loop
    execute format('analyze %s', v_table);
    v_count := v_count + 1;
  end loop;
  return v_count;
end;
$$;

grant execute on function parley_private.analyze_new_tables to parley_worker;
