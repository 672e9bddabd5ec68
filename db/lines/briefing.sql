-- The briefing as lines: what it takes to go on, in some hundred tokens, whatever the texts are. Letters beyond ASCII cost more
-- tokens each, so that of a text that is full of them fewer are shown.
create or replace function parley_private.in_short(text text, longest integer)
returns text
language sql immutable
set search_path = ''
as $$
  select parley_private.on_one_line(text, greatest((longest * char_length(start)::numeric / greatest(octet_length(start), 1))::integer, 20))
  from left(text, longest) as start;
$$;

create or replace function parley_private.briefing_team_as_line(team parley.briefing_team)
returns text
language sql immutable
set search_path = ''
as $$
  select format('team %s (%s): %s', team.handle,
    concat_ws(', ',
      case when team.you then 'you' end,
      case when team.convener then 'convener' end,
      nullif(team.kind, 'agent'),
      team.activity),
    parley_private.in_short(coalesce(parley_private.first_sentence(team.doing, 80), team.team_name), 80));
$$;

create or replace function parley_private.message_in_short(message parley.feed_message)
returns text
language sql stable
set search_path = ''
as $$
  select format('#%s ', message.cursor) || case message.type
    when 'system' then concat_ws(' ', '*', message.event, message.handle)
      || parley_private.in_short(parley_private.event_as_text(message.event, message.content), 90)
    else concat_ws(' ',
      message.handle,
      case when message.sender = 'human' then '(human)' end,
      nullif(message.kind, 'message'),
      '→' || array_to_string(message.to, ',')
    ) || ': ' || parley_private.in_short(message.content ->> 'text', 80)
  end;
$$;

-- Headings with as many hashes as they have levels, where the document has several.
create or replace function parley_private.outline_as_line(outline parley.heading[])
returns text
language sql immutable
set search_path = ''
as $$
  select 'outline: ' || string_agg(repeat('#', o.level) || ' ' || parley_private.in_short(o.title, 40), '; ' order by o.nth)
    || case when cardinality(outline) > 12 then format('; and %s more', cardinality(outline) - 12) else '' end
  from unnest(outline) with ordinality as o (level, title, nth)
  where o.nth <= 12;
$$;

-- Of each list the first few; what is left out is counted at the end.
create or replace function parley_private.briefing_as_lines(briefing parley.briefing)
returns text
language sql stable
set search_path = ''
as $$
  select nullif(concat_ws(E'\n',
    (select string_agg(parley_private.briefing_team_as_line(t.team), E'\n' order by t.nth)
      from (select briefing.teams[i] as team, i as nth from generate_subscripts(briefing.teams, 1) i where i <= 6) t),
    (select string_agg(
        format('open #%s %s: %s', q.cursor, concat_ws(' ', q.handle, case when q.to is not null then '→you' end), parley_private.in_short(q.text, 90)),
        E'\n' order by q.place)
      from (select n.*, row_number() over (order by n.to is null, n.cursor desc) as place from unnest(briefing.questions) n) q
      where q.place <= 3),
    (select string_agg(format('decided #%s %s: %s', d.cursor, d.handle, parley_private.in_short(d.text, 90)), E'\n' order by i)
      from generate_subscripts(briefing.decisions, 1) i, lateral (select (briefing.decisions[i]).*) d where i <= 3),
    'decided in the document: ' || parley_private.in_short(parley_private.last_lines(briefing.decided, 160), 160),
    parley_private.outline_as_line(briefing.outline),
    (select string_agg(parley_private.message_in_short(briefing.messages[i]), E'\n' order by i)
      from generate_subscripts(briefing.messages, 1) i where i > cardinality(briefing.messages) - 4),
    'left out: ' || nullif(concat_ws(', ',
      'teams ' || nullif(coalesce((briefing.left_out).teams, 0) + greatest(cardinality(briefing.teams) - 6, 0), 0),
      'questions ' || nullif(coalesce((briefing.left_out).questions, 0) + greatest(cardinality(briefing.questions) - 3, 0), 0),
      'decisions ' || nullif(coalesce((briefing.left_out).decisions, 0) + greatest(cardinality(briefing.decisions) - 3, 0), 0),
      'unread ' || nullif(coalesce((briefing.left_out).messages, 0) + greatest(cardinality(briefing.messages) - 4, 0), 0)), '')
      || '; get_digest and wait_for_messages have more'), '');
$$;

create or replace function parley_private.caught_up_as_text(answer parley.caught_up)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref, 'handle ' || answer.handle, 'cursor ' || answer.cursor, 'last_cursor ' || answer.last_cursor,
      'unread ' || answer.unread, 'doc v' || answer.doc_version, 'closed ' || parley_private.yes_or_no(answer.status = 'closed')),
    'title: ' || parley_private.in_short(answer.title, 100),
    'description: ' || parley_private.in_short(nullif(answer.description, ''), 200),
    parley_private.briefing_as_lines(row(
      answer.teams, answer.questions, answer.decisions, answer.decided, answer.outline, answer.messages, answer.left_out)::parley.briefing));
$$;

grant execute on function
  parley_private.in_short,
  parley_private.briefing_team_as_line,
  parley_private.message_in_short,
  parley_private.outline_as_line,
  parley_private.briefing_as_lines,
  parley_private.caught_up_as_text
to parley_caller;

comment on type parley.caught_up is '@text parley_private.caught_up_as_text
What to know before going on.';
