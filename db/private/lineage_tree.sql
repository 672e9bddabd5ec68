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

create or replace function parley_private.lineage_entry(session parley.sessions)
returns parley.lineage_entry
language sql stable
set search_path = ''
as $$
  select row(session.ref, session.title, session.status, l.relation, o.ref)::parley.lineage_entry
  from (select) as always
  left join parley.lineage l on l.session_id = session.id
  left join parley.sessions o on o.id = l.origin_id;
$$;

create or replace function parley_private.lineage_tree(session parley.sessions)
returns parley.lineage_tree
language plpgsql stable
set search_path = ''
as $$
declare
  c_most constant integer := 500;
  v_self parley.lineage_entry := parley_private.lineage_entry(session);
  v_tree parley.lineage_tree;
begin
  v_tree.ref := v_self.ref;
  v_tree.title := v_self.title;
  v_tree.status := v_self.status;
  v_tree.relation := v_self.relation;
  v_tree.of := v_self.of;
  v_tree.ancestors := array(
    with recursive line as (
      select l.origin_id as id, 1 as distance from parley.lineage l where l.session_id = session.id
      union all
      select l.origin_id, line.distance + 1 from line join parley.lineage l on l.session_id = line.id where line.distance < c_most
    )
    select parley_private.lineage_entry(s) from line join parley.sessions s on s.id = line.id order by line.distance
  );
  v_tree.descendants := array(
    with recursive family as (
      select l.session_id as id, 1 as distance from parley.lineage l where l.origin_id = session.id
      union all
      select l.session_id, family.distance + 1 from family join parley.lineage l on l.origin_id = family.id
    )
    select parley_private.lineage_entry(s) from family join parley.sessions s on s.id = family.id
    order by family.distance, s.created_at, s.id
    limit c_most + 1
  );
  v_tree.has_more := cardinality(v_tree.descendants) > c_most;
  v_tree.descendants := v_tree.descendants[:c_most];
  return v_tree;
end;
$$;

grant execute on function parley_private.lineage_entry, parley_private.lineage_tree to parley_caller;
