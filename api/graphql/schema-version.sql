-- Changes whenever what PostGraphile reads of the catalogue has changed: the rows that are not PostgreSQL's own, each with the
-- transaction that wrote it, the roles whose rights the caller has, and which PostgreSQL it is: another counts its transactions itself.
with rows (row) as (
  select concat('started ', pg_postmaster_start_time(), ' ', version(), ' ', current_user)
  union all
  select concat('role ', r.oid, ' ', r.rolname) from pg_roles r where pg_has_role(r.oid, 'usage')
  union all
  select concat('namespace ', oid, ' ', xmin) from pg_namespace where oid >= 16384
  union all
  select concat('class ', oid, ' ', xmin) from pg_class where oid >= 16384
  union all
  select concat('attribute ', attrelid, ' ', attnum, ' ', xmin) from pg_attribute where attrelid >= 16384 and attnum > 0
  union all
  select concat('constraint ', oid, ' ', xmin) from pg_constraint where oid >= 16384
  union all
  select concat('function ', oid, ' ', xmin) from pg_proc where oid >= 16384
  union all
  select concat('type ', oid, ' ', xmin) from pg_type where oid >= 16384
  union all
  select concat('enum ', oid, ' ', xmin) from pg_enum where oid >= 16384
  union all
  select concat('extension ', oid, ' ', xmin) from pg_extension where oid >= 16384
  union all
  select concat('index ', indexrelid, ' ', xmin) from pg_index where indexrelid >= 16384
  union all
  select concat('inherits ', inhrelid, ' ', inhparent, ' ', xmin) from pg_inherits
  union all
  select concat('policy ', oid, ' ', xmin) from pg_policy
  union all
  select concat('range ', rngtypid, ' ', xmin) from pg_range where rngtypid >= 16384
  union all
  select concat('description ', classoid, ' ', objoid, ' ', objsubid, ' ', xmin) from pg_description where objoid >= 16384
)
select md5(string_agg(row, ',' order by row collate "C")) as version from rows
