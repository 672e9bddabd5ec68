do $$
begin
  create type parley.agent_list as (agents parley.agent_run[], unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.agent_list.agents is '@notNull
Those that run, then those that are over, newest first.';
comment on column parley.agent_list.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley.list_agents(session_id text)
returns parley.agent_list
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller parley.participants := (parley_private.take_seat(session_id, to_read => true)).participant;
begin
  return row(array(
    select parley_private.agent_run(r, 200) from parley.runs r
    where r.session_id = v_caller.session_id
    order by r.ended_at is not null, r.run desc
    limit 100
  ), parley_private.unread(v_caller))::parley.agent_list;
end;
$$;

grant execute on function parley.list_agents to parley_caller;

comment on function parley.list_agents is $$
@verb GET /sessions/{session_id}/agents
@who team
@toolset agents
@readonly
Agents that run here.
$$;
