--! Previous: sha1:4d3d05f2c13bf5539111b592ac631f398ed6fdb6
--! Hash: sha1:6114931bb6e3f47958eaadfaff435ef9ccae920a
--! Message: policies

-- Policies look for the session themselves: what asked for them goes.
do $$
declare
  v_policy record;
begin
  for v_policy in
    select p.polname, p.polrelid::regclass as "table", pg_get_expr(p.polqual, p.polrelid) as rule from pg_policy p
    where pg_get_expr(p.polqual, p.polrelid) ~ 'sees_session'
  loop
    execute format('alter policy %I on %s using (%s)', v_policy.polname, v_policy."table", regexp_replace(
      v_policy.rule, 'parley_private\.sees_session\((\w+)\)', 'exists (select from parley.sessions s where s.id = \1 offset 0)', 'g'));
  end loop;
end $$;
drop function if exists parley_private.sees_session(uuid);
