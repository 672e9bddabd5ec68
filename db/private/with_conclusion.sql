-- A document with the summary as its "## Conclusion" section: in place of the one it has, or else at its end.
-- A heading inside a code fence is text. The section ends at the next heading of level 1 or 2.
create or replace function parley_private.with_conclusion(doc text, summary text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_break   text := case when strpos(doc, E'\r\n') > 0 then E'\r\n' else E'\n' end;
  v_body    text := regexp_replace(summary, '^\s*#{1,6}[ \t]+conclusion[ \t]*#*[ \t]*(\r?\n|$)', '', 'i');
  v_section text;
  v_line    text;
  v_fence   text;
  v_mark    text;
  v_at      integer := 1;
  v_start   integer;
  v_end     integer;
begin
  v_section := '## Conclusion' || v_break || v_break || regexp_replace(regexp_replace(v_body, '^(\s*\n)+', ''), '\s+$', '') || v_break;

  foreach v_line in array string_to_array(doc, E'\n') loop
    if strpos('#`~', left(ltrim(v_line, ' '), 1)) = 0 or v_line in ('', E'\r') then
      v_at := v_at + length(v_line) + 1;
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
    elsif v_start is null then
      if v_line ~* '^ {0,3}##[ \t]+conclusion[ \t]*(#+[ \t]*)?\r?$' then
        v_start := v_at;
      end if;
    elsif v_line ~ '^ {0,3}#{1,2}([ \t\r]|$)' then
      v_end := v_at;
      exit;
    end if;
    v_at := v_at + length(v_line) + 1;
  end loop;

  if v_start is not null then
    return left(doc, v_start - 1) || v_section || case when v_end is null then '' else v_break || substr(doc, v_end) end;
  elsif doc = '' then
    return v_section;
  end if;
  return doc || case
    when v_fence is not null then v_break || v_fence || v_break
    when right(doc, 1) = E'\n' then ''
    else v_break
  end || v_break || v_section;
end;
$$;
