-- Who there is. Run by the user of DATABASE_URL before the migrations: roles belong to the cluster,
-- not to one database, so they cannot be part of a migration.
--
--   parley_owner   owns schemas, tables and functions; cannot log in
--   parley_caller  what every request runs as: select, and the verbs it was granted
--   parley_worker  owns the job queue and may sweep presence, nothing else
--   parley_server  the login of the embedded database; owns nothing and may only become the two above
--   parley_server_…  the same elsewhere, one per database and user of DATABASE_URL: api/login.ts
do $$
declare
  v_role text;
  -- From 16 on, whoever creates a role is a member of it at once, yet cannot become it.
  v_become text := case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end;
begin
  foreach v_role in array array['parley_owner', 'parley_caller', 'parley_worker', 'parley_server'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = v_role) then
      begin
        execute format('create role %I noinherit %s', v_role, case v_role when 'parley_server' then 'login' else 'nologin' end);
      exception when duplicate_object or unique_violation then
        null; -- Another database of this cluster is being set up at the same time.
      end;
    end if;
    if not pg_catalog.pg_has_role(current_user, v_role, v_become) then
      execute format('grant %I to current_user', v_role);
    end if;
  end loop;

  if not pg_catalog.pg_has_role('parley_server', 'parley_worker', 'member') then
    grant parley_caller, parley_worker to parley_server;
  end if;
  execute format('grant create on database %I to parley_owner, parley_worker', current_database());
end;
$$;
