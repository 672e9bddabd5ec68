do $$
begin
  create type parley.joined_session as (
    session_id uuid,
    ref text,
    team_id text,
    handle text,
    cursor integer,
    participants parley.roster_entry[],
    title text,
    description text,
    doc_version integer,
    unread integer,
    handoff parley.handoff,
    earlier parley.earlier,
    briefing parley.briefing
  );
exception when duplicate_object then null;
end $$;
comment on column parley.joined_session.team_id is 'The secret of this team in this session. It is shown once.';
comment on column parley.joined_session.participants is '@notNull';
comment on column parley.joined_session.cursor is 'Where to start waiting from.';
comment on column parley.joined_session.unread is 'Messages of others that no answer has handed to you yet.';
comment on column parley.joined_session.handoff is '@optional
The session that this one continues.';
comment on column parley.joined_session.earlier is '@optional
What was said before you came: get_digest has it in short, get_history in full.';
comment on column parley.joined_session.briefing is 'What to know before you begin; catch_up tells it again.';

create or replace function parley.join_session(
  session_id text,
  team_name text,
  replay_from integer default null,
  idempotency_key text default null,
  rejoin boolean default null,
  about jsonb default null
)
returns parley.joined_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key         bytea;
  v_fingerprint bytea;
  v_session     parley.sessions;
  v_seen        integer;
  v_roster      parley.roster_entry[];
  v_document    parley.briefing;
  v_team        record;
  v_cursor      integer;
  v_caller      parley.participants;
begin
  perform parley_private.check_text('team_name', team_name, 'team_name_max');
  perform parley_private.check_cursor('replay_from', replay_from);
  perform parley_private.check_key('idempotency_key', idempotency_key);
  perform parley_private.check_about(about);
  v_fingerprint := parley_private.fingerprint_of(team_name, replay_from::text);
  perform parley_private.open_door();
  v_session := parley_private.find_session_to_join(session_id, team_name, idempotency_key, rejoin);
  -- Before the lock, since it may be long: those who come or go meanwhile are looked up again under it.
  select s.last_sequence, parley_private.roster(s.id, null) into v_seen, v_roster from parley.sessions s where s.id = v_session.id;
  v_document := parley_private.doc_in_short(v_session);
  select * into v_session from parley.sessions s where s.id = v_session.id for no key update;
  v_key := parley_private.take_team_key('join_session', v_session.id, idempotency_key);

  v_team := parley_private.team_again(v_key, v_fingerprint);
  if v_team.team_id is null and rejoin then
    v_team := parley_private.rejoin_team(v_session.id, team_name);
  end if;
  if v_team.team_id is null then
    perform parley_private.refuse_if_closed(v_session);
    perform parley_private.check_not_ahead('replay_from', replay_from, v_session.last_sequence);
    perform parley_private.refuse_if_paused(parley_private.seat_of_reader(v_session, team_name, 'agent'));
    perform parley_private.use_invite(v_session);
    v_team := parley_private.admit_team(v_session.id, team_name);
    perform parley_private.keep_team_key(v_key, v_fingerprint, v_session.id, v_team.participant_id);
    v_cursor := parley_private.announce(
      v_session.id, 'team_joined', jsonb_strip_nulls(jsonb_build_object('team', team_name, 'handle', v_team.handle, 'guest', nullif(v_team.guest, false))));
    v_cursor := coalesce(replay_from, v_cursor);
    update parley.participants p set cursor = v_cursor, started_from = v_cursor
    where p.session_id = v_session.id and p.id = v_team.participant_id;
  end if;
  perform parley_private.introduce(v_session.id, v_team.participant_id, about);
  select * into v_caller from parley.participants p where p.session_id = v_session.id and p.id = v_team.participant_id;

  return row(
    v_session.id,
    v_session.ref,
    v_team.team_id,
    v_team.handle,
    v_caller.cursor,
    parley_private.roster_since(v_roster, v_seen, v_caller),
    v_session.title,
    v_session.description,
    v_session.session_doc_version,
    parley_private.unread(v_caller),
    -- What was said elsewhere is not for whoever was let into this one alone.
    case when not v_caller.guest then parley_private.handoff_of(v_session.id) end,
    parley_private.earlier(v_session),
    parley_private.briefing(v_session, v_caller, v_document)
  )::parley.joined_session;
end;
$$;

grant execute on function parley.join_session to parley_caller;

comment on function parley.join_session is $$
@verb POST /sessions/{session_id}/join
@who open
@toolset core
@clamped
@param session_id Its ref, e.g. calm-otter-17.
@param team_name -
@param replay_from Read from here; 0: all.
@param idempotency_key Random secret; repeat to retry.
@param rejoin Under your key: the team of this name again.
@param about As in update_team.
@schema about {"type": "object", "properties": {}}
@secret invite From an invitation link.
@unlisted invite, rejoin, about
Join a session by its ref. Keep the team_id, your secret; then wait_for_messages.
$$;
