-- A message in as few words as tell everything: as JSON it would cost an agent four times as much.
-- Whatever a team wrote stays on the line or is indented below it, so that nobody can write a line that looks like the message of another.
create or replace function parley_private.as_line(message parley.feed_message)
returns text
language sql stable
set search_path = ''
as $$
  select format('#%s %s ', message.cursor, to_char(message.at at time zone 'UTC', 'HH24:MI')) || case message.type
    when 'system' then concat_ws(' ', '*', message.event, message.handle) || parley_private.event_as_text(message.event, message.content)
    else parley_private.indented(
      concat_ws(' ',
        message.handle,
        parley_private.mark_of(message.sender, message.guest),
        case when message.kind <> 'message' then '[' || message.kind || ']' end,
        'to ' || array_to_string(message.to, ', '),
        're #' || message.reply_to_cursor,
        case when message.expects_reply then '(expects a reply)' end
      ) || ': ' || (message.content ->> 'text')
        || case when message.truncated then format(' … (cut, %s characters in all)', message.text_length) else '' end)
  end;
$$;

grant execute on function parley_private.as_line to parley_caller;

create or replace function parley.feed_resource(ref text)
returns text
language sql stable
set search_path = ''
as $$
  with session as (
    select s.*, greatest(s.last_sequence - 100, 0) as after_cursor from parley_private.find_session(feed_resource.ref) s
  ),
  feed as (
    select m.cursor, parley_private.as_line(m) as line, (m.at at time zone 'UTC')::date as day
    from session s,
      unnest(parley_private.read_feed(s.id, s.after_cursor, s.last_sequence, null, parley_private.setting('list_text_max'))) m
  ),
  dated as (
    select cursor, concat_ws(E'\n', nullif(day, lag(day) over (order by cursor))::text, line) as line from feed
  )
  select concat_ws(E'\n',
    case when s.last_sequence = 0
      then format('%s (%s): no messages yet.', s.ref, s.status)
      else format('%s (%s): messages %s to %s. #cursor, time in UTC, who: text.', s.ref, s.status, s.after_cursor + 1, s.last_sequence)
    end,
    (select string_agg(line, E'\n' order by cursor) from dated)
  )
  from session s;
$$;

grant execute on function parley.feed_resource to parley_caller;

comment on function parley.feed_resource is $$
@resource parley://sessions/{ref}/feed text/plain
@topic feed {ref}
@behavior -*
@name session-feed
@title Feed of a session
The newest 100 messages of a session, a line each.
$$;
