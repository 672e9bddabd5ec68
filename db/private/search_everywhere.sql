-- What the search over all sessions is made of. It costs the same however much there is: a rare word is looked up in the index, a
-- common one in what was said last where something happened lately.

-- As words_to_find takes them, but while somebody types: the last word may be the beginning of one, and nothing is refused.
create or replace function parley_private.words_being_typed(query text)
returns tsquery
language plpgsql stable
set search_path = ''
as $$
declare
  v_text   text := parley_private.in_parts(regexp_replace(query, '-[\s-]*-', '-', 'g'));
  v_last   text := substring(lower(v_text) from '(?:^|\s)([[:alnum:]]{3,})$');
  v_words  tsquery;
  v_before tsquery;
begin
  v_words := websearch_to_tsquery('pg_catalog.english', v_text);
  if v_last is null or position('"' in query) > 0 then
    return v_words;
  end if;
  v_before := websearch_to_tsquery('pg_catalog.english', left(v_text, -length(v_last)));
  return v_words || (v_before && (quote_literal(v_last) || ':*')::tsquery);
exception when others then
  return ''::tsquery;
end;
$$;

-- The sessions that the caller sees and in which something happened lately.
create or replace function parley_private.lively_sessions(at_most integer)
returns setof parley.sessions
language sql stable
set search_path = ''
as $$
  select s.* from parley.sessions s where parley_private.sees(s) order by s.active_minute desc limit at_most;
$$;

-- Of all sessions: who asks reads under the caller's policies what it finds.
create or replace function parley_private.messages_with(words tsquery)
returns table (session_id uuid, sequence integer)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  c_most constant integer := 2000;
  v_count integer;
begin
  return query
  select w.session_id, w.sequence from parley_private.message_words w where w.words @@ messages_with.words limit c_most;
  get diagnostics v_count = row_count;
  return query
  select s.id, recent.sequence
  from parley_private.lively_sessions(50) s
  cross join lateral (
    select (rest.m).sequence, parley_private.words_of(rest.m) as words from (
      select m from parley.messages m
      where m.session_id = s.id and m.sequence > parley_private.indexed_through(s.id)
      order by m.sequence desc limit 100
    ) rest (m)
    union all
    (
      select w.sequence, w.words from parley_private.message_words w
      where w.session_id = s.id and v_count = c_most
      order by w.sequence desc limit 200
    )
  ) recent
  where recent.words @@ messages_with.words;
end;
$$;

-- Documents that may hold them, as the index knows them; the newest of those that it does not know yet, too.
create or replace function parley_private.docs_with(words tsquery)
returns table (session_id uuid)
language sql stable security definer
set search_path = ''
as $$
  (select d.session_id from parley_private.doc_words d where d.words @@ docs_with.words limit 500)
  union
  (select s.id from parley_private.lively_sessions(50) s where s.session_doc_version > parley_private.indexed_doc(s.id) limit 5);
$$;

-- A line of a text around the first of the words: what stands between them and the words themselves in turns, beginning with what stands before.
create or replace function parley_private.snippet(text text, words tsquery, first_words text[])
returns text[]
language sql stable
set search_path = ''
as $$
  select regexp_split_to_array(
    ts_headline(
      'pg_catalog.english',
      translate(substr(text, greatest(coalesce(first.at, 1) - 200, 1), 4000), chr(1) || chr(2) || E'\r\n\t', '     '),
      parley_private.words_to_show(words),
      format('StartSel="%s", StopSel="%s", MaxWords=16, MinWords=8', chr(1), chr(2))),
    '[' || chr(1) || chr(2) || ']')
  from (select min(nullif(strpos(lower(snippet.text), word), 0)) as at from unnest(first_words) word) first;
$$;

grant execute on function parley_private.words_being_typed, parley_private.messages_with, parley_private.docs_with, parley_private.snippet to parley_caller;
