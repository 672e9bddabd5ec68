-- Writes down what somebody did to this server. Details hold names, never secrets.
create or replace function parley_private.audit(event text, session uuid default null, details jsonb default '{}', actor text default null)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into parley_private.audit (actor, event, session_ref, details)
  values (
    coalesce(audit.actor, parley_private.name_of(parley_private.actor())),
    audit.event,
    (select s.ref from parley.sessions s where s.id = audit.session),
    audit.details);
end;
$$;
