-- Says in the log of the database what was done that cannot be undone.
create or replace function parley_private.audit(event text, session uuid, details jsonb default '{}')
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  raise log 'parley % % %', event, session, details;
end;
$$;
