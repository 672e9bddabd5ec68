-- Under which headings a change of the document stands: told when it is written, when the text is at hand. A digest says so.

-- The title of the last heading of a text; looked for near its end only, since a document may be a mebibyte of headings.
create or replace function parley_private.last_heading(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select left(o.title, 100) from parley_private.doc_outline(right(text, 8000)) o order by o.at_byte desc limit 1;
$$;

-- Of a document whose end was read as bytes: a letter may be cut where the reading begins.
create or replace function parley_private.last_heading(doc bytea)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_from integer := greatest(length(doc) - 8000, 0);
begin
  while v_from < length(doc) and get_byte(doc, v_from) & 192 = 128 loop
    v_from := v_from + 1;
  end loop;
  return parley_private.last_heading(convert_from(substring(doc from v_from + 1), 'UTF8'));
end;
$$;

-- The sections that a text is part of or brings along, given the one that it is put into: at most five, the last one among
-- them. What begins with a heading says nothing about the section above.
create or replace function parley_private.sections_of(added text, above text)
returns text[]
language sql immutable
set search_path = ''
as $$
  with heading as (
    select o.title, o.at_byte, row_number() over (order by o.at_byte) as nth, count(*) over () as headings
    from parley_private.doc_outline(left(added, 8000)) o
    where o.title <> ''
  )
  select nullif(array_remove(
    array[case when not exists (
      select from heading h where h.nth = 1 and btrim(left(added, h.at_byte), E' \t\r\n') = ''
    ) then left(above, 100) end]
    || array(select left(h.title, 100) from heading h where h.nth < 4 or h.nth = h.headings order by h.nth),
    null), '{}');
$$;

-- The sections of what stands between two bytes of a document, from the line on in which it begins.
create or replace function parley_private.sections_changed(doc bytea, from_byte integer, to_byte integer)
returns text[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_from  integer := from_byte;
  v_to    integer := greatest(to_byte, from_byte);
  v_prose text;
  v_line  integer;
  v_back  integer;
begin
  -- Two letters may differ in their last byte only.
  while v_from > 0 and v_from < length(doc) and get_byte(doc, v_from) & 192 = 128 loop
    v_from := v_from - 1;
  end loop;
  -- The last line is read to its end, too: it may be a heading.
  if v_to > 0 and get_byte(doc, v_to - 1) <> 10 then
    v_to := v_to + coalesce(nullif(position('\x0a'::bytea in substring(doc from v_to + 1)), 0) - 1, length(doc) - v_to);
  end if;
  select c.prose into v_prose from parley_private.without_code(convert_from(substring(doc for v_to), 'UTF8')) c;
  v_line := length(convert_from(substring(doc for v_from), 'UTF8'));
  if substr(v_prose, v_line + 1, 1) <> E'\n' then
    v_back := strpos(reverse(right(left(v_prose, v_line), 8000)), E'\n');
    v_line := case v_back when 0 then greatest(v_line - 8000, 0) else v_line - v_back + 1 end;
  end if;
  return parley_private.sections_of(substr(v_prose, v_line + 1), parley_private.last_heading(left(v_prose, v_line)));
end;
$$;
