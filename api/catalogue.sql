-- Everything the surfaces are made of: the functions that the caller may execute and whose comment says what they
-- are for (verbs, and resources of MCP), and the types that they answer with. One text, so that a change is seen by comparing it.
select jsonb_build_object(
  'functions', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', p.proname,
      'comment', comment,
      'result', p.prorettype::oid::text,
      'arguments', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'name', a.name,
          'type', format_type(a.type, null),
          'optional', a.position > p.pronargs - p.pronargdefaults
        ) order by a.position), '[]')
        from unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) with ordinality as a (name, type, position)
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
      'attributes', (
        select jsonb_agg(jsonb_build_object(
          'name', a.attname,
          'type', format_type(a.atttypid, null),
          'composite', coalesce(element.oid, base.oid)::text,
          'comment', col_description(c.oid, a.attnum)
        ) order by a.attnum)
        from pg_attribute a
        join pg_type base on base.oid = a.atttypid
        left join pg_type element on element.oid = base.typelem and base.typelem <> 0
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      )
    )), '{}')
    from pg_type t
    join pg_class c on c.oid = t.typrelid and c.relkind = 'c'
    where t.typnamespace = 'parley'::regnamespace
  )
)::text as catalogue
