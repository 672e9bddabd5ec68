-- Silent: the roster moves, nobody is woken.
create or replace function parley.update_team(session_id text, about jsonb default null, doing text default null)
returns parley.roster_entry
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat   parley_private.seat;
  v_caller parley.participants;
  v_entry  parley.roster_entry;
begin
  perform parley_private.check_about(about);
  perform parley_private.check_short('doing', doing);
  if about is null and doing is null then
    perform parley_private.refuse_argument('doing', 'Say what has changed: about, doing or both.',
      'doing is what you are at, in a few words; empty clears it.');
  end if;
  v_seat := parley_private.take_seat(session_id);
  v_caller := v_seat.participant;
  perform parley_private.refuse_if_closed(v_seat.session);

  perform parley_private.introduce(v_caller.session_id, v_caller.id, about);
  update parley.participants p set doing = nullif(btrim(update_team.doing), '')
  where p.session_id = v_caller.session_id and p.id = v_caller.id and update_team.doing is not null;
  v_entry := (parley_private.roster(v_caller.session_id, v_caller.id, v_caller.id))[1];
  v_entry.unread := parley_private.unread(v_caller);
  return v_entry;
end;
$$;

grant execute on function parley.update_team to parley_caller;

comment on function parley.update_team is $$
@verb POST /sessions/{session_id}/team
@who team
@toolset team
@idempotent
@param about agent, model, machine, repo, branch, worktree, role.
@unlisted about
@schema about {"type": "object", "properties": {}}
@param doing E.g. porting refunds, 3 of 5.
Tell silently what you are doing.
$$;
