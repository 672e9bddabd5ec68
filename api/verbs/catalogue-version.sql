-- Changes whenever what catalogue.sql reads has changed: the rows that it is made of, each with the transaction that wrote it.
-- Also the roles whose rights the caller has, and which PostgreSQL it is: another counts its transactions itself.
with types as (
  select t.oid, t.typrelid, t.xmin
  from pg_type t
  where t.typnamespace = 'parley'::regnamespace
    or t.typtype in ('e', 'd') and t.typnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
),
rows (row) as (
  select concat('started ', pg_postmaster_start_time(), ' ', current_user)
  union all
  select concat('role ', r.oid, ' ', r.rolname) from pg_roles r where pg_has_role(r.oid, 'usage')
  union all
  select concat(p.oid, ' ', p.xmin) from pg_proc p where p.pronamespace = 'parley'::regnamespace
  union all
  select concat(d.objoid, ' ', d.xmin) from pg_proc p
  join pg_description d on d.objoid = p.oid and d.classoid = 'pg_proc'::regclass
  where p.pronamespace = 'parley'::regnamespace
  union all
  select concat(t.oid, ' ', t.xmin) from types t
  union all
  select concat(d.objoid, ' ', d.xmin) from types t join pg_description d on d.objoid = t.oid and d.classoid = 'pg_type'::regclass
  union all
  select concat(a.attrelid, ' ', a.attnum, ' ', a.xmin) from types t join pg_attribute a on a.attrelid = t.typrelid and a.attnum > 0
  union all
  select concat(d.objoid, ' ', d.objsubid, ' ', d.xmin) from types t
  join pg_description d on d.objoid = t.typrelid and d.classoid = 'pg_class'::regclass
  union all
  select concat(e.oid, ' ', e.xmin) from types t join pg_enum e on e.enumtypid = t.oid
)
select md5(string_agg(row, ',' order by row)) as version from rows
