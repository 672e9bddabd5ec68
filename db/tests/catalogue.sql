-- Everything that the sources make, one row per thing, told by names instead of oids: two databases that were
-- built in different ways are the same when these rows are.
with
schemas as (
  select oid, nspname from pg_namespace where nspname in ('parley', 'parley_private')
),
-- Rights as text, sorted; what was never granted or revoked reads like the default that applies.
rights (kind, name, owner, rights) as (
  select 'schema', nspname, nspowner, coalesce(nspacl, acldefault('n', nspowner)) from pg_namespace where oid in (select oid from schemas)
  union all
  select 'relation', c.oid::regclass::text, relowner, coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner))
  from pg_class c where relnamespace in (select oid from schemas) and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select 'column', attrelid::regclass || '.' || attname, null, attacl
  from pg_attribute join pg_class c on c.oid = attrelid where relnamespace in (select oid from schemas) and attacl is not null
  union all
  select 'function', oid::regprocedure::text, proowner, coalesce(proacl, acldefault('f', proowner))
  from pg_proc where pronamespace in (select oid from schemas)
  union all
  select 'type', oid::regtype::text, typowner, coalesce(typacl, acldefault('T', typowner))
  from pg_type where typnamespace in (select oid from schemas) and typcategory <> 'A'
),
things (kind, name, definition) as (
  select 'rights on ' || kind, name, concat_ws(' ', 'owner', owner::regrole, (
    select string_agg(format('%s:%s%s', case grantee when 0 then 'public' else grantee::regrole::text end, privilege_type,
      case when is_grantable then '*' end), ' ' order by grantee::regrole::text, privilege_type)
    from aclexplode(rights.rights)
  ))
  from rights
  union all
  select 'default rights', format('of %s in %s on %s', defaclrole::regrole, defaclnamespace, defaclobjtype), defaclacl::text
  from pg_default_acl
  union all
  select 'relation', c.oid::regclass::text, concat_ws(' ', relkind, relpersistence, reloptions,
    'row security', relrowsecurity, 'forced', relforcerowsecurity,
    case when relkind in ('v', 'm') then pg_get_viewdef(c.oid) end)
  from pg_class c where relnamespace in (select oid from schemas) and relkind in ('r', 'p', 'v', 'm', 'f', 'S', 'c')
  union all
  -- Columns are counted anew, because a dropped one leaves a gap.
  select 'column', attrelid::regclass || '.' || attname, concat_ws(' ',
    row_number() over (partition by attrelid order by attnum), format_type(atttypid, atttypmod),
    case when attnotnull then 'not null' end, attidentity, attgenerated, attcollation::regcollation, attstorage, attcompression,
    'default ' || pg_get_expr(adbin, adrelid))
  from pg_attribute
  join pg_class c on c.oid = attrelid
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where relnamespace in (select oid from schemas) and relkind in ('r', 'p', 'v', 'm', 'f', 'c') and attnum > 0 and not attisdropped
  union all
  select 'constraint', format('%s on %s', conname, coalesce(nullif(conrelid, 0)::regclass::text, contypid::regtype::text)),
    concat_ws(' ', pg_get_constraintdef(oid), case when not convalidated then 'not validated' end)
  from pg_constraint where connamespace in (select oid from schemas) and contype <> 'n'
  union all
  select 'index', indexrelid::regclass::text, concat_ws(' ', pg_get_indexdef(indexrelid), case when not indisvalid then 'not valid' end)
  from pg_index join pg_class c on c.oid = indexrelid where relnamespace in (select oid from schemas)
  union all
  select 'trigger', format('%s on %s', tgname, tgrelid::regclass), concat_ws(' ', pg_get_triggerdef(t.oid), tgenabled)
  from pg_trigger t join pg_class c on c.oid = tgrelid where relnamespace in (select oid from schemas) and not tgisinternal
  union all
  select 'policy', format('%s on %s', polname, polrelid::regclass), concat_ws(' ', polcmd, polpermissive, polroles::regrole[],
    'using ' || pg_get_expr(polqual, polrelid), 'check ' || pg_get_expr(polwithcheck, polrelid))
  from pg_policy join pg_class c on c.oid = polrelid where relnamespace in (select oid from schemas)
  union all
  select 'function', oid::regprocedure::text, case prokind when 'a' then 'aggregate' else pg_get_functiondef(oid) end
  from pg_proc where pronamespace in (select oid from schemas)
  union all
  select 'type', t.oid::regtype::text, concat_ws(' ', typtype, format_type(nullif(typbasetype, 0), typtypmod), typdefault,
    (select string_agg(enumlabel, ',' order by enumsortorder) from pg_enum where enumtypid = t.oid))
  from pg_type t where typnamespace in (select oid from schemas) and typcategory <> 'A'
  union all
  select 'comment on ' || object.type, object.identity, description
  from pg_description, pg_identify_object(classoid, objoid, objsubid) as object
  where object.schema in (select nspname from schemas)
    or object.type = 'schema' and object.identity in (select nspname from schemas)
    -- Columns and triggers and the like have no schema of their own.
    or object.identity ~ '(^| on )(parley|parley_private)\.'
  union all
  select 'extension', extname, extversion from pg_extension
  union all
  select 'setting', name, (to_jsonb(s) - '{updated_at,value}'::text[])::text from parley.settings s
)
select kind, name, definition from things order by kind, name
