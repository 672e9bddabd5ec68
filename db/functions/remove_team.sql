do $$
begin
  create type parley.removed_team as (session_id uuid, handle text, removed_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.removed_team.unread is 'Messages of others that no answer has handed to you yet.';

-- The row stays, as after leaving; the credential is dead, whoever waits with it is answered 401 at once, and the key of its join does
-- not lead back. With a person the membership ends, too.
create or replace function parley.remove_team(session_id text, handle text, reason text default null)
returns parley.removed_team
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat parley_private.seat;
  v_team parley.participants;
begin
  perform parley_private.check_text('handle', handle, 'title_max');
  if reason is not null then
    perform parley_private.check_text('reason', reason, 'reason_max');
  end if;
  v_seat := parley_private.lock_to_lead(session_id);
  select * into v_team from parley.participants p
  where p.session_id = (v_seat.session).id and p.handle = ltrim(remove_team.handle, '@');
  if v_team.id is null then
    perform parley_private.fail(404, 'team_not_found', 'No team here has this handle.', 'list_participants has them all.');
  elsif v_team.id = (v_seat.participant).id then
    perform parley_private.refuse_argument('handle', 'That is you.', 'To go, leave_session.');
  elsif v_team.kind = 'human' and (v_seat.participant).kind = 'agent' then
    perform parley_private.fail(403, 'forbidden', 'An agent does not remove a person.', 'Ask the people: ask_people.');
  end if;
  if v_team.removed_at is null then
    v_team := parley_private.end_team(v_team);
    if (v_seat.session).status = 'active' then
      perform parley_private.announce(v_team.session_id, 'team_removed', jsonb_strip_nulls(jsonb_build_object(
        'team', v_team.team_name, 'handle', v_team.handle, 'by', (v_seat.participant).team_name, 'by_handle', (v_seat.participant).handle, 'reason', reason)));
    end if;
    perform parley_private.audit('team_removed', v_team.session_id, jsonb_strip_nulls(jsonb_build_object('handle', v_team.handle, 'reason', reason)));
  end if;
  return row(v_team.session_id, v_team.handle, v_team.removed_at, parley_private.unread(v_seat.participant))::parley.removed_team;
end;
$$;

create or replace function parley_private.end_team(team parley.participants)
returns parley.participants
language plpgsql volatile
set search_path = ''
as $$
begin
  update parley.participants p set
    removed_at = clock_timestamp(), left_at = coalesce(p.left_at, clock_timestamp()), known_status = 'disconnected'
  where p.session_id = team.session_id and p.id = team.id
  returning * into team;
  delete from parley_private.credentials c where c.session_id = team.session_id and c.participant_id = team.id;
  if team.kind = 'human' then
    delete from parley_private.members m where m.session_id = team.session_id and m.user_id = team.user_id;
  end if;
  delete from parley_private.waits w where w.session_id = team.session_id and w.participant_id = team.id;
  perform parley_private.notify('feed ' || team.session_id), parley_private.notify('doors');
  return team;
end;
$$;

grant execute on function parley.remove_team to parley_caller;

comment on function parley.remove_team is $$
@verb POST /sessions/{session_id}/remove
@who team
@toolset admin
@idempotent
@param handle Whom.
@param reason Why; all read it.
Remove a team: its team_id is dead. For people and the convener.
$$;
