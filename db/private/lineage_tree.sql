do $$
begin
  create type parley.lineage_entry as (ref text, title text, status text, relation text, of text);
exception when duplicate_object then null;
end $$;
comment on type parley.lineage_entry is 'A session, and which one it comes from.';
comment on column parley.lineage_entry.relation is 'spawned, forked or resumed; null for one that comes from none.';
comment on column parley.lineage_entry.of is 'The ref of the session that it comes from.';

do $$
begin
  create type parley.lineage_tree as (
    ref text,
    title text,
    status text,
    relation text,
    of text,
    ancestors parley.lineage_entry[],
    descendants parley.lineage_entry[],
    has_more boolean,
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.lineage_tree.relation is 'spawned, forked or resumed; null for one that comes from none.';
comment on column parley.lineage_tree.of is 'The ref of the session that it comes from.';
comment on column parley.lineage_tree.ancestors is '@notNull
The nearest first.';
comment on column parley.lineage_tree.descendants is '@notNull
The nearest first, the older before the younger; 500 at most.';
comment on column parley.lineage_tree.unread is '@optional
Messages of others that no answer has handed to you yet.';

create or replace function parley_private.lineage_tree(session parley.sessions)
returns parley.lineage_tree
language plpgsql stable
set search_path = ''
as $$
declare
  c_most constant integer := 500;
  v_tree parley.lineage_tree;
begin
  v_tree.ref := session.ref;
  v_tree.title := session.title;
  v_tree.status := session.status;
  select l.relation, o.ref into v_tree.relation, v_tree.of
  from parley.lineage l join parley.sessions o on o.id = l.origin_id where l.session_id = session.id;
  -- Each is looked up by itself: the planner would rather read all sessions there are.
  v_tree.ancestors := array(
    with recursive line as (
      select l.origin_id as id, 1 as distance from parley.lineage l where l.session_id = session.id
      union all
      select l.origin_id, line.distance + 1
      from line
      cross join lateral (select o.origin_id from parley.lineage o where o.session_id = line.id limit 1) l
      where line.distance < c_most
    )
    select row(s.ref, s.title, s.status, l.relation, o.ref)::parley.lineage_entry
    from line
    cross join lateral (select * from parley.sessions s where s.id = line.id limit 1) s
    left join lateral (select * from parley.lineage l where l.session_id = line.id limit 1) l on true
    left join lateral (select o.ref from parley.sessions o where o.id = l.origin_id limit 1) o on true
    order by line.distance
  );
  v_tree.descendants := array(
    with recursive family as (
      select l.session_id as id, l.origin_id, l.relation, 1 as distance from parley.lineage l where l.origin_id = session.id
      union all
      select l.session_id, l.origin_id, l.relation, family.distance + 1
      from family
      cross join lateral (select * from parley.lineage c where c.origin_id = family.id offset 0) l
    )
    select row(s.ref, s.title, s.status, family.relation, o.ref)::parley.lineage_entry
    from family
    cross join lateral (select * from parley.sessions s where s.id = family.id limit 1) s
    cross join lateral (select o.ref from parley.sessions o where o.id = family.origin_id limit 1) o
    order by family.distance, s.created_at, s.id
    limit c_most + 1
  );
  v_tree.has_more := cardinality(v_tree.descendants) > c_most;
  v_tree.descendants := v_tree.descendants[:c_most];
  return v_tree;
end;
$$;

grant execute on function parley_private.lineage_tree to parley_caller;
