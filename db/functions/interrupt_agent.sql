do $$
begin
  create type parley.ordered_agent as (handle text, run integer, status text, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.ordered_agent.status is 'Of the run: its runner does it in a moment.';
comment on column parley.ordered_agent.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley.interrupt_agent(session_id text, handle text)
returns parley.ordered_agent
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_locked record := parley_private.lock_to_direct(session_id, handle);
begin
  perform parley_private.refuse_if_over(v_locked.run);
  perform parley_private.order_once(v_locked.run, 'interrupt', parley_private.name_of(v_locked.seat));
  return parley_private.ordered_agent(v_locked.run, v_locked.seat);
end;
$$;

create or replace function parley_private.ordered_agent(run parley.runs, seat parley_private.seat)
returns parley.ordered_agent
language sql stable
set search_path = ''
as $$
  select row(p.handle, run.run, parley_private.status_of(run), parley_private.unread(seat.participant))::parley.ordered_agent
  from parley.participants p where p.session_id = run.session_id and p.id = run.participant_id;
$$;

-- Said twice it is one, until it is done.
create or replace function parley_private.order_once(run parley.runs, kind text, by text)
returns void
language sql volatile
set search_path = ''
as $$
  select parley_private.order_run(run, order_once.kind, order_once.by)
  where not exists (
    select from parley_private.run_orders o
    where o.session_id = run.session_id and o.run = (order_once.run).run and o.kind = order_once.kind and o.done_at is null);
$$;

grant execute on function parley.interrupt_agent to parley_caller;

comment on function parley.interrupt_agent is $$
@verb POST /sessions/{session_id}/agents/{handle}/interrupt
@who team
@toolset agents
@idempotent
Cancel its turn.
$$;
