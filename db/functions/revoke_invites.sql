do $$
begin
  create type parley.revoked_invites as (session_id uuid, revoked integer, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.revoked_invites.revoked is 'How many were open.';
comment on column parley.revoked_invites.unread is 'Messages of others that no answer has handed to you yet.';

-- Who came by one stays: remove_team is for them.
create or replace function parley.revoke_invites(session_id text)
returns parley.revoked_invites
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat    parley_private.seat := parley_private.lock_to_lead(session_id);
  v_revoked integer;
begin
  update parley_private.invites i set revoked_at = clock_timestamp()
  where i.session_id = (v_seat.session).id and parley_private.is_alive(i);
  get diagnostics v_revoked = row_count;
  if v_revoked > 0 then
    perform parley_private.audit('invites_revoked', (v_seat.session).id, jsonb_build_object('revoked', v_revoked));
    perform parley_private.notify('doors');
  end if;
  return row((v_seat.session).id, v_revoked, parley_private.unread(v_seat.participant))::parley.revoked_invites;
end;
$$;

grant execute on function parley.revoke_invites to parley_caller;

comment on function parley.revoke_invites is $$
@verb POST /sessions/{session_id}/invites/revoke
@who team
@toolset admin
@idempotent
End all open invitations to the session. For people and the convener.
$$;
