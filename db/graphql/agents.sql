-- Fields of the GraphQL type Run that are derived, not stored.
create or replace function parley.runs_status(run parley.runs)
returns text
language sql stable
return parley_private.status_of(run);

comment on function parley.runs_status is '@notNull
queued, starting, working, waiting (for news), asking (for permission), stopped, failed or lost.';

-- Without a search_path, as all that pages are read from.
create or replace function parley.sessions_asked_permissions(session parley.sessions)
returns setof parley.run_permissions
language sql stable
as $$
  select p.* from parley.run_permissions p
  where p.session_id = session.id and p.answered_at is null and p.expires_at > now()
  order by p.expires_at, p.run, p.request;
$$;

comment on function parley.sessions_asked_permissions is '@cost 20
What its agents ask to be allowed and wait for, the most urgent first.';

create or replace function parley.messages_delivery(message parley.messages)
returns parley.delivery[]
language sql stable
set search_path = ''
as $$
  select parley_private.delivery_of(message) where message.addressed_to is not null;
$$;

comment on function parley.messages_delivery is 'How far it has got with each team that it is meant for; null if it is meant for everybody.';

grant execute on function parley.runs_status, parley.sessions_asked_permissions, parley.messages_delivery to parley_caller;
