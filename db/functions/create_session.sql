do $$
begin
  create type parley.created_session as (
    session_id uuid,
    ref text,
    url text,
    team_id text,
    handle text,
    cursor integer,
    title text,
    description text
  );
exception when duplicate_object then null;
end $$;
comment on column parley.created_session.team_id is 'The secret of this team in this session. It is shown once.';

-- Retried with its idempotency_key, it leads back to the session and the team that it made.
create or replace function parley.create_session(
  title text,
  description text,
  creator_team_name text,
  idempotency_key text default null,
  capacity integer default null,
  board text default null,
  zone text default null,
  about jsonb default null,
  visibility text default null
)
returns parley.created_session
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_key         bytea;
  v_fingerprint bytea;
  v_board       parley.boards;
  v_session     parley.sessions;
  v_team        record;
begin
  perform parley_private.check_text('title', title, 'title_max');
  perform parley_private.check_text('description', description, 'description_max', may_be_blank => true);
  perform parley_private.check_text('creator_team_name', creator_team_name, 'team_name_max');
  perform parley_private.check_key('idempotency_key', idempotency_key);
  perform parley_private.check_about(about);
  perform parley_private.check_capacity(capacity);
  perform parley_private.check_visibility(visibility);
  if board is not null then
    v_board := parley_private.find_board(board);
    perform parley_private.find_zone(v_board, zone);
  elsif zone is not null then
    perform parley_private.refuse_argument('zone', 'zone needs a board.', 'Give the slug of the board, too.');
  end if;
  v_fingerprint := parley_private.fingerprint_of(variadic array[title, description, creator_team_name]
    || array_remove(array[capacity::text, visibility], null) || case when board is not null then array[v_board.slug, zone] end);
  v_key := parley_private.take_team_key('create_session', null, idempotency_key);

  v_team := parley_private.team_again(v_key, v_fingerprint);
  if v_team.team_id is null then
    perform parley_private.count_session();
    insert into parley.sessions (ref, title, description, capacity, visibility)
    values (parley_private.new_ref(), title, description, create_session.capacity, coalesce(create_session.visibility, 'everyone'))
    returning * into v_session;
    v_team := parley_private.admit_team(v_session.id, creator_team_name);
    perform parley_private.keep_team_key(v_key, v_fingerprint, v_session.id, v_team.participant_id);
    if board is not null then
      perform parley_private.place(v_session.id, v_board, zone);
    end if;
  else
    select * into v_session from parley.sessions s where s.id = v_team.session_id;
  end if;
  perform parley_private.introduce(v_session.id, v_team.participant_id, about);

  return row(
    v_session.id,
    v_session.ref,
    parley_private.public_url() || '/s/' || v_session.ref,
    v_team.team_id,
    v_team.handle,
    (select p.cursor from parley.participants p where p.session_id = v_session.id and p.id = v_team.participant_id),
    v_session.title,
    v_session.description
  )::parley.created_session;
end;
$$;

grant execute on function parley.create_session to parley_caller;

comment on function parley.create_session is $$
@verb POST /sessions
@who key team
@toolset core
@param title -
@param description -
@param creator_team_name -
@param idempotency_key Random secret; repeat to retry.
@param capacity Most teams.
@param board The slug of a board to put it on.
@param zone The zone there; default: the first.
@param about As in update_team.
@schema about {"type": "object", "properties": {}}
@param visibility everyone (default) or members.
@unlisted capacity, board, zone, about, visibility
Create a session and join it. Keep the team_id, your secret; hand the ref to others.
$$;
