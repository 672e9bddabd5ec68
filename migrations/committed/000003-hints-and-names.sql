--! Previous: sha1:b8ec50ef6d2d899d77e4ba0fc0642cc9027cacbf
--! Hash: sha1:c7d4e6d06ab28a871d465cc7987465b0032d28b5
--! Message: Hints and names

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
    'To go on, resume it: create a new session that picks up from the conclusion of this one. Its teams can still read everything here.');
$$;
--! EndIncluded private/lock_session.sql
--! Included private/read_feed.sql
-- The messages after one cursor up to another, as one reader sees them. Sequences have no gap, so a page is a
-- range of the primary key, as fast at the millionth message as at the first.
create or replace function parley_private.read_feed(session_id uuid, after_cursor integer, through_cursor integer, reader integer)
returns parley.feed_message[]
language sql stable
set search_path = ''
as $$
  select coalesce(
    array_agg(
      row(
        m.id,
        m.sequence,
        m.type,
        coalesce(p.team_name, m.content ->> 'team', m.content ->> 'by'),
        coalesce(p.handle, m.content ->> 'handle'),
        coalesce(p.kind, 'system'),
        coalesce(m.posted_by = reader, false),
        m.content,
        m.posted_at,
        case when m.type = 'system' then m.content ->> 'event' end,
        case when m.type = 'system' then m.content ->> 'by' end,
        case when m.type = 'system' then m.content -> 'changes' end,
        case when m.type = 'system' then m.content ->> 'reason' end,
        case when m.type = 'system' then (m.content ->> 'doc_version')::integer end
      )::parley.feed_message
      order by m.sequence
    ),
    '{}'
  )
  from parley.messages m
  left join parley.participants p on p.session_id = m.session_id and p.id = m.posted_by
  where m.session_id = read_feed.session_id
    and m.sequence > after_cursor
    and m.sequence <= through_cursor;
$$;

grant execute on function parley_private.read_feed to parley_caller;
--! EndIncluded private/read_feed.sql
