do $$
begin
  create type parley.rung_team as (
    handle text,
    state text,
    stored_at timestamptz,
    handed_at timestamptz,
    turn_at timestamptz,
    acted_at timestamptz,
    reachable parley.reachable,
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on column parley.rung_team.state is 'How far it has got: stored, handed, turn or acted; the last one proves that it is there.';
comment on column parley.rung_team.stored_at is 'When it was rung.';
comment on column parley.rung_team.handed_at is '@optional
When an answer told it so.';
comment on column parley.rung_team.turn_at is '@optional
When its runner or hook said that a turn began.';
comment on column parley.rung_team.acted_at is '@optional
When it acked, posted or moved a task.';
comment on column parley.rung_team.unread is 'Messages of others that no answer has handed to you yet.';

-- Silent: it rides on the next answer that the team gets, and ends its wait at once; nobody else hears of it. Whatever answers for the team
-- (the agent, or its runner) acks the cursor that the ring names. Rung again within half a minute, it is the same ring; whoever only looks,
-- as a call does whose time is over, hears of the one that it has waited for.
create or replace function parley.ring_team(session_id text, handle text, wait double precision default 30)
returns parley.rung_team
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds double precision := parley_private.check_wait(wait);
  v_seat    parley_private.seat;
  v_team    parley.participants;
  v_rung    parley.rung_team;
begin
  if handle is null then
    perform parley_private.refuse_argument('handle', 'handle is required.', 'list_participants names the teams.');
  end if;
  v_seat := parley_private.take_seat(session_id, to_read => true);
  perform parley_private.refuse_onlookers(v_seat);
  perform parley_private.refuse_if_closed(v_seat.session);
  select * into v_team from parley.participants p
  where p.session_id = (v_seat.session).id and p.handle = ltrim(left(ring_team.handle, 200), '@') and p.left_at is null;
  if not found then
    perform parley_private.fail(404, 'team_not_found', 'No team with this handle is here.', 'list_participants names the teams.', '{"field": "handle"}');
  elsif v_team.id = (v_seat.participant).id then
    perform parley_private.refuse_argument('handle', 'That is you.', 'Name another team; list_participants has their handles.');
  elsif v_team.kind = 'human' then
    perform parley_private.refuse_argument('handle', format('%s is a person.', v_team.handle), 'People are asked: ask_people.');
  end if;

  perform parley_private.note_interrupts(v_team.session_id);
  insert into parley_private.rings as r (session_id, participant_id, by)
  values (v_team.session_id, v_team.id, parley_private.name_of(v_seat))
  on conflict on constraint rings_are_one_per_team do update set by = excluded.by, at = clock_timestamp(), handed_at = null
  where r.at < clock_timestamp() - case when v_seconds > 0 then interval '30 seconds' else interval '70 seconds' end;
  if found then
    perform parley_private.notify(topic || v_team.session_id) from unnest(array['feed ', 'tasks ', 'orders ']) as topic;
  end if;
  v_rung := parley_private.rung_team(v_team);
  if v_rung.state <> 'acted' then
    perform parley_private.hold_for_run('ring_team', 'rings ' || v_team.session_id, v_seconds, v_team.session_id, (v_seat.participant).id,
      options => jsonb_build_object('rung', v_team.id), changes => '{"wait": 0}');
  end if;
  v_rung.unread := parley_private.unread(v_seat.participant);
  return v_rung;
end;
$$;

-- What has come of the last ring of a team.
create or replace function parley_private.rung_team(team parley.participants)
returns parley.rung_team
language plpgsql stable
set search_path = ''
as $$
declare
  v_ring parley_private.rings;
  v_rung parley.rung_team;
begin
  select * into v_ring from parley_private.rings r where r.session_id = team.session_id and r.participant_id = team.id;
  select * into team from parley.participants p where p.session_id = team.session_id and p.id = team.id;
  v_rung.handle := team.handle;
  v_rung.stored_at := v_ring.at;
  v_rung.handed_at := v_ring.handed_at;
  v_rung.turn_at := case when team.turn_times[1] > v_ring.at then team.turn_times[1] end;
  v_rung.acted_at := least(
    case when team.acked_at > v_ring.at then team.acked_at end,
    (
      select m.posted_at from parley.messages m
      where m.session_id = team.session_id and m.caused_by = team.id and m.posted_at > v_ring.handed_at
      order by m.sequence desc
      limit 1
    ));
  v_rung.state := case
    when v_rung.acted_at is not null then 'acted' when v_rung.turn_at is not null then 'turn' when v_rung.handed_at is not null then 'handed'
    else 'stored' end;
  v_rung.reachable := parley_private.reachable(team);
  return v_rung;
end;
$$;

grant execute on function parley.ring_team to parley_caller;

comment on function parley.ring_team is $$
@verb POST /sessions/{session_id}/ring
@who team
@toolset agents
@blocking
@idempotent
@behavior +mutationField
@param handle -
@param wait Seconds, at most 30, the default.
@unlisted wait
See whether a team is there: it is asked for an ack.
$$;
