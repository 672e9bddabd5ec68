-- The digest as lines, for a team that comes back: what it is asked, where the others stand, what was agreed, what was
-- written. Few lines, unless it asked for more; what they leave out is counted at the end.

-- →blue,amber (you): the teams that a question waits for.
create or replace function parley_private.asked_as_text(note parley.note, reader text)
returns text
language sql immutable
set search_path = ''
as $$
  select '→' || string_agg(h.handle || case h.handle when reader then ' (you)' else '' end, ',' order by h.nth)
  from unnest(coalesce(note.waiting_for, note.to)) with ordinality as h (handle, nth);
$$;

create or replace function parley_private.digest_team_as_line(team parley.digest_team, longest integer)
returns text
language sql stable
set search_path = ''
as $$
  select format('team %s (%s)', team.handle,
      concat_ws(', ',
        case when team.you then 'you' end,
        trim('()' from parley_private.mark_of(latest.sender, latest.guest)),
        team.activity,
        nullif(team.messages, 0) || case team.messages when 1 then ' message' else ' messages' end,
        nullif(team.doc_changes, 0) || case team.doc_changes when 1 then ' document change' else ' document changes' end,
        'tasks ' || array_to_string(team.tasks, ' ')))
    || case
      when latest.cursor is null then ''
      else format(' %s #%s %s: %s',
        case when team.blocked then 'blocked' when (team.last_status).cursor is not null then 'status' else 'last' end,
        latest.cursor, parley_private.age_as_text(latest.at), parley_private.first_sentence(latest.text, longest))
    end
    || coalesce(E'\n  doing: ' || parley_private.on_one_line(team.doing, longest), '')
  from (select (coalesce(team.last_status, team.last_message)).*) latest;
$$;

-- Which sections were written in how often, by whom, and last when: the newest first.
create or replace function parley_private.doc_changes_as_lines(changes parley.doc_change[], most integer)
returns text
language sql stable
set search_path = ''
as $$
  select string_agg(
    format('doc v%s %s %s%s: %s', s.version, s.handles[1], parley_private.age_as_text(s.at),
      case when s.changes > 1 then format(' (%s)', concat_ws(', ', s.changes || ' changes', 'also by ' || nullif(array_to_string(s.handles[2:], ', '), ''))) end,
      coalesce(parley_private.on_one_line(s.section, 60), 'above the first heading')),
    E'\n' order by s.version desc)
  from (
    select t.section, max(t.version) as version, max(t.at) as at, sum(t.changes) as changes, array_agg(t.handle order by t.version desc) as handles
    from (
      select c.handle, s.section, max(c.version) as version, max(c.at) as at, count(*) as changes
      from unnest(changes) c
      cross join unnest(coalesce(nullif(c.sections, '{}'), array[null])) as s (section)
      group by c.handle, s.section
    ) t
    group by t.section
    order by 2 desc
    limit most
  ) s;
$$;

-- agents: claude 12 turns, 40000 tokens, $0.40; codex 3 turns; together 15 turns, 40000 tokens, $0.40
create or replace function parley_private.agents_as_line(agents parley.digest_agent[])
returns text
language sql stable
set search_path = ''
as $$
  select 'agents: ' || string_agg(
    concat_ws(', ', a.handle || ' ' || a.turns || ' turns', nullif(a.tokens, 0) || ' tokens', '$' || nullif(round(a.cost, 2), 0)), '; ' order by a.nth)
  from (
    select a.handle, a.turns::bigint, a.tokens::numeric, a.cost, a.nth from unnest(agents) with ordinality as a (handle, turns, tokens, cost, nth) where a.nth <= 5
    union all
    select 'together', sum(a.turns), sum(a.tokens), sum(a.cost), 1000 from unnest(agents) a having count(*) > 1
  ) a;
$$;

create or replace function parley_private.digest_as_text(answer parley.digest)
returns text
language sql stable
set search_path = ''
as $$
  with most as (
    select coalesce(answer.items, 6) as entries, case when answer.items is null then 140 else 280 end as characters
  ),
  reader as (select (select t.handle from unnest(answer.teams) t where t.you) as handle),
  question as (
    select q::parley.note as note, row_number() over (order by coalesce(reader.handle = any (coalesce(q.waiting_for, q.to)), false) desc, q.cursor desc) as place
    from unnest(answer.open_questions) q, reader
  ),
  team as (
    select t::parley.digest_team as team,
      row_number() over (order by t.blocked desc nulls last, t.activity = 'left', t.last_cursor desc nulls last) as place
    from unnest(answer.teams) t
  ),
  left_out as (
    select concat_ws(', ',
      'open questions ' || nullif(greatest(coalesce((answer.totals).open_questions, cardinality(answer.open_questions)) - most.entries, 0), 0),
      'decisions ' || nullif(greatest(coalesce((answer.totals).decisions, cardinality(answer.decisions)) - most.entries, 0), 0),
      'document changes ' || nullif((answer.totals).doc_changes - cardinality(answer.doc_changes), 0),
      'events ' || nullif((answer.totals).events - cardinality(answer.events), 0),
      'teams ' || nullif(greatest(cardinality(answer.teams) - most.entries - 2, 0), 0)
    ) as what
    from most
  )
  select concat_ws(E'\n',
    concat_ws(' · ',
      'since_cursor ' || answer.since_cursor, 'through_cursor ' || answer.through_cursor, 'messages ' || answer.messages,
      'unread ' || answer.unread),
    parley_private.work_as_line(answer.work),
    parley_private.agents_as_line(answer.agents),
    (select string_agg(
        format('open #%s %s: %s', (q.note).cursor,
          concat_ws(' ', (q.note).handle, parley_private.mark_of((q.note).sender, (q.note).guest), parley_private.asked_as_text(q.note, reader.handle), parley_private.age_as_text((q.note).at)),
          parley_private.on_one_line((q.note).text, most.characters)), E'\n' order by q.place)
      from question q where q.place <= most.entries),
    (select string_agg(parley_private.digest_team_as_line(t.team, most.characters), E'\n' order by t.place)
      from team t where t.place <= most.entries + 2),
    (select string_agg(
        format('decided #%s %s %s: %s', d.cursor, concat_ws(' ', d.handle, parley_private.mark_of(d.sender, d.guest)), parley_private.age_as_text(d.at), parley_private.on_one_line(d.text, most.characters)), E'\n' order by d.cursor desc)
      from (select * from unnest(answer.decisions) n order by n.cursor desc limit most.entries) d),
    parley_private.doc_changes_as_lines(answer.doc_changes, most.entries),
    (select string_agg(format('event %s: %s%s', e.event, e.teams, case when e.others > 0 then format(' and %s before', e.others) end), E'\n' order by e.newest desc)
      from (
        select n.event, max(n.cursor) as newest, count(*) filter (where n.place > most.entries) as others,
          string_agg(concat_ws(' ', '#' || n.cursor, n.handle), ', ' order by n.cursor desc) filter (where n.place <= most.entries) as teams
        from (select *, row_number() over (partition by v.event order by v.cursor desc) as place from unnest(answer.events) v) n
        group by n.event
      ) e),
    'left out: ' || nullif(left_out.what, '') || '; get_digest with a limit has more')
  from most, reader, left_out;
$$;

grant execute on function
  parley_private.asked_as_text,
  parley_private.digest_team_as_line,
  parley_private.doc_changes_as_lines,
  parley_private.agents_as_line,
  parley_private.digest_as_text
to parley_caller;

comment on type parley.digest is '@text parley_private.digest_as_text
What happened after a cursor, in short.';
