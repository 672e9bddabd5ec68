-- What the subscription sessionNews is made of, beside the tables that it reads.

-- What makes one version of a document of an earlier one. The next one is as it was stored; several, or one that was stored whole,
-- are compared. Nothing when there is nothing newer, or when it would be as long as a document.
create or replace function parley_private.doc_splice(
  session_id uuid,
  from_version integer,
  to_version integer,
  out start_at integer,
  out removed integer,
  out inserted bytea
)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_old    bytea;
  v_new    bytea;
  v_suffix integer;
begin
  if from_version is null or from_version >= to_version then
    return;
  end if;
  select d.start_at, d.removed, d.inserted into doc_splice.start_at, doc_splice.removed, doc_splice.inserted
  from parley_private.doc_patches d
  where d.session_id = doc_splice.session_id and d.version = to_version and d.version = from_version + 1 and not d.key_frame;
  if not found then
    v_old := parley_private.doc_at(session_id, from_version);
    v_new := parley_private.doc_at(session_id, to_version);
    start_at := parley_private.shared_prefix(v_old, v_new);
    v_suffix := parley_private.shared_suffix(substring(v_old from start_at + 1), substring(v_new from start_at + 1));
    removed := length(v_old) - start_at - v_suffix;
    inserted := substring(v_new from start_at + 1 for length(v_new) - start_at - v_suffix);
  end if;
  if length(inserted) > 65536 then
    inserted := null;
  end if;
end;
$$;

grant execute on function parley_private.doc_splice to parley_caller;

-- Where a session is, for a caller that sees it, and what was written since a version.
create or replace function parley_private.session_position(session_id uuid, told_version integer)
returns table (last_sequence integer, doc_version integer, start_at integer, removed integer, inserted text)
language sql stable
set search_path = ''
as $$
  select s.last_sequence, s.session_doc_version, d.start_at, d.removed, translate(encode(d.inserted, 'base64'), E'\n', '')
  from parley.sessions s
  cross join lateral parley_private.doc_splice(s.id, told_version, s.session_doc_version) d
  where s.id = session_position.session_id;
$$;

grant execute on function parley_private.session_position to parley_caller;

create or replace function parley.sessions_paused_by(session parley.sessions)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return case when session.paused_at is not null then (
    select m.content ->> 'by' from parley.messages m
    where m.session_id = session.id and m.posted_by is null and m.content ->> 'event' = 'session_paused'
    order by m.sequence desc limit 1
  ) end;
end;
$$;

comment on function parley.sessions_paused_by is 'Who has paused it; null while it is not paused.';

-- A key of a post is told to nobody but the person who has posted with it: the page knows its own words by it.
create or replace function parley.messages_own_key(message parley.messages)
returns text
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if message.client_message_id is null or parley_private.shown_hash('cookie') is null then
    return null;
  end if;
  return (
    select message.client_message_id from parley.participants p
    where p.session_id = message.session_id and p.id = message.posted_by and p.kind = 'human'
      and p.user_id = (parley_private.shown_person()).id
  );
end;
$$;

comment on function parley.messages_own_key is 'What you have posted it with as client_message_id; null for what others have posted.';

grant execute on function parley.sessions_paused_by, parley.messages_own_key to parley_caller;
