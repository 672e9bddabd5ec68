-- The briefing as lines: what it takes to go on, in some hundred tokens, whatever was written and however much.

-- About how many tokens a text takes, rather too many than too few: capitals, digits and signs take more than the letters of words, so do
-- spaces behind them, words of one or two letters and letters that make no word; what is beyond ASCII takes most, above all where hardly
-- anybody writes it: combining marks, rare scripts.
create or replace function parley_private.about_tokens(text text)
returns integer
language sql immutable
return ceil(char_length(text) / 3.5 + 0.8 * (octet_length(text) - char_length(text))
  + 0.6 * char_length(regexp_replace(text, '[^!-`{-~]+', '', 'g'))
  + 0.6 * regexp_count(text, '[^a-z] ')
  + 0.4 * regexp_count(text, '(^|\s)\S{1,2}(?=\s|$)')
  + 0.35 * char_length(regexp_replace(text, '([bcdfghjklmnpqrstvwxz]{4,})|.', '\1', 'gi'))
  + case when octet_length(text) = char_length(text) then 0 else 1.3 * char_length(regexp_replace(text,
    '[\u0001-\u00ff\u0370-\u0482\u048a-\u052f\u0590-\u06ff\u0900-\u097f\u0e00-\u0e7f\u1e00-\u1eff\u2010-\u2027\u2030-\u203a\u20ac\u2190-\u2193\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff65]+',
    '', 'g')) end)::integer;

-- How many characters of a text take as many tokens as so many of plain English.
create or replace function parley_private.as_long_as(text text, longest integer)
returns integer
language sql immutable
return greatest(longest * longest / 3.5 / greatest(parley_private.about_tokens(rpad(left(text, longest), longest)), 1), 16)::integer;

create or replace function parley_private.in_short(text text, longest integer)
returns text
language sql immutable
set search_path = ''
as $$
  select parley_private.on_one_line(text, parley_private.as_long_as(text, longest));
$$;

-- 1, 2, 3 and 95 more
create or replace function parley_private.numbers_in_short(numbers integer[])
returns text
language sql immutable
set search_path = ''
as $$
  select array_to_string(numbers[:5], ', ') || case when cardinality(numbers) > 5 then format(' and %s more', cardinality(numbers) - 5) else '' end;
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

-- Of every list the first few, in turns, as long as there is room; what is left out is counted at the end.
create or replace function parley_private.briefing_as_lines(briefing parley.briefing, room integer)
returns text
language sql stable
set search_path = ''
as $$
  with line (part, place, text) as (
    select 'teams', i, parley_private.briefing_team_as_line(briefing.teams[i])
    from generate_subscripts(briefing.teams, 1) i where i <= 6
    union all
    select 'work', 1, 'tasks: ' || nullif(concat_ws(', ',
      'open ' || nullif(w.open, 0), 'blocked ' || nullif(w.blocked, 0), 'claimed ' || nullif(w.claimed, 0), 'done ' || nullif(w.done, 0)), '')
    from (select ((briefing.tasks).work).*) w
    union all
    select 'mine', i, format('task %s yours: %s', t.task, parley_private.in_short(t.title, 70))
    from generate_subscripts((briefing.tasks).mine, 1) i, lateral (select ((briefing.tasks).mine[i]).*) t where i <= 4
    union all
    select 'open', i, format('task %s open%s: %s', t.task, ' p' || nullif(t.priority, 0), parley_private.in_short(t.title, 70))
    from generate_subscripts((briefing.tasks).open, 1) i, lateral (select ((briefing.tasks).open[i]).*) t where i <= 3
    union all
    select 'blocked', i, format('task %s blocked%s: %s', t.task, ' by ' || parley_private.numbers_in_short(t.blocked_by), parley_private.in_short(t.title, 70))
    from generate_subscripts((briefing.tasks).blocked, 1) i, lateral (select ((briefing.tasks).blocked[i]).*) t where i <= 2
    union all
    select 'questions', q.place, format('open #%s %s: %s', q.cursor,
      concat_ws(' ', q.handle, case when q.to is not null then '→you' end), parley_private.in_short(q.text, 90))
    from (select n.*, row_number() over (order by n.to is null, n.cursor desc)::integer as place from unnest(briefing.questions) n) q
    where q.place <= 4
    union all
    select 'decisions', i, format('decided #%s %s: %s', d.cursor, d.handle, parley_private.in_short(d.text, 90))
    from generate_subscripts(briefing.decisions, 1) i, lateral (select (briefing.decisions[i]).*) d where i <= 4
    union all
    select 'decided', 1, 'decided in the document: ' || parley_private.in_short(parley_private.last_lines(briefing.decided, 160), 160)
    union all
    select 'outline', 1, parley_private.outline_as_line(briefing.outline)
    union all
    -- The newest is the last to be left out.
    select 'unread', cardinality(briefing.messages) + 1 - i, parley_private.message_in_short(briefing.messages[i])
    from generate_subscripts(briefing.messages, 1) i where i > cardinality(briefing.messages) - 4
  ),
  shown as (
    select * from (
      select l.*, p.nth, sum(parley_private.about_tokens(l.text)) over (order by l.place, p.nth) as taken
      from line l
      join unnest(array['teams', 'work', 'mine', 'open', 'blocked', 'questions', 'decisions', 'decided', 'outline', 'unread'])
        with ordinality as p (part, nth) on p.part = l.part
      where l.text is not null
    ) l
    where l.taken <= room
  ),
  left_out as (
    select concat_ws(', ',
      'teams ' || nullif(coalesce((briefing.left_out).teams, 0) + cardinality(briefing.teams) - count(*) filter (where s.part = 'teams'), 0),
      'questions ' || nullif(coalesce((briefing.left_out).questions, 0) + cardinality(briefing.questions) - count(*) filter (where s.part = 'questions'), 0),
      'decisions ' || nullif(coalesce((briefing.left_out).decisions, 0) + cardinality(briefing.decisions) - count(*) filter (where s.part = 'decisions'), 0),
      'unread ' || nullif(coalesce((briefing.left_out).messages, 0) + cardinality(briefing.messages) - count(*) filter (where s.part = 'unread'), 0)) as what
    from shown s
  )
  select nullif(concat_ws(E'\n',
    (select string_agg(s.text, E'\n' order by s.nth, case s.part when 'unread' then -s.place else s.place end) from shown s),
    'left out: ' || nullif(left_out.what, '') || '; get_digest and wait_for_messages have more'), '')
  from left_out;
$$;

create or replace function parley_private.caught_up_as_text(answer parley.caught_up)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n', head.lines, parley_private.briefing_as_lines(row(
    answer.teams, answer.questions, answer.decisions, answer.decided, answer.outline, answer.messages, answer.left_out, answer.tasks)::parley.briefing,
    greatest(650 - parley_private.about_tokens(head.lines), 80)))
  from concat_ws(E'\n',
    concat_ws(' · ',
      'ref ' || answer.ref, 'handle ' || answer.handle, 'cursor ' || answer.cursor, 'last_cursor ' || answer.last_cursor,
      'unread ' || answer.unread, 'doc v' || answer.doc_version, 'closed ' || parley_private.yes_or_no(answer.status = 'closed')),
    'title: ' || parley_private.in_short(answer.title, 100),
    'description: ' || parley_private.in_short(nullif(answer.description, ''), 200)) as head (lines);
$$;

grant execute on function
  parley_private.about_tokens,
  parley_private.as_long_as,
  parley_private.in_short,
  parley_private.numbers_in_short,
  parley_private.briefing_team_as_line,
  parley_private.message_in_short,
  parley_private.outline_as_line,
  parley_private.briefing_as_lines,
  parley_private.caught_up_as_text
to parley_caller;

comment on type parley.caught_up is '@text parley_private.caught_up_as_text
What to know before going on.';
