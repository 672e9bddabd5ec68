create or replace function parley_private.search_messages(session_id uuid, words tsquery)
returns table (place text, rank real, cursor integer, message_id uuid, handle text, section text, text text, at timestamptz)
language sql stable
set search_path = ''
as $$
  select 'message', ts_rank(parley_private.message_words(m.session_id, m.content), words), m.sequence, m.id, p.handle, null, m.content ->> 'text', m.posted_at
  from parley.messages m
  join parley.participants p on p.session_id = m.session_id and p.id = m.posted_by
  where m.type = 'chat'
    and parley_private.message_words(m.session_id, m.content) @@ (words && quote_literal('session:' || search_messages.session_id)::tsquery)
    and m.session_id = search_messages.session_id;
$$;

grant execute on function parley_private.search_messages to parley_caller;

-- The document section by section, as it is now; its words are read when asked for, since every line changes it.
create or replace function parley_private.search_doc(session_id uuid, words tsquery)
returns table (place text, rank real, cursor integer, message_id uuid, handle text, section text, text text, at timestamptz)
language sql stable
set search_path = ''
as $$
  select 'doc', ts_rank(part.words, search_doc.words), null::integer, null::uuid, null, part.title, part.text, session.updated_at
  from parley.sessions session
  cross join parley_private.doc_text_at(session.id, session.session_doc_version) as doc
  cross join lateral (
    select part.title, part.text, to_tsvector('pg_catalog.english', left(part.text, 100000)) as words
    from (
      select o.title, substr(doc, o.starts, coalesce(lead(o.starts) over (order by o.starts, o.title nulls first), length(doc) + 1) - o.starts) as text
      from (
        select null as title, 1 as starts
        union all
        select o.title, o.starts from parley_private.doc_outline(doc) o where o.level > 0
      ) o
    ) part
  ) part
  where session.id = search_doc.session_id and part.words @@ search_doc.words;
$$;

grant execute on function parley_private.search_doc to parley_caller;
