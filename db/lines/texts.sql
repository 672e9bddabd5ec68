-- Answers as lines (?format=lines). The first line is written by the server alone: name and value, joined by " · ".
-- Every line below begins with a word of the server; a text of others stays on it or is indented under it. So nobody can
-- write a line that passes for one of the server or of another team. The comment of a type names the function that
-- writes it: @text.

-- A text with every line break of Unicode as a newline, and what would move the cursor of a terminal or turn the
-- direction of the writing spelled out.
create or replace function parley_private.shown(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select regexp_replace(parley_private.spelled_out(text), E'\r\n?|[\u000b\u000c\u0085\u2028\u2029]', E'\n', 'g');
$$;

-- For a name or a title: one line, and not a long one.
create or replace function parley_private.on_one_line(text text, longest integer default 500)
returns text
language sql immutable
set search_path = ''
as $$
  select case when char_length(text) > longest then left(t.line, longest - 1) || '…' else t.line end
  from (select regexp_replace(parley_private.shown(left(text, longest + 1)), E'[\n\t ]+', ' ', 'g')) as t (line);
$$;

-- For a text that may be long: its later lines are indented.
create or replace function parley_private.indented(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select replace(parley_private.shown(text), E'\n', E'\n  ');
$$;

create or replace function parley_private.yes_or_no(value boolean)
returns text
language sql immutable
set search_path = ''
as $$
  select case when value then 'yes' else 'no' end;
$$;

create or replace function parley_private.time_as_text(at timestamptz)
returns text
language sql immutable
set search_path = ''
as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
$$;

-- How long ago something was, in one unit.
create or replace function parley_private.age_as_text(at timestamptz)
returns text
language sql stable
set search_path = ''
as $$
  select case
    when s.ago < 60 then 'just now'
    when s.ago < 3600 then s.ago / 60 || ' min ago'
    when s.ago < 172800 then s.ago / 3600 || ' h ago'
    else s.ago / 86400 || ' d ago'
  end
  from (select extract(epoch from clock_timestamp() - at)::integer) as s (ago);
$$;

-- For a text of which the beginning tells enough.
create or replace function parley_private.first_sentence(text text, longest integer)
returns text
language sql immutable
set search_path = ''
as $$
  select coalesce(substring(t.line from '^(.{15,}?[.!?]) '), t.line) from (select parley_private.on_one_line(text, longest)) as t (line);
$$;

-- What a session is about, in at most so many characters of its description.
create or replace function parley_private.topic_as_lines(title text, description text, longest integer default 2000)
returns text
language sql immutable
set search_path = ''
as $$
  select concat_ws(E'\n',
    'title: ' || parley_private.on_one_line(title),
    'description: ' || parley_private.indented(case when char_length(description) > longest
      then left(description, longest) || ' … (cut: get_session has the whole)'
      else nullif(description, '')
    end));
$$;

-- tasks: 2 open, 1 blocked, 3 claimed (yours: 4, 7), 5 done
create or replace function parley_private.work_as_line(work parley.work, yours integer[] default null)
returns text
language sql immutable
set search_path = ''
as $$
  select 'tasks: ' || concat_ws(', ',
    nullif(work.open, 0) || ' open', nullif(work.blocked, 0) || ' blocked',
    nullif(work.claimed, 0) || ' claimed' || coalesce(format(' (yours: %s)', nullif(array_to_string(yours, ', '), '')), ''),
    nullif(work.done, 0) || ' done', nullif(work.dropped, 0) || ' dropped')
  where work.open is not null;
$$;

-- The form of a type without a writer of its own: those of its fields that only the server can have written (numbers,
-- yes and no, uuids, times), then the JSON.
create or replace function parley_private.anything_as_text(answer json, fields text[])
returns text
language sql immutable
set search_path = ''
as $$
  select concat_ws(E'\n',
    coalesce(
      case json_typeof(answer)
        when 'object' then (
          select string_agg(
            f.name || ' ' || case answer ->> f.name when 'true' then 'yes' when 'false' then 'no' else answer ->> f.name end,
            ' · ' order by f.place)
          from unnest(fields) with ordinality as f (name, place)
          where answer ->> f.name is not null
        )
        when 'array' then 'rows ' || json_array_length(answer)
        when 'number' then 'value ' || (answer #>> '{}')
        when 'boolean' then 'value ' || parley_private.yes_or_no((answer #>> '{}')::boolean)
      end,
      'done yes'),
    case when json_typeof(answer) in ('object', 'array', 'string') then '  ' || parley_private.on_one_line(answer::text, 1000000) end);
$$;

-- The first line says that there is one; why is told below it, unless what stands there is a text as it is.
create or replace function parley_private.with_interrupt_in_lines(lines text, interrupt json, verbatim boolean)
returns text
language sql immutable
set search_path = ''
as $$
  select case when interrupt is null then lines
    when interrupt -> 'ring' is not null then first || ' · ring ' || (interrupt #>> '{ring,cursor}')
      || case when verbatim then ''
        else format(E'\nrung by %s: say that you are there, ack_messages %s', parley_private.on_one_line(interrupt #>> '{ring,by}', 100), interrupt #>> '{ring,cursor}')
      end
      || substr(lines, length(first) + 1)
    else first || ' · interrupt ' || (interrupt ->> 'cursor')
      || case when verbatim then ''
        else format(E'\ninterrupted by %s: %s', interrupt ->> 'by', parley_private.on_one_line(interrupt ->> 'reason', 1000))
      end
      || substr(lines, length(first) + 1)
  end
  from split_part(lines, E'\n', 1) as first;
$$;

grant execute on function
  parley_private.shown,
  parley_private.on_one_line,
  parley_private.indented,
  parley_private.yes_or_no,
  parley_private.time_as_text,
  parley_private.age_as_text,
  parley_private.first_sentence,
  parley_private.topic_as_lines,
  parley_private.work_as_line,
  parley_private.anything_as_text,
  parley_private.with_interrupt_in_lines
to parley_caller;
