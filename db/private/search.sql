-- A query as a search engine takes it, once its length is known to be small. A run of dashes is no "without" of a "without":
-- the parser would go down a step for each.
create or replace function parley_private.words_to_find(query text)
returns tsquery
language plpgsql stable
set search_path = ''
as $$
declare
  v_words tsquery;
begin
  begin
    v_words := websearch_to_tsquery('pg_catalog.english', parley_private.in_parts(regexp_replace(query, '-[\s-]*-', '-', 'g')));
  exception when others then
    perform parley_private.refuse_argument('query', 'query cannot be read as a search.', 'Use words, "a phrase", or, -without.');
  end;
  if numnode(v_words) = 0 then
    perform parley_private.refuse_argument('query', 'query holds no word that could be found.', 'Use words that carry a meaning; the, of and the like are not kept.');
  end if;
  return v_words;
end;
$$;

grant execute on function parley_private.words_to_find to parley_caller;

-- Any of the words that a query names, each once: by these the line of a text is chosen that is shown. As often as a query repeats
-- a word, so often each place of it would be tried with each other.
create or replace function parley_private.words_to_show(words tsquery)
returns tsquery
language sql immutable
set search_path = ''
as $$
  select string_agg(distinct found.word[1], '|')::tsquery
  from regexp_matches(words::text, '(''(?:[^'']|'''')*''(?::\*)?)', 'g') as found (word);
$$;

grant execute on function parley_private.words_to_show to parley_caller;

-- A part of a name or a title to look for in many rows, in small letters: a long one would be read again for each.
create or replace function parley_private.part_to_find(field text, part text)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if char_length(part) > parley_private.setting('title_max') then
    perform parley_private.check_text(field, part, 'title_max');
  end if;
  return lower(part);
end;
$$;

grant execute on function parley_private.part_to_find to parley_caller;

-- Ranks the newest thousand that match. The end of the feed that is not indexed yet is read itself; it is short, unless
-- somebody has filled the table by hand: then its newest ten thousand.
create or replace function parley_private.search_messages(session_id uuid, words tsquery)
returns table (place text, rank real, cursor integer, message_id uuid, handle text, section text, text text, at timestamptz)
language sql stable security definer
set search_path = ''
as $$
  with hits as materialized (
    (
      select m.sequence, w.words
      from (
        select m from parley.messages m
        where m.session_id = search_messages.session_id
          and m.sequence > parley_private.indexed_through(search_messages.session_id)
        order by m.sequence desc
        limit 10000
      ) rest (m)
      cross join parley_private.words_of(rest.m) as w (words)
      cross join lateral (select (rest.m).sequence) as m (sequence)
      where w.words @@ search_messages.words
    )
    union all
    (
      -- The session is a word of the index. Named as a column too, it would be walked through from end to end.
      select w.sequence, w.words from parley_private.message_words w
      where w.words @@ (search_messages.words && quote_literal('session:' || search_messages.session_id)::tsquery)
      order by w.sequence desc
      limit 1000
    )
    order by sequence desc
    limit 1000
  )
  select 'message', ts_rank(h.words, search_messages.words), m.sequence, m.id, p.handle, null, m.content ->> 'text', m.posted_at
  from hits h
  -- Each by its key: a plan for sessions as short as most would read the whole of a long one.
  cross join lateral (
    select m.* from parley.messages m where m.session_id = search_messages.session_id and m.sequence = h.sequence offset 0
  ) m
  join parley.participants p on p.session_id = search_messages.session_id and p.id = m.posted_by;
$$;

grant execute on function parley_private.search_messages to parley_caller;

-- The document section by section, as it is now; its words are read when asked for, since every line changes it.
-- Sections are cut out by bytes: by characters each would be found by counting from the beginning. A long one is read
-- in pieces that overlap a little, since the words of one text have a limit. So is a document of more than 50,000 lines, as
-- one: it may be nothing but headings, and to look at each of half a million sections takes too long.
create or replace function parley_private.search_doc(session_id uuid, words tsquery)
returns table (place text, rank real, cursor integer, message_id uuid, handle text, section text, text text, at timestamptz)
language sql stable
set search_path = ''
as $$
  select distinct on (part.at_byte, part.title)
    'doc', ts_rank(v.words, search_doc.words), null::integer, null::uuid, null, part.title, piece.text, session.updated_at
  from parley.sessions session
  cross join parley_private.doc_text_at(session.id, session.session_doc_version) as doc
  cross join convert_to(doc, 'UTF8') as bytes
  cross join lateral (
    select o.title, o.at_byte, lead(o.at_byte, 1, length(bytes)) over (order by o.at_byte, o.title nulls first) as ends
    from (
      select null as title, 0 as at_byte
      union all
      select o.title, o.at_byte
      from parley_private.doc_outline(case when length(doc) - length(replace(doc, E'\n', '')) <= 50000 then doc else '' end) o
    ) o
  ) part
  cross join convert_from(substring(bytes from part.at_byte + 1 for part.ends - part.at_byte), 'UTF8') as whole
  cross join generate_series(1, length(whole), 50000) as start_at
  cross join substr(whole, start_at, 50200) as piece (text)
  cross join to_tsvector('pg_catalog.english', parley_private.in_parts(piece.text)) as v (words)
  where session.id = search_doc.session_id and v.words @@ search_doc.words
  order by part.at_byte, part.title, 2 desc;
$$;

grant execute on function parley_private.search_doc to parley_caller;
