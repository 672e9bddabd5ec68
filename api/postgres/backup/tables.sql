-- What a backup is made of: every table of Parley that holds rows, ours or of a DBA, and what has to be known to fill it again.
-- @backup in the comment of a table: none for what is made anew or means this database alone, seeded for what a new one has rows in.
select
  format('%I.%I', n.nspname, c.relname) as name,
  quote_ident(pg_get_userbyid(c.relowner)) as owner,
  c.relforcerowsecurity as forced,
  coalesce(obj_description(c.oid, 'pg_class') ~ '(?n)^@backup seeded$', false) as seeded,
  array(
    select quote_ident(a.attname) from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    order by a.attnum
  ) as columns,
  -- Whether its owner reads all of it, policies or not.
  not (c.relrowsecurity and c.relforcerowsecurity)
    or exists (
      select from pg_policy p
      where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*') and p.polroles && array[0, c.relowner]
        and pg_get_expr(p.polqual, c.oid) = 'true'
    ) and not exists (select from pg_policy p where p.polrelid = c.oid and not p.polpermissive) as readable,
  coalesce((
    select json_agg(json_build_object(
      'name', quote_ident(t.tgname),
      'enabled', case t.tgenabled when 'A' then 'enable always' when 'R' then 'enable replica' when 'D' then 'disable' else 'enable' end
    )) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
  ), '[]') as triggers,
  coalesce((
    select json_agg(json_build_object(
      'name', quote_ident(k.conname),
      'to', format('%I.%I', rn.nspname, r.relname),
      'checked', concat(case when not k.condeferrable then 'not ' end, 'deferrable initially ', case when k.condeferred then 'deferred' else 'immediate' end)
    ))
    from pg_constraint k
    join pg_class r on r.oid = k.confrelid
    join pg_namespace rn on rn.oid = r.relnamespace
    where k.conrelid = c.oid and k.contype = 'f' and k.conparentid = 0 and k.confrelid <> c.oid
  ), '[]') as foreign_keys
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('parley', 'parley_private')
  and c.relkind = 'r'
  and coalesce(obj_description(c.oid, 'pg_class'), '') !~ '(?n)^@backup none$'
order by n.nspname, c.relname
