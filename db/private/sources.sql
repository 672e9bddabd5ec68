-- How the sources are applied without undoing what a DBA has done. api/postgres/sources.ts calls these in one transaction:
-- remember what was changed, run the files, settle.

-- All that makes a function what it is. Not pg_get_functiondef, whose layout may differ in the next PostgreSQL.
create or replace function parley_private.fingerprint(function oid)
returns text
language sql stable
set search_path = ''
as $$
  select encode(sha256(convert_to(jsonb_build_array(
      p.prosrc, pg_get_function_sqlbody(p.oid), pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),
      (select l.lanname from pg_language l where l.oid = p.prolang),
      p.prokind, p.provolatile, p.proparallel, p.prosecdef, p.proisstrict, p.proleakproof, p.proconfig, p.procost, p.prorows,
      obj_description(p.oid, 'pg_proc')
    )::text, 'UTF8')), 'hex')
  from pg_proc p
  where p.oid = fingerprint.function;
$$;

-- Whether a function is as our sources made it, and not as a DBA did.
create or replace function parley_private.is_ours(function oid)
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from parley_private.applied_functions a
    where a.signature = is_ours.function::regprocedure::text and a.fingerprint = parley_private.fingerprint(is_ours.function)
  );
$$;

grant execute on function parley_private.is_ours to parley_caller;

-- Who but the owner may execute it.
create or replace function parley_private.granted_to(function oid)
returns text[]
language sql stable
set search_path = ''
as $$
  select array(
    select a.grantee::regrole::text
    from pg_proc p, aclexplode(p.proacl) a
    where p.oid = granted_to.function and a.grantee not in (0, p.proowner)
    order by 1
  );
$$;

-- What stands in our schemas, ours or not. just_made: written by this transaction.
create or replace function parley_private.standing_functions()
returns table (oid oid, signature text, name text, just_made boolean)
language sql stable
set search_path = ''
as $$
  select p.oid, p.oid::regprocedure::text, p.pronamespace::regnamespace || '.' || p.proname, p.xmin = pg_current_xact_id_if_assigned()::xid
  from pg_proc p
  where p.pronamespace in ('parley'::regnamespace, 'parley_private'::regnamespace) and p.prokind <> 'a';
$$;

-- Before migrations, which may drop what a DBA has written, and before the files run. A function that we know nothing of is
-- remembered too: one of ours may be about to take its name.
create or replace function parley_private.remember_changed_functions()
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from parley_private.changed_functions c
  where c.kept_aside is null and (to_regprocedure(c.signature) is not null or not c.was_ours);

  insert into parley_private.changed_functions as c (signature, definition, comment, granted_to, was_ours)
  select s.signature, pg_get_functiondef(s.oid), obj_description(s.oid, 'pg_proc'), parley_private.granted_to(s.oid),
    a.signature is not null
  from parley_private.standing_functions() s
  left join parley_private.applied_functions a on a.signature = s.signature
  where a.fingerprint is distinct from parley_private.fingerprint(s.oid)
  on conflict (signature) do update set
    definition = excluded.definition, comment = excluded.comment, granted_to = excluded.granted_to,
    was_ours = excluded.was_ours, found_at = excluded.found_at, kept_aside = null;

  update parley_private.applied_functions a set revoked_from = r.revoked_from
  from (
    select s.signature, array(select unnest(f.granted_to) except select unnest(parley_private.granted_to(s.oid))) as revoked_from
    from parley_private.standing_functions() s
    join parley_private.applied_functions f on f.signature = s.signature
  ) r
  where r.signature = a.signature and r.revoked_from <> a.revoked_from;
end;
$$;

-- A result type or the name of an argument cannot be replaced: what stands in the way of this file goes, if nothing depends on it.
create or replace function parley_private.make_room(file text, names text[])
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_signature text;
begin
  for v_signature in
    select s.signature
    from parley_private.standing_functions() s
    left join parley_private.applied_functions a on a.signature = s.signature
    where a.file = make_room.file or s.name = any (make_room.names)
  loop
    begin
      execute 'drop routine ' || v_signature;
    exception when dependent_objects_still_exist then
      null; -- If it is this one that cannot be replaced, the file fails and is named.
    end;
  end loop;
end;
$$;

-- After the files have run: what this transaction has made is ours and is recorded, what no file makes any more goes, and theirs
-- come back. files: the names that the files mention, each with its file.
create or replace function parley_private.settle_functions(files jsonb, files_not_run text[])
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_function record;
begin
  update parley_private.applied_functions a set applied_at = now() where a.file = any (files_not_run);

  insert into parley_private.applied_functions as a (signature, file, definition, comment, fingerprint, granted_to, applied_at)
  select s.signature, coalesce(files ->> s.name, ''), pg_get_functiondef(s.oid), obj_description(s.oid, 'pg_proc'),
    parley_private.fingerprint(s.oid), parley_private.granted_to(s.oid), now()
  from parley_private.standing_functions() s
  where s.just_made
  on conflict (signature) do update set
    file = excluded.file,
    definition = excluded.definition,
    comment = excluded.comment,
    fingerprint = excluded.fingerprint,
    granted_to = excluded.granted_to,
    applied_at = excluded.applied_at,
    moved_on = (a.moved_on or a.fingerprint <> excluded.fingerprint)
      and exists (select from parley_private.changed_functions c where c.signature = a.signature and c.kept_aside is null);

  -- No file makes these any more. One that a DBA has changed is theirs from now on, unless ours of that name takes other arguments.
  for v_function in
    delete from parley_private.applied_functions a where a.applied_at < now()
    returning a.signature,
      exists (select from parley_private.changed_functions c where c.signature = a.signature and c.kept_aside is null) as changed,
      split_part(a.signature, '(', 1) as name
  loop
    if v_function.changed then
      continue when not exists (
        select from parley_private.applied_functions a where split_part(a.signature, '(', 1) = v_function.name and a.applied_at = now());
      update parley_private.changed_functions c set kept_aside = 'Ours takes other arguments now.' where c.signature = v_function.signature;
    end if;
    begin
      execute 'drop routine if exists ' || v_function.signature;
    exception
      when dependent_objects_still_exist then
        raise warning '% is no longer part of Parley, but stays: something depends on it.', v_function.signature;
      when undefined_object or invalid_schema_name then
        null; -- A type among its arguments is gone, and the function with it.
    end;
  end loop;

  -- In parley a name is taken once: two functions of one name are no verb.
  update parley_private.changed_functions c set kept_aside = 'Ours of this name takes other arguments.'
  where c.kept_aside is null and not c.was_ours and c.signature like 'parley.%' and to_regprocedure(c.signature) is null
    and exists (
      select from parley_private.applied_functions a where split_part(a.signature, '(', 1) = split_part(c.signature, '(', 1));

  for v_function in
    select c.* from parley_private.changed_functions c
    left join parley_private.applied_functions a on a.signature = c.signature
    where c.kept_aside is null
      and case when to_regprocedure(c.signature) is null then not c.was_ours
        else parley_private.fingerprint(to_regprocedure(c.signature)) = a.fingerprint end
  loop
    begin
      execute v_function.definition;
      execute format('comment on routine %s is %L', v_function.signature, v_function.comment);
      if v_function.granted_to <> '{}' then
        execute format('grant execute on routine %s to %s', v_function.signature, array_to_string(v_function.granted_to, ', '));
      end if;
    exception when others then
      update parley_private.changed_functions c set kept_aside = sqlerrm where c.signature = v_function.signature;
    end;
  end loop;

  for v_function in
    select a.signature, a.revoked_from from parley_private.applied_functions a where a.revoked_from <> '{}'
  loop
    execute format('revoke execute on routine %s from %s', v_function.signature, array_to_string(v_function.revoked_from, ', '));
  end loop;

  -- What is left of a DBA is either a function of their own, or one whose signature is no longer among ours.
  delete from parley_private.changed_functions c
  where (to_regprocedure(c.signature) is not null or not c.was_ours and c.kept_aside is null)
    and not exists (select from parley_private.applied_functions a where a.signature = c.signature);
  update parley_private.changed_functions c set kept_aside = 'No function of these arguments is part of Parley any more.'
  where c.kept_aside is null and to_regprocedure(c.signature) is null;
end;
$$;

create or replace function parley_private.as_statements(definition text, signature text, comment text)
returns text
language sql immutable
set search_path = ''
as $$
  select definition || concat(';', E'\n\n' || format('comment on function %s is %L;', signature, trim(E'\n' from nullif(comment, ''))), E'\n');
$$;

-- Where the database is not as the sources have it, at this moment.
create or replace function parley_private.changed_functions()
returns table (
  name text, signature text, file text, ours text, theirs text, moved_on boolean, revoked_from text[], kept_aside text
)
language sql stable
set search_path = ''
as $$
  with standing as (
    select a.*, to_regprocedure(a.signature) as oid from parley_private.applied_functions a
  ),
  changed as (
    select s.*, parley_private.fingerprint(s.oid) is distinct from s.fingerprint as differs,
      case when s.oid is null then '{}' else
        array(select unnest(s.granted_to) except select unnest(parley_private.granted_to(s.oid)))
      end as no_longer_granted_to
    from standing s
  )
  select split_part(c.signature, '(', 1), c.signature, c.file,
    parley_private.as_statements(c.definition, c.signature, c.comment),
    parley_private.as_statements(pg_get_functiondef(c.oid), c.signature, obj_description(c.oid, 'pg_proc')),
    c.moved_on and c.differs, c.no_longer_granted_to, null
  from changed c
  where c.differs or c.no_longer_granted_to <> '{}'
  union all
  select split_part(k.signature, '(', 1), k.signature, a.file,
    parley_private.as_statements(a.definition, a.signature, a.comment),
    parley_private.as_statements(k.definition, k.signature, k.comment),
    true, '{}', k.kept_aside
  from parley_private.changed_functions k
  left join parley_private.applied_functions a on a.signature = k.signature
  where k.kept_aside is not null
  order by 1, 2;
$$;

-- Takes ours: parley_private.reset_function('parley.post_message'), or the whole signature. What was kept aside is let go.
create or replace function parley_private.reset_function(name text)
returns setof text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_changed record;
  v_ours parley_private.applied_functions;
begin
  for v_changed in
    select c.signature from parley_private.changed_functions() c
    where reset_function.name in (c.signature, c.name, split_part(c.name, '.', 2))
    group by c.signature
  loop
    select a.* into v_ours from parley_private.applied_functions a where a.signature = v_changed.signature;
    if found then
      begin
        execute v_ours.definition;
      exception when invalid_function_definition then
        execute 'drop routine ' || v_ours.signature;
        execute v_ours.definition;
      end;
      execute format('comment on routine %s is %L', v_ours.signature, v_ours.comment);
      if v_ours.granted_to <> '{}' then
        execute format('grant execute on routine %s to %s', v_ours.signature, array_to_string(v_ours.granted_to, ', '));
      end if;
      update parley_private.applied_functions a set moved_on = false, revoked_from = '{}' where a.signature = v_ours.signature;
    end if;
    delete from parley_private.changed_functions c where c.signature = v_changed.signature;
    return next v_changed.signature;
  end loop;
end;
$$;
