do $$
begin
  create type parley.prompted_agent as (
    handle text,
    turn integer,
    done boolean,
    status text,
    words text,
    permissions jsonb,
    error text,
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.prompted_agent.turn is 'To go on waiting: prompt_agent with this turn.';
comment on column parley.prompted_agent.done is 'Whether the turn is over.';
comment on column parley.prompted_agent.status is 'Of the run.';
comment on column parley.prompted_agent.words is '@optional
Its last words in that turn.';
comment on column parley.prompted_agent.permissions is '@optional
@schema {"type": "array", "items": {"type": "object"}}
What it asks for meanwhile: request, tool, input, options; for answer_permission.';
comment on column parley.prompted_agent.error is '@optional
Why the run is over.';
comment on column parley.prompted_agent.unread is 'Messages of others that no answer has handed to you yet.';

-- A turn for an agent, in the order in which they were asked for. With a turn nothing is asked for again: its words are waited for.
create or replace function parley.prompt_agent(
  session_id text,
  handle text,
  prompt text default null,
  wait double precision default 0,
  turn integer default null
)
returns parley.prompted_agent
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds double precision := parley_private.check_wait(wait);
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_run     parley.runs;
  v_turn    integer := turn;
begin
  if v_turn is null then
    perform parley_private.check_text('prompt', prompt, 'message_max');
    v_seat := parley_private.lock_seat(session_id);
  else
    v_seat := parley_private.take_seat(session_id);
  end if;
  v_caller := v_seat.participant;
  perform parley_private.refuse_guests(v_caller);
  v_run := parley_private.find_run(v_caller.session_id, handle);
  if v_run.participant_id = v_caller.id then
    perform parley_private.refuse_argument('handle', 'That is you.', 'Name another team; list_participants has their handles.');
  end if;
  if v_turn is null then
    perform parley_private.refuse_if_over(v_run);
    perform parley_private.rule_run(v_seat);
    perform parley_private.refuse_if_drowned(v_run);
    update parley.sessions s set talk = case when v_caller.kind = 'human' then 0 else s.talk + 1 end where s.id = v_caller.session_id;
    v_turn := parley_private.order_run(v_run, 'prompt', v_caller.handle, prompt);
  end if;

  if not parley_private.turn_is_over(v_run.session_id, v_run.run, v_turn) and v_run.ended_at is null then
    perform parley_private.hold_for_run('prompt_agent', 'runs ' || v_run.session_id, v_seconds, v_run.session_id, v_caller.id,
      options => jsonb_build_object('run', v_run.run, 'turn', v_turn), changes => jsonb_build_object('turn', v_turn));
  end if;
  return parley_private.prompted_agent(v_run, v_turn, v_caller);
end;
$$;

create or replace function parley_private.prompted_agent(run parley.runs, turn integer, reader parley.participants)
returns parley.prompted_agent
language plpgsql stable
set search_path = ''
as $$
declare
  v_order parley_private.run_orders;
begin
  select * into v_order from parley_private.run_orders o
  where o.session_id = run.session_id and o.run = (prompted_agent.run).run and o.nth = turn and o.kind = 'prompt';
  if not found then
    perform parley_private.fail(404, 'turn_not_found', 'Nobody has asked this run for such a turn.', 'Give the turn that prompt_agent has answered with.',
      '{"field": "turn"}');
  end if;
  return row(
    (select p.handle from parley.participants p where p.session_id = run.session_id and p.id = run.participant_id),
    turn, v_order.done_at is not null, parley_private.status_of(run),
    left(v_order.words, parley_private.setting('list_text_max')),
    case when v_order.done_at is null then parley_private.open_permissions(run) end,
    case when run.ended_at is not null then run.error end, parley_private.unread(reader))::parley.prompted_agent;
end;
$$;

-- Nobody queues a hundred turns for an agent that has had none of them.
create or replace function parley_private.refuse_if_drowned(run parley.runs)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (
    select count(*) >= 20 from parley_private.run_orders o
    where o.session_id = run.session_id and o.run = (refuse_if_drowned.run).run and o.done_at is null and o.kind = 'prompt'
  ) then
    perform parley_private.fail(429, 'rate_limited', 'Twenty prompts wait for this agent already.', 'Wait for its words first.',
      '{"retry_after_seconds": 30}');
  end if;
end;
$$;

grant execute on function parley.prompt_agent to parley_caller;

comment on function parley.prompt_agent is $$
@verb POST /sessions/{session_id}/agents/{handle}/prompt
@who team
@toolset agents
@blocking
@param prompt -
@param wait Seconds for its answer, at most 30.
@param turn Go on waiting for this one.
@behavior +mutationField
Give an agent a turn; get its last words.
$$;
