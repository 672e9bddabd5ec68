-- Who may tell a run what to do, and how it is told.

create or replace function parley_private.refuse_guests(participant parley.participants)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if participant.guest then
    perform parley_private.fail(403, 'forbidden', 'A guest does not direct the agents of this house.', 'Ask it, or its people: post_message with to.',
      '{"scope": "team"}');
  end if;
end;
$$;

grant execute on function parley_private.refuse_guests to parley_caller;

-- People stop and interrupt any run, the convener too, and whoever has spawned it.
create or replace function parley_private.lock_to_direct(session_id text, handle text, out seat parley_private.seat, out run parley.runs)
language plpgsql volatile
set search_path = ''
as $$
begin
  if handle is null then
    perform parley_private.refuse_argument('handle', 'handle is required.', 'list_agents names them.');
  end if;
  seat := parley_private.lock_standing(session_id);
  if (seat.participant).kind = 'human' then
    perform parley_private.refuse_to_intervene(seat.session, parley_private.shown_person());
  end if;
  perform parley_private.refuse_guests(seat.participant);
  run := parley_private.find_run((seat.session).id, handle);
  if (seat.participant).kind <> 'human' and (seat.participant).id <> (seat.session).created_by
    and (seat.participant).id is distinct from run.started_by then
    perform parley_private.fail(403, 'convener_only', 'Only people, the convener and the team that has spawned it may do this.',
      'Ask them, or the people: ask_people.');
  end if;
end;
$$;

-- Who wants something of a run, as it is told.
create or replace function parley_private.name_of(seat parley_private.seat)
returns text
language sql stable
set search_path = ''
as $$
  select coalesce((seat.participant).handle, (seat.participant).team_name);
$$;

-- One more order to a run. The row of the run is locked by it: orders are counted.
create or replace function parley_private.order_run(
  run parley.runs,
  kind text,
  by text,
  text text default null,
  request text default null,
  option text default null
)
returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_nth integer;
begin
  update parley.runs r set last_order = r.last_order + 1
  where r.session_id = run.session_id and r.run = (order_run.run).run
  returning r.last_order into v_nth;
  insert into parley_private.run_orders (session_id, run, nth, kind, by, text, request, option, after_event)
  select r.session_id, r.run, v_nth, order_run.kind, order_run.by, order_run.text, order_run.request, order_run.option, r.last_event
  from parley.runs r where r.session_id = run.session_id and r.run = (order_run.run).run;
  perform parley_private.notify('orders ' || run.session_id);
  return v_nth;
end;
$$;
