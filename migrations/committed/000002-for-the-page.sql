--! Previous: sha1:5195250349711c4b1ba7a5d34bd1c592b355f51f
--! Hash: sha1:b8ec50ef6d2d899d77e4ba0fc0642cc9027cacbf
--! Message: For the page

--! Included tables/presence_changes.sql
-- When each team came, fell silent, woke up and left: what the picture of a session is drawn from.
create table if not exists parley.presence_changes (
  session_id uuid not null,
  participant_id integer not null,
  at timestamptz not null default clock_timestamp(),
  status text not null,
  constraint presence_changes_are_told_apart_by_time primary key (session_id, participant_id, at),
  constraint presence_changes_belong_to_a_participant foreign key (session_id, participant_id)
    references parley.participants (session_id, id),
  constraint presence_changes_belong_to_a_session foreign key (session_id) references parley.sessions (id)
);

comment on table parley.presence_changes is 'When each team was active, idle or disconnected.';
comment on column parley.presence_changes.status is 'What the team was from then on: active, idle or disconnected.';

alter table parley.presence_changes enable row level security;
alter table parley.presence_changes force row level security;

drop policy if exists presence_changes_are_readable on parley.presence_changes;
create policy presence_changes_are_readable on parley.presence_changes for select to parley_caller using (true);
drop policy if exists presence_changes_are_read_by_the_owner on parley.presence_changes;
create policy presence_changes_are_read_by_the_owner on parley.presence_changes for select to parley_owner using (true);
drop policy if exists presence_changes_are_appended_by_the_owner on parley.presence_changes;
create policy presence_changes_are_appended_by_the_owner on parley.presence_changes for insert to parley_owner with check (true);

grant select on parley.presence_changes to parley_caller;

create or replace function parley_private.tg_participants__record_presence()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into parley.presence_changes (session_id, participant_id, status)
  values (new.session_id, new.id, new.known_status);
  return null;
end;
$$;

drop trigger if exists _400_record_insert on parley.participants;
create trigger _400_record_insert after insert on parley.participants
  for each row execute function parley_private.tg_participants__record_presence();
drop trigger if exists _400_record_update on parley.participants;
create trigger _400_record_update after update on parley.participants
  for each row
  when (old.known_status is distinct from new.known_status)
  execute function parley_private.tg_participants__record_presence();
--! EndIncluded tables/presence_changes.sql
--! Included private/lock_session.sql
-- How every verb of a team that writes begins. The lock on the session row makes writers queue, so that what is
-- checked here (the team is still in, the session still open) holds until they commit. Not "for update": that would
-- also stop whoever only refers to the session, such as the record of presence.
create or replace function parley_private.lock_session(session_id text, even_if_closed boolean default false)
returns parley.participants
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id     uuid := (parley_private.find_session(session_id)).id;
  v_caller parley.participants;
  v_status text;
begin
  select s.status into v_status from parley.sessions s where s.id = v_id for no key update;
  v_caller := parley_private.caller_in(v_id);
  if v_status = 'closed' and not even_if_closed then
    perform parley_private.refuse_closed();
  end if;
  return v_caller;
end;
$$;

create or replace function parley_private.refuse_closed()
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(403, 'session_closed', 'This session is concluded: nothing can be added to it.',
    'Reading still works: get_history and read_session_doc. To go on, create a new session that picks up from the conclusion in this one.');
$$;
--! EndIncluded private/lock_session.sql
--! Included functions/join_session.sql
create or replace function parley.join_session(session_id text, team_name text, replay_from integer default null)
returns parley.joined_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session parley.sessions;
  v_team    record;
  v_cursor  integer;
begin
  perform parley_private.check_text('team_name', team_name, 'team_name_max');
  perform parley_private.check_cursor('replay_from', replay_from);
  v_session := parley_private.find_session(session_id);
  select * into v_session from parley.sessions s where s.id = v_session.id for no key update;
  if v_session.status = 'closed' then
    perform parley_private.refuse_closed();
  end if;
  perform parley_private.check_not_ahead('replay_from', replay_from, v_session.last_sequence);

  v_team := parley_private.admit_team(v_session.id, team_name);
  v_cursor := parley_private.announce(
    v_session.id, 'team_joined', jsonb_build_object('team', team_name, 'handle', v_team.handle));
  v_cursor := coalesce(replay_from, v_cursor);
  update parley.participants p set cursor = v_cursor
  where p.session_id = v_session.id and p.id = v_team.participant_id;

  return row(
    v_session.id,
    v_session.ref,
    v_team.team_id,
    v_team.handle,
    v_cursor,
    parley_private.roster(v_session.id, v_team.participant_id),
    v_session.title,
    v_session.description,
    v_session.session_doc_version
  )::parley.joined_session;
end;
$$;

grant execute on function parley.join_session to parley_caller;

comment on function parley.join_session is $$
@verb POST /sessions/{session_id}/join
@who open
@toolset core
@param session_id The ref of the session, e.g. calm-otter-17, or its uuid.
@param team_name Who you are, e.g. Alexs Team.
@param replay_from Cursor to start reading after: 0 for everything. Default: only what comes from now on.
Join a session by its ref. Keep the team_id: it is your secret in this session. Then wait_for_messages from the cursor.
$$;
--! EndIncluded functions/join_session.sql
--! Included graphql/sessions.sql
-- Fields of the GraphQL type Session that are derived, not stored, and the list that the page shows.
create or replace function parley.sessions_state(session parley.sessions)
returns text
language sql stable
set search_path = ''
as $$
  select case
    when session.status = 'closed' then 'concluded'
    when exists (
      select from parley.participants p
      where p.session_id = session.id and p.known_status <> 'disconnected' and parley_private.presence(p) = 'active'
    ) then 'live'
    else 'quiet'
  end;
$$;

comment on function parley.sessions_state is '@notNull
live while a team is active, concluded after the close, else quiet.';

create or replace function parley.sessions_last_message(session parley.sessions)
returns parley.messages
language sql stable
set search_path = ''
as $$
  select m from parley.messages m where m.session_id = session.id and m.sequence = session.last_sequence;
$$;

comment on function parley.sessions_last_message is 'The newest message; null while there is none.';

create or replace function parley.sessions_last_activity_at(session parley.sessions)
returns timestamptz
language sql stable
set search_path = ''
as $$
  select greatest(
    session.updated_at,
    (select m.posted_at from parley.messages m where m.session_id = session.id and m.sequence = session.last_sequence)
  );
$$;

comment on function parley.sessions_last_activity_at is '@notNull
When something was last posted or written.';

-- Sequences have no gap, so any stretch of the feed is a range of the primary key: the page jumps to a message
-- in a feed of a hundred thousand as fast as to the last one.
create or replace function parley.sessions_feed(session parley.sessions, from_cursor integer, to_cursor integer)
returns setof parley.messages
language sql stable
set search_path = ''
as $$
  select * from parley.messages m
  where m.session_id = session.id and m.sequence between from_cursor and to_cursor
  order by m.sequence;
$$;

comment on function parley.sessions_feed is 'The messages from one cursor to another, both included.';

create or replace function parley.sessions_find_messages(session parley.sessions, search text, team text default null)
returns setof parley.messages
language sql stable
set search_path = ''
as $$
  select m.* from parley.messages m
  left join parley.participants p on p.session_id = m.session_id and p.id = m.posted_by
  where m.session_id = session.id
    and (team is null or p.handle = team)
    and strpos(lower(m.content ->> 'text'), lower(search)) > 0
  order by m.sequence desc;
$$;

comment on function parley.sessions_find_messages is 'The messages that hold a text, newest first; of one team, if its handle is given.';

create or replace function parley.find_sessions(status text default null, search text default null)
returns setof parley.sessions
language sql stable
set search_path = ''
as $$
  select s.* from parley.sessions s
  where (find_sessions.status is null or s.status = find_sessions.status)
    and (search is null or strpos(lower(concat_ws(' ', s.ref, s.title, s.description)), lower(search)) > 0)
  order by parley.sessions_last_activity_at(s) desc, s.id;
$$;

comment on function parley.find_sessions is 'The sessions, those with the newest activity first; of one status (active, closed), or with a text in ref, title or description.';

grant execute on function
  parley.sessions_state,
  parley.sessions_last_message,
  parley.sessions_last_activity_at,
  parley.sessions_feed,
  parley.sessions_find_messages,
  parley.find_sessions
to parley_caller;
--! EndIncluded graphql/sessions.sql
--! Included graphql/exports.sql
-- A whole session to take away: the feed and the document.
create or replace function parley.sessions_as_markdown(session parley.sessions)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n\n',
    '# ' || session.title,
    nullif(session.description, ''),
    format('Session `%s`, %s.', session.ref, session.status),
    '# Document',
    nullif(parley_private.doc_text_at(session.id, session.session_doc_version), ''),
    '# Feed',
    (
      select string_agg(
        format('**%s** · %s · #%s', coalesce(m.team, m.by, 'Parley'), to_char(m.at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), m.cursor)
          || E'\n\n' || coalesce(m.content ->> 'text', m.content::text),
        E'\n\n' order by m.cursor)
      from unnest(parley_private.read_feed(session.id, 0, session.last_sequence, null)) m
    )
  ) || E'\n';
$$;

comment on function parley.sessions_as_markdown is '@cost 5000
@notNull
The document and the whole feed as one markdown text.';

create or replace function parley.sessions_as_json(session parley.sessions)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'session', to_jsonb(session) - 'created_by' - 'version_before_close',
    'participants', (
      select jsonb_agg(to_jsonb(p) - 'you') from unnest(parley_private.roster(session.id, null)) p
    ),
    'document', jsonb_build_object(
      'version', session.session_doc_version,
      'content', parley_private.doc_text_at(session.id, session.session_doc_version)
    ),
    'messages', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(m) - 'mine') order by m.cursor), '[]')
      from unnest(parley_private.read_feed(session.id, 0, session.last_sequence, null)) m
    )
  );
$$;

comment on function parley.sessions_as_json is '@cost 5000
@notNull
Session, roster, document and the whole feed as data.';

grant execute on function parley.sessions_as_markdown, parley.sessions_as_json to parley_caller;
--! EndIncluded graphql/exports.sql
--! Included graphql/update_setting.sql
-- For people, on the settings page: no verb, so that no agent is offered it as a tool. Checked by the trigger of the table.
create or replace function parley.update_setting(name text, value jsonb)
returns parley.settings
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_setting parley.settings;
begin
  update parley.settings s set value = update_setting.value
  where s.name = update_setting.name
  returning * into v_setting;
  if not found then
    perform parley_private.fail(404, 'setting_not_found', 'There is no setting of this name.', 'The settings are rows of the table settings.');
  end if;
  return v_setting;
end;
$$;

grant execute on function parley.update_setting to parley_caller;

comment on function parley.update_setting is 'Change a setting. It applies at once, on every replica.';
--! EndIncluded graphql/update_setting.sql
