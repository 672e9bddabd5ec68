--! Previous: sha1:d4fbdd8a198b021169cd9cdab6f7073a8b6ea3af
--! Hash: sha1:491b83d2f4122d5e5098ab4395f36f3f4b16c1ec
--! Message: removal

-- Enter migration here
do $$
begin
  create type parley.deleted_session as (session_id uuid, ref text, deleted_at timestamptz);
exception when duplicate_object then null;
end $$;

create index if not exists sessions_by_close on parley.sessions (closed_at) where closed_at is not null;

do $$
begin
  if (select confdeltype <> 'n' from pg_constraint where conname = 'sessions_continue_another' and conrelid = 'parley.sessions'::regclass) then
    alter table parley.sessions drop constraint sessions_continue_another;
    alter table parley.sessions add constraint sessions_continue_another
      foreign key (continues) references parley.sessions (id) on delete set null;
  end if;
end $$;
