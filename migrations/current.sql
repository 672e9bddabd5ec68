-- Where sessions come from has a table of its own; what was resumed before is the first that it holds.
--!include tables/lineage.sql
do $$
begin
  if exists (select from pg_attribute where attrelid = 'parley.sessions'::regclass and attname = 'continues' and not attisdropped) then
    execute 'insert into parley.lineage (session_id, origin_id, relation, origin_cursor)
      select s.id, s.continues, ''resumed'', o.last_sequence from parley.sessions s join parley.sessions o on o.id = s.continues
      on conflict do nothing';
  end if;
end $$;
drop trigger if exists _500_notify_continued on parley.sessions;
alter table parley.sessions drop column if exists continues;
