-- Everything the surfaces are made of: the functions that the caller may execute and whose comment says what they
-- are for (verbs, and resources of MCP), and the types that they take and answer with. One text, so that a change is
-- seen by comparing it. A type is told by the oid of what it is made of, and whether it is a list of that.
with shape as not materialized (
  select
    t.oid as type,
    jsonb_build_object(
      'name', format_type(t.oid, null),
      'of', coalesce(item.oid, t.oid)::text,
      'item', format_type(coalesce(item.oid, t.oid), null),
      'list', item.oid is not null,
      'pseudo', t.typtype = 'p'
    ) as shape
  from pg_type t
  left join pg_type item on item.oid = t.typelem and t.typcategory = 'A' and t.typtype <> 'd'
)
select jsonb_build_object(
  'functions', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', p.proname,
      'comment', comment,
      'kind', p.prokind,
      'variadic', p.provariadic <> 0,
      'oid', p.oid::text,
      -- Only where the function is the one that our sources have made.
      'edition', case when comment ~ '(?n)^\s*@together\s+\w' and parley_private.is_ours(p.oid) then p.xmin::text end,
      'seated', p.prosrc ~ '\m((take|lock|find)_seat|lock_standing|lock_to_lead|lock_to_direct)\M',
      'set', p.proretset,
      'result', (select shape from shape where type = p.prorettype),
      'arguments', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'name', coalesce(a.name, ''),
          'type', (select shape from shape where type = a.type),
          'optional', a.input > p.pronargs - p.pronargdefaults,
          'default', pg_get_function_arg_default(p.oid, a.position::integer)
        ) order by a.position), '[]')
        from (
          select u.*, row_number() over (order by u.position) as input
          from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes)
            with ordinality as u (type, name, mode, position)
          where coalesce(u.mode, 'i') in ('i', 'b', 'v')
        ) a
      ),
      'columns', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'name', coalesce(a.name, 'column' || a.position),
          'type', (select shape from shape where type = a.type)
        ) order by a.position), '[]')
        from unnest(p.proallargtypes, p.proargnames, p.proargmodes) with ordinality as a (type, name, mode, position)
        where a.mode in ('o', 'b', 't')
      )
    ) order by p.oid), '[]')
    from pg_proc p, obj_description(p.oid, 'pg_proc') as comment
    where p.pronamespace = 'parley'::regnamespace
      and comment ~ '(?n)^\s*@(verb|resource|lists_resources|completes|in_topics)\M'
      and has_function_privilege(p.oid, 'execute')
  ),
  'types', (
    select coalesce(jsonb_object_agg(t.oid::text, jsonb_build_object(
      'name', t.typname,
      'comment', obj_description(t.oid, 'pg_type'),
      'labels', (select jsonb_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
      'base', (select shape from shape where type = t.typbasetype),
      'attributes', (
        select jsonb_agg(jsonb_build_object(
          'name', a.attname,
          'type', (select shape from shape where type = a.atttypid),
          'comment', col_description(a.attrelid, a.attnum)
        ) order by a.attnum)
        from pg_attribute a
        where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
      )
    )), '{}')
    from pg_type t
    left join pg_class c on c.oid = t.typrelid
    where case
      when t.typtype = 'c' then t.typnamespace = 'parley'::regnamespace and c.relkind in ('c', 'r', 'p', 'v', 'm', 'f')
      else t.typtype in ('e', 'd') and t.typnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    end
  )
)::text as catalogue
