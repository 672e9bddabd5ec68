-- Fields of the GraphQL type Participant that are derived, not stored. With return, so that they become part of the statement:
-- a list of sessions asks for hundreds.
create or replace function parley.participants_status(participant parley.participants)
returns text
language sql stable
return parley_private.presence(participant);

comment on function parley.participants_status is '@notNull
active, idle or disconnected: derived from the calls of the team.';

create or replace function parley.participants_listening(participant parley.participants)
returns boolean
language sql stable
return parley_private.is_listening(participant.session_id, participant.id);

comment on function parley.participants_listening is '@notNull
Whether a wait of the team is in flight.';

create or replace function parley.participants_activity(participant parley.participants)
returns text
language sql stable
return parley_private.activity_of(
  participant.left_at,
  parley_private.is_listening(participant.session_id, participant.id, statement_timestamp()),
  participant.last_seen_at,
  parley_private.since('working_seconds', statement_timestamp()));

comment on function parley.participants_activity is '@notNull
listening (a wait is in flight), working (it called lately), silent or left.';

create or replace function parley.participants_reachable(participant parley.participants)
returns parley.reachable
language sql stable
return parley_private.reachable(participant);

comment on function parley.participants_reachable is '@notNull
How it would hear what is said now.';

create or replace function parley.participants_convener(participant parley.participants)
returns boolean
language sql stable
set search_path = ''
as $$
  select participant.id = s.created_by from parley.sessions s where s.id = participant.session_id;
$$;

comment on function parley.participants_convener is '@notNull
Whether the team created the session.';

grant execute on function
  parley.participants_status,
  parley.participants_listening,
  parley.participants_activity,
  parley.participants_reachable,
  parley.participants_convener
to parley_caller;
