do $$
begin
  create type parley.roster as (participants parley.roster_entry[], unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.roster.participants is '@notNull';
comment on column parley.roster.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley.list_participants(session_id text)
returns parley.roster
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller parley.participants := (parley_private.take_seat(session_id, to_read => true)).participant;
begin
  return row(parley_private.roster(v_caller.session_id, v_caller.id), parley_private.unread(v_caller))::parley.roster;
end;
$$;

grant execute on function parley.list_participants to parley_caller;

comment on function parley.list_participants is $$
@verb GET /sessions/{session_id}/participants
@who team
@toolset core
@readonly
Who is here and listening.
$$;
