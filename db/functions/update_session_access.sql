do $$
begin
  create type parley.session_access as (session_id uuid, visibility text, mode text, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.session_access.unread is 'Messages of others that no answer has handed to you yet.';

-- Who sees the session, and whether people may write in it. Whoever loses sight of it is let go at once (doors), and a list that
-- it goes from is read again (sessions).
create or replace function parley.update_session_access(session_id text, visibility text default null, mode text default null)
returns parley.session_access
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_old     parley.sessions;
  v_new     parley.sessions;
  v_changes jsonb;
begin
  if visibility is null and mode is null then
    perform parley_private.refuse_argument('visibility', 'Give a visibility, a mode, or both.',
      'visibility is everyone or members, mode is intervention or read_only.');
  end if;
  perform parley_private.check_visibility(visibility);
  if mode not in ('intervention', 'read_only') then
    perform parley_private.refuse_argument('mode', 'mode must be intervention or read_only.', 'intervention: people may write; read_only: they may not.');
  end if;
  v_seat := parley_private.lock_standing(session_id);
  v_old := v_seat.session;
  perform parley_private.refuse_unless_own(v_seat);
  perform parley_private.refuse_if_paused(v_seat);

  update parley.sessions s set
    visibility = coalesce(update_session_access.visibility, s.visibility),
    mode = coalesce(update_session_access.mode, s.mode)
  where s.id = v_old.id
  returning * into v_new;
  select jsonb_object_agg(change.name, jsonb_build_object('from', change.old, 'to', change.new)) into v_changes
  from (values ('visibility', v_old.visibility, v_new.visibility), ('mode', v_old.mode, v_new.mode)) as change (name, old, new)
  where change.new <> change.old;
  if v_changes is not null then
    if v_new.status = 'active' then
      perform parley_private.announce(v_new.id, 'session_access_updated', jsonb_strip_nulls(jsonb_build_object(
        'by', (v_seat.participant).team_name, 'handle', (v_seat.participant).handle, 'changes', v_changes)));
    end if;
    perform parley_private.audit('session_access_updated', v_new.id, v_changes);
  end if;
  if v_changes ? 'visibility' then
    perform parley_private.notify('doors'), parley_private.notify('sessions');
  end if;
  return row(v_new.id, v_new.visibility, v_new.mode, parley_private.unread(v_seat.participant))::parley.session_access;
end;
$$;

create or replace function parley_private.check_visibility(visibility text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if visibility not in ('everyone', 'members') then
    perform parley_private.refuse_argument('visibility', 'visibility must be everyone or members.',
      'everyone: every person and key of this server sees it; members: only its members, its teams and owners.');
  end if;
end;
$$;

-- The convener, whoever opened the convening team, and owners.
create or replace function parley_private.refuse_unless_own(seat parley_private.seat)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_person parley_private.users := parley_private.shown_person();
begin
  if (seat.participant).kind = 'agent' and (seat.participant).id = (seat.session).created_by
    or (seat.participant).kind = 'human' and (v_person.role = 'owner' or exists (
      select from parley.participants p
      where p.session_id = (seat.session).id and p.id = (seat.session).created_by and p.user_id = v_person.id)) then
    return;
  end if;
  perform parley_private.fail(403, 'convener_only', 'Only its convener, or an owner, says who sees a session and who writes in it.', 'Ask one of them.');
end;
$$;

grant execute on function parley.update_session_access to parley_caller;

comment on function parley.update_session_access is $$
@verb POST /sessions/{session_id}/access
@who team
@toolset admin
@param visibility everyone or members.
@param mode intervention (people may write) or read_only.
Say who sees the session and whether people write in it; for its convener and owners.
$$;
