create or replace function parley_private.descended_as_text(answer parley.descended_session)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref, 'team_id ' || answer.team_id, 'handle ' || answer.handle, 'cursor ' || answer.cursor,
      'doc v' || answer.doc_version),
    'spawned from ' || answer.spawned_from,
    'forked from ' || (answer.forked_from).ref || ' at #' || (answer.forked_from).cursor,
    'title: ' || parley_private.on_one_line(answer.title),
    'page: ' || answer.url);
$$;

-- warm-fox-12 (closed, resumed calm-otter-17): title
create or replace function parley_private.lineage_as_line(entry parley.lineage_entry)
returns text
language sql stable
set search_path = ''
as $$
  select format('%s (%s): %s', entry.ref,
    concat_ws(', ', entry.status, case entry.relation when 'resumed' then 'resumed ' else entry.relation || ' from ' end || entry.of),
    parley_private.on_one_line(entry.title, 100));
$$;

-- From the root down, so that each stands below the one that it comes from.
create or replace function parley_private.lineage_tree_as_text(answer parley.lineage_tree)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref,
      'ancestors ' || cardinality(answer.ancestors),
      'descendants ' || cardinality(answer.descendants),
      'more ' || parley_private.yes_or_no(answer.has_more),
      'unread ' || answer.unread),
    (select string_agg('ancestor ' || parley_private.lineage_as_line(answer.ancestors[i]), E'\n' order by i desc)
      from generate_subscripts(answer.ancestors, 1) i where i <= 20),
    'this ' || parley_private.lineage_as_line(row(answer.ref, answer.title, answer.status, answer.relation, answer.of)),
    (select string_agg('descendant ' || parley_private.lineage_as_line(answer.descendants[i]), E'\n' order by i)
      from generate_subscripts(answer.descendants, 1) i where i <= 40),
    case when cardinality(answer.descendants) > 40
      then format('left out: %s descendants; get_lineage of one of these has its own', cardinality(answer.descendants) - 40)
    end);
$$;

grant execute on function
  parley_private.descended_as_text,
  parley_private.lineage_as_line,
  parley_private.lineage_tree_as_text
to parley_caller;

comment on type parley.descended_session is '@text parley_private.descended_as_text';
comment on type parley.lineage_tree is '@text parley_private.lineage_tree_as_text
A session among those that it comes from and those that come from it.';
