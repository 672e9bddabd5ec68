do $$
begin
  create type parley.runner_list as (runners parley.runner_info[]);
exception when duplicate_object then null;
end $$;
comment on column parley.runner_list.runners is '@notNull
By name.';

-- Those that the caller could have an agent run on. A key that is bound to a session sees its own.
create or replace function parley.list_runners()
returns parley.runner_list
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_actor parley_private.actor := parley_private.actor();
begin
  return row(array(
    select parley_private.runner_info(r) from parley_private.runners r
    left join parley_private.keys k on k.id = r.key_id
    where parley_private.is_alive(r)
      and (k.session_id is null or k.session_id = any (parley_private.own_sessions(v_actor)) or parley_private.sight() = 'all')
      and ((v_actor.key).session_id is null or k.session_id = (v_actor.key).session_id or (v_actor.person).id is not null)
    order by r.name
  ))::parley.runner_list;
end;
$$;

grant execute on function parley.list_runners to parley_caller;

comment on function parley.list_runners is $$
@verb GET /runners
@who key read
@toolset agents
@readonly
Machines that run agents.
$$;
