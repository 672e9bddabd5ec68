do $$
begin
  create type parley.interrupted_team as (handle text, cursor integer, at timestamptz, listening boolean, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.interrupted_team.cursor is 'The message that tells everybody.';
comment on column parley.interrupted_team.listening is 'Whether a wait of the team was in flight: that one has ended.';
comment on column parley.interrupted_team.unread is 'Messages of others that no answer has handed to you yet.';

-- By persons, by the convener and by the team that has spawned it: an agent that is on the wrong way hears it with its next answer, whatever that is.
create or replace function parley.interrupt_team(session_id text, handle text, reason text)
returns parley.interrupted_team
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_team    parley.participants;
  v_message parley.messages;
begin
  if handle is null then
    perform parley_private.refuse_argument('handle', 'handle is required.', 'list_participants names the teams.');
  end if;
  perform parley_private.check_text('reason', reason, 'reason_max');
  v_seat := parley_private.lock_seat(session_id);
  v_caller := v_seat.participant;
  select * into v_team from parley.participants p
  where p.session_id = v_caller.session_id and p.handle = ltrim(left(interrupt_team.handle, 200), '@') and p.left_at is null;
  if not found then
    perform parley_private.fail(404, 'team_not_found', 'No team with this handle is here.', 'list_participants names the teams.',
      jsonb_build_object('field', 'handle'));
  elsif v_caller.kind <> 'human' and v_caller.id <> (v_seat.session).created_by and not exists (
    select from parley.runs r where r.session_id = v_team.session_id and r.participant_id = v_team.id and r.started_by = v_caller.id
  ) then
    perform parley_private.fail(403, 'convener_only', 'Only persons, the convener and the team that has spawned it can interrupt a team.',
      'Ask it instead: post_message with kind question and to.');
  elsif v_team.id = v_caller.id then
    perform parley_private.refuse_argument('handle', 'A team cannot interrupt itself.', 'Name another team; list_participants has their handles.');
  end if;

  v_message := parley_private.append_message(v_caller.session_id, null, 'system', jsonb_build_object(
    'event', 'team_interrupted', 'team', v_team.team_name, 'handle', v_team.handle, 'by', v_caller.team_name,
    'by_handle', v_caller.handle, 'reason', reason));
  perform parley_private.note_interrupts(v_team.session_id);
  insert into parley_private.interrupts (session_id, participant_id, by, reason, cursor)
  values (v_team.session_id, v_team.id, v_caller.handle, reason, v_message.sequence)
  on conflict on constraint interrupts_are_one_per_team do update set
    by = excluded.by, reason = excluded.reason, cursor = excluded.cursor;
  -- It may wait for work, and not for messages.
  perform parley_private.notify('tasks ' || v_team.session_id);
  return row(
    v_team.handle, v_message.sequence, v_message.posted_at, parley_private.is_listening(v_team.session_id, v_team.id),
    parley_private.unread(v_caller))::parley.interrupted_team;
end;
$$;

grant execute on function parley.interrupt_team to parley_caller;

comment on function parley.interrupt_team is $$
@verb POST /sessions/{session_id}/interrupt
@who team
@toolset team
@param handle -
@param reason -
As convener, stop a team: its next answer says so.
$$;
