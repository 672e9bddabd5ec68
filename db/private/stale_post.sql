-- Who says how far it has read does not want to talk past the others: if they have spoken since, the post is refused
-- with what they said.
create or replace function parley_private.refuse_if_stale(seat parley_private.seat, expected_cursor integer)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_cut     integer := parley_private.setting('list_text_max');
  v_session parley.sessions := seat.session;
  v_author  parley.participants := seat.participant;
  v_page    parley_private.page;
begin
  perform parley_private.check_not_ahead('expected_cursor', expected_cursor, v_session.last_sequence);
  if parley_private.unread(v_author, expected_cursor) = 0 then
    return;
  end if;

  -- Some of what others said, however much of the author stands between; the rest comes with the next try.
  v_page := parley_private.page_after(v_session, expected_cursor, v_author.id, 20, v_cut);
  perform parley_private.fail(409, 'stale_post', format('Others have spoken since cursor %s: your message was not posted.', expected_cursor),
    format('Read the messages in details, change yours if they matter, then post it with expected_cursor %s.', v_page.last),
    jsonb_build_object(
      'expected_cursor', expected_cursor,
      'current_cursor', v_session.last_sequence,
      'messages', (
        select jsonb_agg(jsonb_strip_nulls(to_jsonb(f)) order by f.cursor)
        from unnest(parley_private.read_feed(
          v_session.id, expected_cursor, v_page.last, v_author.id, v_cut, picked => v_page.cursors)) f
      ),
      'has_more', v_page.has_more));
end;
$$;

-- Which of the teams that a message is meant for are not there to hear it; null when all are.
create or replace function parley_private.not_listening(author parley.participants, addressed_to text[])
returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(p.handle order by p.id)
  from parley.participants p
  where p.session_id = author.session_id
    and p.id <> author.id
    and (addressed_to is null and p.left_at is null or p.handle = any (addressed_to))
    and parley_private.presence(p) <> 'active';
$$;
