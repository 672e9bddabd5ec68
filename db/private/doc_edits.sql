-- Small edits of the document, under the lock of the session: others may write meanwhile, and nothing of theirs is lost.

-- The title of a section as callers give it, with or without its hashes.
create or replace function parley_private.check_section(section text)
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_section text;
begin
  perform parley_private.check_text('section', section, 'title_max');
  v_section := trim(regexp_replace(section, '^\s*#{1,6}\s+|\s+#+\s*$', '', 'g'));
  perform parley_private.check_text('section', v_section, 'title_max');
  if v_section ~ '[\r\n]' then
    perform parley_private.refuse_argument('section', 'section must be the title of a section, on one line.',
      'Send it without # marks, as it stands in the heading.');
  end if;
  return v_section;
end;
$$;

create or replace function parley_private.check_version(session parley.sessions, expected_version integer)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_current integer := session.session_doc_version;
begin
  if v_current <> expected_version then
    perform parley_private.fail(409, 'version_conflict',
      format('The document is at version %s, not %s.', v_current, expected_version),
      format('Read it again, put your changes into version %s and send expected_version %s. To add a note, append_to_session_doc needs no version.', v_current, v_current),
      jsonb_build_object('current_version', v_current, 'expected_version', expected_version, 'updated_by', (
        select author.handle from parley.session_doc_history h
        join parley.participants author on author.session_id = h.session_id and author.id = h.written_by
        where h.session_id = session.id and h.version = v_current
      )));
  end if;
end;
$$;

-- What changes nothing makes no version.
create or replace function parley_private.edit_doc(seat parley_private.seat, old_doc bytea, new_doc bytea, sections text[] default null)
returns parley.written_doc
language plpgsql volatile
set search_path = ''
as $$
declare
  v_author  parley.participants := seat.participant;
  v_written parley.session_doc_history;
begin
  perform parley_private.check_doc_size('text', length(new_doc));
  if new_doc <> old_doc then
    v_written := parley_private.write_doc(v_author, old_doc, new_doc, sections);
  else
    select * into v_written from parley.session_doc_history h
    where h.session_id = v_author.session_id and h.version = (seat.session).session_doc_version;
  end if;
  return row(coalesce(v_written.version, 0), v_written.written_at, parley_private.unread(v_author))::parley.written_doc;
end;
$$;

-- A document with another text in the place of all that stands in a section, down to the next heading of its level or above;
-- the section is made if there is none. A heading that the text repeats is not doubled, a fence that it leaves open is closed.
create or replace function parley_private.with_section_replaced(doc text, section text, body text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_break   text := parley_private.line_break_of(doc);
  v_title   text := regexp_replace(section, '([!-/:-@\[-`{-~])', '\\\1', 'g');
  v_body    text := regexp_replace(body, format('^\s*#{1,6}[ \t]+%s[ \t]*#*[ \t]*(\r?\n|$)', v_title), '', 'i');
  v_section record;
  v_head    text;
begin
  v_body := rtrim(regexp_replace(v_body, '^([ \t]*\r?\n)+', ''), E' \t\r\n\f\x0b');
  v_body := case when v_body = '' then '' else v_body || v_break end
    || coalesce((select c.open_fence || v_break from parley_private.without_code(v_body) c), '');
  select * into v_section from parley_private.find_section(doc, section);
  if v_section.starts is null then
    return parley_private.with_section_at_end(
      doc, '## ' || section || v_break || case when v_body = '' then '' else v_break || v_body end, v_section.open_fence);
  end if;
  v_head := left(doc, v_section.body_starts - 1);
  return v_head
    || case when right(v_head, 1) = E'\n' then '' else v_break end
    || case when v_body = '' then '' else v_break || v_body end
    || case when v_section.ends <= length(doc) then v_break || substr(doc, v_section.ends) else '' end;
end;
$$;

-- A document with the one checkbox ticked, or not, whose line holds a text. What stands in code is no checkbox: to tell that,
-- brackets are read as a mark that code has not.
create or replace function parley_private.with_tick(doc text, text text, done boolean)
returns text
language plpgsql stable
set search_path = ''
as $$
declare
  c_checkbox constant text := '^[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+=[ xX]\]';
  v_lines text[] := string_to_array(doc, E'\n');
  v_found integer[];
begin
  v_found := array(
    select l.nth
    from unnest(v_lines, string_to_array((parley_private.without_code(translate(doc, '=[', '_='))).prose, E'\n'))
      with ordinality as l (line, prose, nth)
    where case when strpos(l.line, with_tick.text) > 0 then l.prose ~ c_checkbox else false end
    order by l.nth
    limit 6
  );
  if cardinality(v_found) = 0 then
    perform parley_private.refuse_argument('text', 'No checkbox of the document has this text on its line.',
      'Give a part of a line such as "- [ ] port refunds"; read_session_doc has them.');
  elsif cardinality(v_found) > 1 then
    perform parley_private.refuse_argument('text',
      format('%s checkboxes have this text on their line.', case when cardinality(v_found) > 5 then 'More than five' else cardinality(v_found)::text end),
      'Give more of the line: ' || (select string_agg(to_json(parley_private.cut(btrim(v_lines[n], E' \t\r'), 100))::text, ', ' order by n) from unnest(v_found[:3]) n));
  end if;
  v_lines[v_found[1]] := regexp_replace(v_lines[v_found[1]], '\[[ xX]\]', case when done then '[x]' else '[ ]' end);
  return array_to_string(v_lines, E'\n');
end;
$$;
