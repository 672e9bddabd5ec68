-- A document with the summary as its "## Conclusion" section: in place of the one it has, or else at its end. A fence that
-- the summary leaves open is closed: what follows in the document stays text.
create or replace function parley_private.with_conclusion(doc text, summary text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_break   text := parley_private.line_break_of(doc);
  v_body    text := regexp_replace(
    summary, '^\s*(#{1,6}[ \t]+conclusion[ \t]*#*[ \t]*|conclusion[ \t]*\r?\n {0,3}(=+|-+)[ \t]*)(\r?\n|$)', '', 'i');
  v_section text;
  v_old     record;
begin
  v_body := rtrim(regexp_replace(v_body, '^(\s*\n)+', ''), E' \t\r\n\f\x0b');
  v_section := '## Conclusion' || v_break || v_break || v_body || v_break
    || coalesce((select c.open_fence || v_break from parley_private.without_code(v_body) c), '');

  select * into v_old from parley_private.find_section(doc, 'Conclusion');
  if v_old.level is distinct from 2 then
    return parley_private.with_section_at_end(doc, v_section, v_old.open_fence);
  end if;
  return left(doc, v_old.starts - 1) || v_section
    || case when v_old.ends <= length(doc) then v_break || substr(doc, v_old.ends) else '' end;
end;
$$;

-- What a list says of a conclusion: its first sentence, without its heading and the marks of markdown.
create or replace function parley_private.conclusion_in_short(summary text)
returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return nullif(btrim(parley_private.first_sentence(regexp_replace(regexp_replace(left(summary, 4000),
    '^\s*#{1,6}[ \t]+conclusion[ \t]*#*[ \t]*(\r?\n|$)', '', 'i'), '(^|\n)[ \t]*([#>]+|[-*+]|[0-9]+[.)])[ \t]+|[*`]', '\1', 'g'), 240)), '');
end;
$$;
