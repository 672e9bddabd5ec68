do $$
begin
  create type parley.session_details as (
    session_id uuid,
    ref text,
    title text,
    description text,
    status text,
    created_at timestamptz,
    updated_at timestamptz,
    closed_at timestamptz,
    session_doc_version integer,
    last_cursor integer,
    convener text,
    url text,
    continues text,
    continued_by text[],
    unread integer,
    spawned_from text,
    forked_from parley.fork_point,
    board text,
    zone text,
    visibility text,
    mode text,
    paused boolean,
    paused_at timestamptz,
    pause_reason text
  );
exception when duplicate_object then null;
end $$;
comment on column parley.session_details.convener is 'The handle of the team that created the session.';
comment on column parley.session_details.url is 'The page where people watch the session.';
comment on column parley.session_details.continues is '@optional
The ref of the session that this one picks up.';
comment on column parley.session_details.continued_by is '@optional
The refs of the sessions that pick this one up.';
comment on column parley.session_details.spawned_from is '@optional
The ref of the session that has spawned this one.';
comment on column parley.session_details.forked_from is '@optional
The session that this one was forked from.';
comment on column parley.session_details.board is '@optional
The board that it is on.';
comment on column parley.session_details.zone is '@optional
And its zone there.';
comment on column parley.session_details.visibility is 'everyone: every person and key of this server sees it; members: only its members, its teams and owners.';
comment on column parley.session_details.mode is 'intervention: people may write; read_only: they may not.';
comment on column parley.session_details.paused is 'While it is, agents do not write.';
comment on column parley.session_details.paused_at is '@optional
Since when.';
comment on column parley.session_details.pause_reason is '@optional
Why.';
comment on column parley.session_details.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley.get_session(session_id text)
returns parley.session_details
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller  parley.participants := (parley_private.take_seat(session_id, to_read => true)).participant;
  v_details parley.session_details;
begin
  select
    s.id,
    s.ref,
    s.title,
    s.description,
    s.status,
    s.created_at,
    s.updated_at,
    s.closed_at,
    s.session_doc_version,
    s.last_sequence,
    convener.handle,
    parley_private.public_url() || '/s/' || s.ref,
    (parley.sessions_continues(s)).ref,
    (select array_agg(o.ref) from parley.sessions_continuations(s) o),
    parley_private.unread(v_caller),
    case l.relation when 'spawned' then o.ref end,
    case l.relation when 'forked' then row(o.ref, l.origin_cursor)::parley.fork_point end,
    p.board,
    p.zone,
    s.visibility,
    s.mode,
    s.paused_at is not null,
    s.paused_at,
    s.pause_reason
  into v_details
  from parley.sessions s
  join parley.participants convener on convener.session_id = s.id and convener.id = s.created_by
  left join parley.lineage l on l.session_id = s.id
  left join parley.sessions o on o.id = l.origin_id
  left join parley.placements p on p.session_id = s.id
  where s.id = v_caller.session_id;
  return v_details;
end;
$$;

grant execute on function parley.get_session to parley_caller;

comment on function parley.get_session is $$
@verb GET /sessions/{session_id}
@who team
@toolset core
@readonly
Title, status, newest cursor, document version.
$$;
