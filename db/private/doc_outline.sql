-- What a document is made of: code, headings, sections. It may be a mebibyte of nothing but headings or fences, so one
-- section is found by searching the whole, not by reading lines; and where each line counts, it is read without patterns.

-- The text with every letter in its place, but nothing in a code fence looks like a heading any more; and the mark of a
-- fence that is left open. It is cut where a line may be a fence, so that only those lines are looked at.
create or replace function parley_private.without_code(doc text, out prose text, out open_fence text)
language plpgsql immutable
set search_path = ''
as $$
declare
  v_cut    text;
  v_mark   text;
  v_pieces text[];
  -- What each piece begins with: so many backticks, or so many tildes below 0; then what is open after it.
  v_fences integer[];
  v_opens  boolean[];
  v_closes boolean[];
  v_open   integer := 0;
begin
  if strpos(doc, '```') = 0 and strpos(doc, '~~~') = 0 then
    prose := doc;
    return;
  end if;
  v_cut := E'\n' || replace(doc, E'\u0001', ' ');
  foreach v_mark in array array['```', ' ```', '  ```', '   ```', '~~~', ' ~~~', '  ~~~', '   ~~~'] loop
    v_cut := replace(v_cut, E'\n' || v_mark, E'\n\u0001' || v_mark);
  end loop;

  v_pieces := string_to_array(v_cut, E'\u0001');
  select
    array_agg(case left(f.line, 1) when '~' then -1 else 1 end * (length(f.line) - length(f.info))),
    array_agg(left(f.line, 1) = '~' or strpos(f.info, '`') = 0),
    array_agg(btrim(f.info, E' \t\r') = '')
  into v_fences, v_opens, v_closes
  from (
    select l.line, ltrim(l.line, left(l.line, 1)) as info
    from (select ltrim(split_part(p.text, E'\n', 1), ' ') as line from unnest(v_pieces) as p (text) offset 0) l
    -- Each line is cut once, not once for every use.
    offset 0
  ) f;
  v_fences[1] := 0;
  for n in 2 .. cardinality(v_fences) loop
    if v_open = 0 then
      if v_opens[n] then
        v_open := v_fences[n];
      end if;
    elsif v_closes[n] and (v_open > 0 and v_fences[n] >= v_open or v_open < 0 and v_fences[n] <= v_open) then
      v_open := 0;
    end if;
    v_fences[n] := v_open;
  end loop;

  prose := substr((
    select string_agg(case p.fence when 0 then p.text else translate(p.text, '#=-', '   ') end, '')
    from unnest(v_pieces, v_fences) as p (text, fence)
  ), 2);
  open_fence := nullif(repeat(case sign(v_open) when 1 then '`' else '~' end, abs(v_open)), '');
end;
$$;

-- Where the first heading of these levels stands in a text that begins and ends with a line break: at the break before it,
-- or null. Lines that begin with hashes, of any title or of one (as a pattern).
--
-- The lines are matched with their breaks: the same lines elsewhere would be the same heading, so the first place where
-- they stand is the one that was found. To ask for the place of a match would look for all of them.
create or replace function parley_private.find_hash_heading(text text, lowest_level integer, highest_level integer, title text default null)
returns integer
language sql immutable
set search_path = ''
as $$
  select strpos(text, (regexp_match(
    text,
    format('(\n {0,3}#{%s,%s}%s\n)', lowest_level, highest_level, coalesce('[ \t]+' || title || '(?:[ \t]+#+)?[ \t\r]*', '(?:[ \t\r][^\n]*)?')),
    'i'))[1]);
$$;

-- Lines that are underlined, by = for level 1, by - for level 2. Only a single line is: above it stands nothing, a heading or
-- the end of code. What begins a list, a quote or code is none.
create or replace function parley_private.find_underlined_heading(text text, underline text, title text default null)
returns integer
language sql immutable
set search_path = ''
as $$
  select strpos(text, array_to_string(found.parts, '')) + length(found.parts[1])
  from regexp_match(
    text,
    '(\A|\n(?:[ \t\r]*| {0,3}(?:#{1,6}(?:[ \t][^\n]*)?|=+|-+|```[^\n]*|~~~[^\n]*)[ \t\r]*))(\n {0,3}'
      || coalesce(title || '[ \t\r]*', '(?![-*+][ \t\r\n]|[>#]|```|~~~|[0-9]{1,9}[.)][ \t\r\n]|(?:=+|-+)[ \t\r]*\n)[^ \t\r\n][^\n]*')
      || '\n {0,3}(?:' || underline || ')[ \t\r]*\n)',
    'i') as found (parts);
$$;

-- The section of that name, or nulls; where several have it, the first of level 2, which is what sections usually are. It
-- ends at the next heading of its level or above. And the mark of a fence that is left open, since who asks wants to write.
create or replace function parley_private.find_section(
  doc text,
  section text,
  out level integer,
  out starts integer,
  out body_starts integer,
  out ends integer,
  out open_fence text
)
language plpgsql immutable
set search_path = ''
as $$
declare
  v_title      text := regexp_replace(section, '([!-/:-@\[-`{-~])', '\\\1', 'g');
  v_text       text;
  v_underlined boolean;
  v_rest       text;
  v_last_line  integer := 1;
  v_end        integer := length(doc) + 1;
begin
  select E'\n' || c.prose || E'\n', c.open_fence into v_text, find_section.open_fence from parley_private.without_code(doc) c;
  v_underlined := v_text ~ '\n {0,3}(=+|-+)[ \t\r]*\n';
  starts := least(
    parley_private.find_hash_heading(v_text, 2, 2, v_title),
    case when v_underlined then parley_private.find_underlined_heading(v_text, '-+', v_title) end);
  level := 2;
  if starts is null then
    starts := least(
      parley_private.find_hash_heading(v_text, 1, 6, v_title),
      case when v_underlined then parley_private.find_underlined_heading(v_text, '=+', v_title) end);
    level := coalesce(length(substring(substr(v_text, starts, 10) from '^\n {0,3}(#{1,6})[ \t]')), 1);
  end if;
  if starts is null then
    level := null;
    return;
  end if;

  v_rest := substr(v_text, starts + 1);
  body_starts := starts + strpos(v_rest, E'\n');
  if v_rest !~ '^ {0,3}#{1,6}[ \t]' then
    v_last_line := strpos(v_rest, E'\n') + 1;
    body_starts := body_starts + strpos(substr(v_rest, v_last_line), E'\n');
  end if;
  v_rest := substr(v_text, starts + v_last_line - 1);
  ends := starts + v_last_line - 2 + least(
    nullif(parley_private.find_hash_heading(substr(v_rest, 2), 1, level), 0) + 1,
    case when v_underlined then parley_private.find_underlined_heading(v_rest, case level when 1 then '=+' else '=+|-+' end) end);
  ends := coalesce(ends, v_end);
  body_starts := least(body_starts, v_end);
end;
$$;

-- All headings: the level, the title, and where each begins, counted in bytes from 0.
create or replace function parley_private.doc_outline(doc text)
returns table (level integer, title text, at_byte integer)
language sql immutable
set search_path = ''
as $$
  with line as (
    select
      l.line,
      lag(l.line) over lines as above,
      lag(l.line, 2) over lines as above_that,
      sum(octet_length(l.line) + 1) over lines - octet_length(l.line) - 1 as at_byte
    from parley_private.without_code(doc) as c, string_to_table(c.prose, E'\n') as l (line)
    window lines as (rows unbounded preceding)
  )
  select
    length(found.marks) - length(found.rest),
    case when right(found.title, 1) = '#' and right(rtrim(found.title, '#'), 1) in ('', ' ', E'\t')
      then rtrim(rtrim(found.title, '#'), E' \t')
      else found.title
    end,
    l.at_byte::integer
  from line l
  cross join lateral (
    select marks, rest, btrim(rest, E' \t\r') as title from ltrim(l.line, ' ') as marks cross join ltrim(marks, '#') as rest
  ) found
  where left(found.marks, 1) = '#'
    and length(found.marks) - length(found.rest) <= 6
    and left(found.rest, 1) in ('', ' ', E'\t', E'\r')
    and length(l.line) - length(found.marks) <= 3
  union all
  select
    case left(ltrim(l.line, ' '), 1) when '=' then 1 else 2 end,
    btrim(l.above, E' \t\r'),
    (l.at_byte - octet_length(l.above) - 1)::integer
  from line l
  where left(ltrim(l.line, ' '), 1) in ('=', '-')
    and parley_private.find_underlined_heading(
      concat(E'\n' || l.above_that, E'\n', l.above, E'\n', l.line, E'\n'), '=+|-+') > 0
  order by 3;
$$;

grant execute on function
  parley_private.without_code,
  parley_private.find_hash_heading,
  parley_private.find_section,
  parley_private.find_underlined_heading,
  parley_private.doc_outline
to parley_caller;

create or replace function parley_private.line_break_of(doc text)
returns text
language sql immutable
set search_path = ''
as $$
  select case when strpos(doc, E'\r\n') > 0 then E'\r\n' else E'\n' end;
$$;

-- A document with a section added at its end: an open fence is closed first, and a blank line goes between.
create or replace function parley_private.with_section_at_end(doc text, section text, open_fence text)
returns text
language sql immutable
set search_path = ''
as $$
  select case
    when doc = '' then section
    when open_fence is not null then doc || br || open_fence || br || br || section
    when right(doc, 1) = E'\n' then doc || br || section
    else doc || br || br || section
  end
  from parley_private.line_break_of(doc) as br;
$$;

-- What a line begins, or is part of: blank, heading, rule, fence, list, quote, table, or text.
create or replace function parley_private.line_kind(line text)
returns text
language sql immutable
set search_path = ''
as $$
  select case
    when line ~ '^\s*$' then 'blank'
    when line ~ '^ {0,3}#{1,6}(\s|$)' then 'heading'
    when line ~ '^ {0,3}(=+|([-*_][ \t]*){3,}|-+)\s*$' then 'rule'
    when line ~ '^ {0,3}(```|~~~)' then 'fence'
    when line ~ '^\s*([-*+]|[0-9]{1,9}[.)])(\s|$)' then 'list'
    when line ~ '^ {0,3}>' then 'quote'
    when line ~ '^ {0,3}\|' then 'table'
    when line ~ '^(  |\t)' then 'indented'
    else 'text'
  end;
$$;

-- The line breaks that go between a text and what is added to it: the first line of it starts on a line of its own, and
-- where markdown would draw it into the list item, the quote or the table above, after a blank line. What goes on with the
-- text, list, quote or table that stands there goes on.
create or replace function parley_private.break_between(before text, added text, line_break text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_lines text[] := string_to_array(right(before, 20000), E'\n');
  v_last  text := v_lines[cardinality(v_lines)];
  v_break text := '';
  v_above text;
  v_below text := parley_private.line_kind(split_part(added, E'\n', 1));
begin
  if before = '' then
    return '';
  elsif v_last <> '' then
    v_break := line_break;
    v_above := parley_private.line_kind(v_last);
  else
    v_above := parley_private.line_kind(v_lines[cardinality(v_lines) - 1]);
  end if;
  if v_above = 'blank' or v_below = 'blank' then
    return v_break;
  end if;
  return v_break || case
    when v_below = 'heading' then line_break
    when v_above in ('heading', 'rule', 'fence') then ''
    when v_above = v_below then ''
    when v_above in ('list', 'indented') and v_below in ('list', 'indented') then ''
    when v_above in ('text', 'indented') and (v_below in ('quote', 'fence') or v_below = 'list' and added ~ '^\s*([-*+]|1[.)])\s') then ''
    else line_break
  end;
end;
$$;

-- A document with a text added at the end of the section of that name; the section is made if there is none.
create or replace function parley_private.with_text_in_section(doc text, section text, added text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_break   text := parley_private.line_break_of(doc);
  v_section record;
  v_body    text;
  v_added   text := rtrim(added, E' \t\r\n\f\x0b') || v_break;
begin
  select * into v_section from parley_private.find_section(doc, section);
  if v_section.starts is null then
    return parley_private.with_section_at_end(doc, '## ' || section || v_break || v_break || v_added, v_section.open_fence);
  end if;

  v_body := rtrim(substr(doc, v_section.body_starts, v_section.ends - v_section.body_starts), E' \t\r\n\f\x0b');
  -- What is added is text, even after a fence that was left open.
  if v_body <> '' and v_section.ends > length(doc) then
    v_body := v_body || coalesce(v_break || v_section.open_fence, '');
  end if;
  return case
      when v_body <> '' then left(doc, v_section.body_starts - 1) || v_body || parley_private.break_between(v_body, v_added, v_break)
      when right(left(doc, v_section.body_starts - 1), 1) = E'\n' then left(doc, v_section.body_starts - 1) || v_break
      else doc || v_break || v_break
    end
    || v_added
    || case when v_section.ends <= length(doc) then v_break || substr(doc, v_section.ends) else '' end;
end;
$$;
