-- A part of the work as a session of its own. The parent hears of it at once, and again when it is concluded: that is what
-- whoever delegates waits for.
create or replace function parley.spawn_session(
  session_id text,
  title text,
  description text,
  team_name text default null,
  carry text default 'none'
)
returns parley.descended_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat   parley_private.seat;
  v_caller parley.participants;
  v_parent parley.sessions;
  v_doc    text := '';
  v_child  parley.descended_session;
begin
  perform parley_private.check_text('title', title, 'title_max');
  perform parley_private.check_text('description', description, 'description_max', may_be_blank => true);
  if team_name is not null then
    perform parley_private.check_text('team_name', team_name, 'team_name_max');
  end if;
  if carry not in ('doc', 'decisions', 'none') then
    perform parley_private.refuse_argument('carry', 'carry must be doc, decisions or none.', 'Leave it out to carry nothing over.');
  end if;

  v_seat := parley_private.lock_seat(session_id);
  v_caller := v_seat.participant;
  v_parent := v_seat.session;
  if carry in ('doc', 'decisions') then
    v_doc := parley_private.doc_text_at(v_parent.id, v_parent.session_doc_version);
  end if;
  if carry = 'decisions' then
    v_doc := coalesce(E'## Decisions\n\n' || parley_private.decisions_of(v_parent, v_doc) || E'\n', '');
  end if;
  v_child := parley_private.descend(
    v_caller, v_parent, 'spawned', v_parent.last_sequence, title, description, coalesce(team_name, v_caller.team_name),
    convert_to(v_doc, 'UTF8'));
  perform parley_private.announce(v_parent.id, 'child_spawned', jsonb_build_object(
    'ref', v_child.ref, 'title', title, 'by', v_caller.team_name, 'handle', v_caller.handle));
  return v_child;
end;
$$;

grant execute on function parley.spawn_session to parley_caller;

comment on function parley.spawn_session is $$
@verb POST /sessions/{session_id}/spawn
@who team
@toolset sessions
@param title -
@param description -
@param team_name Your name there; default: as here.
@param carry doc or decisions.
@unlisted carry, team_name
Delegate to a child session; its conclusion comes to this feed.
$$;
