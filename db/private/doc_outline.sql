-- The headings of a markdown document: where each one and its text begin, counted in characters, and where its
-- section ends, which is at the next heading of its level or above; at_byte is the start once more, counted in bytes
-- from 0. What stands in a code fence is text. A fence that is left open is told in a last row of level 0, with its
-- mark as the title.
create or replace function parley_private.doc_outline(doc text)
returns table (level integer, title text, starts integer, body_starts integer, ends integer, at_byte integer)
language plpgsql immutable
set search_path = ''
as $$
declare
  v_line   text;
  v_fence  text;
  v_mark   text;
  v_at     integer := 1;
  v_byte   integer := 0;
  -- Counted once: to count the letters of a long text takes time.
  v_end    integer := length(doc) + 1;
  v_levels integer[] := '{}';
  v_titles text[] := '{}';
  v_starts integer[] := '{}';
  v_bodies integer[] := '{}';
  v_bytes  integer[] := '{}';
begin
  foreach v_line in array string_to_array(doc, E'\n') loop
    if strpos('#`~', left(ltrim(v_line, ' '), 1)) = 0 or v_line in ('', E'\r') then
      v_at := v_at + length(v_line) + 1;
      v_byte := v_byte + octet_length(v_line) + 1;
      continue;
    end if;
    v_mark := substring(v_line from '^ {0,3}(`{3,}|~{3,})');
    if v_fence is not null then
      if v_mark is not null and left(v_mark, 1) = left(v_fence, 1) and length(v_mark) >= length(v_fence)
        and v_line ~ '^ {0,3}(`+|~+)\s*$' then
        v_fence := null;
      end if;
    elsif v_mark is not null and (left(v_mark, 1) = '~' or v_line !~ '^ {0,3}`+[^`]+`') then
      v_fence := v_mark;
    elsif v_line ~ '^ {0,3}#{1,6}([ \t\r]|$)' then
      v_levels := v_levels || length(substring(v_line from '#+'));
      v_titles := v_titles || regexp_replace(v_line, '^ {0,3}#+[ \t]*|([ \t]+#+)?[ \t\r]*$', '', 'g');
      v_starts := v_starts || v_at;
      v_bodies := v_bodies || v_at + length(v_line) + 1;
      v_bytes := v_bytes || v_byte;
    end if;
    v_at := v_at + length(v_line) + 1;
    v_byte := v_byte + octet_length(v_line) + 1;
  end loop;

  return query
  select h.level, h.title, h.starts, least(h.body_starts, v_end), coalesce(
    case h.level
      when 1 then min(h.starts) filter (where h.level <= 1) over later
      when 2 then min(h.starts) filter (where h.level <= 2) over later
      when 3 then min(h.starts) filter (where h.level <= 3) over later
      when 4 then min(h.starts) filter (where h.level <= 4) over later
      when 5 then min(h.starts) filter (where h.level <= 5) over later
      else min(h.starts) over later
    end,
    v_end), h.at_byte
  from unnest(v_levels, v_titles, v_starts, v_bodies, v_bytes) as h (level, title, starts, body_starts, at_byte)
  -- From the end on, so that each row adds to what is known: a document may be nothing but headings.
  window later as (order by h.starts desc rows between unbounded preceding and 1 preceding)
  union all
  select 0, v_fence, v_end, v_end, v_end, octet_length(doc) where v_fence is not null
  order by 3;
end;
$$;

grant execute on function parley_private.doc_outline to parley_caller;

-- The section of that name, or nulls; where several have it, the first of level 2, which is what sections usually are.
-- And the mark of a fence that is left open, since who asks for a section wants to write: one reading tells both.
create or replace function parley_private.find_section(
  doc text,
  section text,
  out level integer,
  out starts integer,
  out body_starts integer,
  out ends integer,
  out open_fence text
)
language sql immutable
set search_path = ''
as $$
  with outline as materialized (select * from parley_private.doc_outline(doc))
  select s.level, s.starts, s.body_starts, s.ends, (select o.title from outline o where o.level = 0)
  from (select) as always
  left join (
    select * from outline o
    where o.level > 0 and lower(o.title) = lower(section)
    order by o.level <> 2, o.starts
    limit 1
  ) s on true;
$$;

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
  v_added   text := regexp_replace(added, '\s+$', '') || v_break;
begin
  select * into v_section from parley_private.find_section(doc, section);
  if v_section.starts is null then
    return parley_private.with_section_at_end(doc, '## ' || section || v_break || v_break || v_added, v_section.open_fence);
  end if;

  v_body := regexp_replace(substr(doc, v_section.body_starts, v_section.ends - v_section.body_starts), '\s+$', '');
  return case
      when v_body <> '' then left(doc, v_section.body_starts - 1) || v_body || v_break
        -- What is added is text, even after a fence that was left open.
        || case when v_section.ends > length(doc) then coalesce(v_section.open_fence || v_break, '') else '' end
      when right(left(doc, v_section.body_starts - 1), 1) = E'\n' then left(doc, v_section.body_starts - 1) || v_break
      else doc || v_break || v_break
    end
    || v_added
    || case when v_section.ends <= length(doc) then v_break || substr(doc, v_section.ends) else '' end;
end;
$$;
