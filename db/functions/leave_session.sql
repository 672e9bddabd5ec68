do $$
begin
  create type parley.left_session as (session_id uuid, handle text, left_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.left_session.unread is 'Messages of others that no answer has handed to you yet.';

-- The row stays, so that the history keeps its names; the credential is dead from here on.
create or replace function parley.leave_session(session_id text)
returns parley.left_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat   parley_private.seat := parley_private.lock_standing(session_id);
  v_caller parley.participants := v_seat.participant;
begin
  if v_caller.id is null then
    v_seat := parley_private.find_seat(v_seat.session);
  end if;
  update parley.participants p set left_at = clock_timestamp(), known_status = 'disconnected'
  where p.session_id = v_caller.session_id and p.id = v_caller.id
  returning * into v_caller;

  if (v_seat.session).status = 'active' then
    perform parley_private.announce(v_caller.session_id, 'team_left',
      jsonb_build_object('team', v_caller.team_name, 'handle', v_caller.handle), moves => false);
  end if;
  return row(v_caller.session_id, v_caller.handle, v_caller.left_at, parley_private.unread(v_caller))::parley.left_session;
end;
$$;

grant execute on function parley.leave_session to parley_caller;

comment on function parley.leave_session is $$
@verb POST /sessions/{session_id}/leave
@who team
@toolset core
Leave for good; your team_id stops working.
$$;
