do $$
begin
  create type parley.reported_run as (
    run integer,
    handle text,
    status text,
    orders jsonb,
    budget jsonb,
    last_event integer,
    session_closed boolean,
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.reported_run.orders is '@schema {"type": "array", "items": {"type": "object"}}
What others want of it and you have not done: order, kind (prompt, interrupt, stop, permission), by, at; text of a prompt; request and option of a permission, null: refused.';
comment on column parley.reported_run.budget is '@schema {"type": "object", "properties": {"allowed": {"type": "boolean"}}}
allowed: whether the next turn may begin; if not, reason tells why.';
comment on column parley.reported_run.session_closed is 'True once the session is concluded: end it.';
comment on column parley.reported_run.unread is 'Messages of others that no answer has handed to you yet.';

-- By the team that the run is: what it does, and what it is to do. Every call is a sign of life, and so is one that waits. The first of a
-- team without a run makes one. What ends a run, and what the feed is told of, is done under the lock of the session; the rest is not.
create or replace function parley.report_run(
  session_id text,
  agent text default null,
  status text default null,
  turn_cursor integer default null,
  events jsonb default null,
  worktree jsonb default null,
  usage jsonb default null,
  orders_done integer[] default null,
  error text default null,
  wait double precision default 0,
  orders_seen integer default null,
  run integer default null
)
returns parley.reported_run
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds double precision := parley_private.check_wait(wait);
  v_over    boolean := coalesce(status in ('stopped', 'failed'), false);
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_run     parley.runs;
  v_noted   parley.runs;
  v_limit   text;
begin
  perform parley_private.check_report(agent, status, events, worktree, usage, orders_done);
  perform parley_private.check_cursor('turn_cursor', turn_cursor);
  v_seat := parley_private.take_seat(session_id);
  v_run := parley_private.run_of(v_seat.participant);
  -- A call that was held while its run ended begins no other one.
  if report_run.run is not null and v_run.run is distinct from report_run.run then
    return parley_private.report_of_the_past(v_seat, report_run.run);
  end if;
  v_limit := parley_private.over_budget(parley_private.with_usage(v_run, status, usage));
  if v_over or v_run.run is null or v_limit is not null and not v_run.limit_told then
    v_seat := parley_private.lock_seat(session_id, even_if_closed => true, even_if_paused => true);
    v_run := parley_private.run_of(v_seat.participant);
  end if;
  v_caller := v_seat.participant;
  perform parley_private.check_not_ahead('turn_cursor', turn_cursor, (v_seat.session).last_sequence);
  if v_run.run is null then
    v_run := parley_private.begin_run(v_seat, agent);
  end if;

  v_noted := parley_private.note_report(v_run, agent, case when v_over then null else status end, worktree, usage, error);
  if v_noted.run is null then
    return parley_private.report_of_the_past(v_seat, v_run.run);
  end if;
  v_run := v_noted;
  perform parley_private.append_events(v_run, events);
  perform parley_private.note_orders_done(v_run, orders_done);
  perform parley_private.note_turn(v_caller, turn_cursor);
  if v_over then
    v_run := parley_private.end_run(v_run, status);
  elsif v_limit is not null and not v_run.limit_told then
    perform parley_private.tell_limit(v_run, v_limit);
  end if;

  if not v_over and not parley_private.has_new_orders(v_run.session_id, v_run.run, orders_seen) then
    perform parley_private.hold_for_run('report_run', 'orders ' || v_run.session_id, v_seconds, v_run.session_id, v_caller.id,
      options => jsonb_build_object('run', v_run.run, 'seen', orders_seen, 'closed', (v_seat.session).status = 'closed'),
      changes => jsonb_build_object('run', v_run.run)
        || '{"status": null, "turn_cursor": null, "events": null, "worktree": null, "usage": null, "orders_done": null, "error": null}');
  end if;
  return row(
    v_run.run, v_caller.handle, v_run.status, parley_private.hand_orders(v_run),
    jsonb_strip_nulls(jsonb_build_object('allowed', v_limit is null, 'reason', v_limit)),
    (select r.last_event from parley.runs r where r.session_id = v_run.session_id and r.run = v_run.run),
    (v_seat.session).status = 'closed', parley_private.unread(v_caller))::parley.reported_run;
end;
$$;

create or replace function parley_private.report_of_the_past(seat parley_private.seat, run integer)
returns parley.reported_run
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller parley.participants := seat.participant;
  v_run    parley.runs;
begin
  select * into v_run from parley.runs r
  where r.session_id = v_caller.session_id and r.run = report_of_the_past.run and r.participant_id = v_caller.id;
  if not found then
    perform parley_private.fail(404, 'agent_not_found', 'This team has no such run.', 'Leave run out.', '{"field": "run"}');
  end if;
  return row(
    v_run.run, v_caller.handle, v_run.status, '[]'::jsonb, '{"allowed": false, "reason": "This run is over."}'::jsonb,
    v_run.last_event, (seat.session).status = 'closed', parley_private.unread(v_caller))::parley.reported_run;
end;
$$;

grant execute on function parley.report_run to parley_caller;

comment on function parley.report_run is $$
@verb POST /sessions/{session_id}/run
@who team
@toolset runner
@clamped
@blocking
@behavior -*
@param agent Its name: claude, codex.
@param status starting, working, waiting, asking; stopped or failed: it is over.
@param turn_cursor A turn begins with the messages up to here.
@param events What happened: kind (say, think, tool, tool_result, prompt, note), title, text, at; at most 500.
@schema events {"type": "array", "items": {"type": "object", "properties": {"kind": {"type": "string"}, "title": {"type": "string"}, "text": {"type": "string"}, "at": {"type": "string"}}}}
@param worktree path, branch, repo, base, head, ahead, dirty.
@schema worktree {"type": "object", "properties": {}}
@param usage turns, tokens, cost: of the whole run so far.
@schema usage {"type": "object", "properties": {"turns": {"type": "integer"}, "tokens": {"type": "integer"}, "cost": {"type": "number"}}}
@param orders_done The orders that were done; of a prompt, when its turn is over and its words were reported.
@param error Why it has failed, or what it waits for.
@param wait Seconds to wait for an order, at most 30.
@param orders_seen The newest order that you know: only a later one ends the wait. Default: one that you were never told of.
@param run The run that is meant; if it is over, none begins in its place.
Tell how a run goes, and learn what others want of it. A run of which nothing is heard for 20 seconds is lost; a call that waits counts as heard.
$$;
