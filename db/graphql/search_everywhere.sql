-- The palette's search: where something was said or written, in any session that the caller sees.
do $$
begin
  create type parley.found_place as (
    id text,
    place text,
    session_id uuid,
    ref text,
    title text,
    cursor integer,
    team_name text,
    section text,
    snippet text[],
    at timestamptz
  );
exception when duplicate_object then null;
end $$;
comment on type parley.found_place is 'Where words were found.';
comment on column parley.found_place.id is '@notNull
Tells them apart.';
comment on column parley.found_place.place is '@notNull
message or doc.';
comment on column parley.found_place.session_id is '@notNull';
comment on column parley.found_place.ref is '@notNull';
comment on column parley.found_place.title is '@notNull
Of the session.';
comment on column parley.found_place.cursor is 'Of the message.';
comment on column parley.found_place.team_name is 'Who said it.';
comment on column parley.found_place.section is 'The heading above the place in the document; null: none.';
comment on column parley.found_place.snippet is '@notNull
A line of it: text and found words in turns, beginning with text.';
comment on column parley.found_place.at is 'When it was said, or the document last written.';

create or replace function parley.search_everywhere(search text)
returns setof parley.found_place
language plpgsql stable
set search_path = ''
as $$
declare
  c_messages constant integer := 8;
  c_docs     constant integer := 6;
  v_words    tsquery;
  v_first    text[];
begin
  perform parley_private.check_text('search', search, 'title_max');
  v_words := parley_private.words_being_typed(search);
  if numnode(v_words) = 0 then
    return;
  end if;
  v_first := tsvector_to_array(to_tsvector('pg_catalog.english', parley_private.in_parts(search)));
  return query
  select 'message ' || m.session_id || ' ' || m.sequence, 'message', s.id, s.ref, s.title, m.sequence, p.team_name, null,
    parley_private.snippet(m.content ->> 'text', v_words, v_first), m.posted_at
  from (
    select m.* from (select distinct h.session_id, h.sequence from parley_private.messages_with(v_words) h) h
    join parley.messages m on m.session_id = h.session_id and m.sequence = h.sequence
    order by m.posted_at desc limit c_messages
  ) m
  join parley.sessions s on s.id = m.session_id
  join parley.participants p on p.session_id = m.session_id and p.id = m.posted_by
  order by m.posted_at desc;
  return query
  select concat_ws(' ', 'doc', s.id, row_number() over (partition by s.id)), 'doc', s.id, s.ref, s.title, null::integer, null, d.section,
    parley_private.snippet(d.text, v_words, v_first), s.updated_at
  from (
    select s.* from parley.sessions s
    where s.id in (select h.session_id from parley_private.docs_with(v_words) h)
    order by s.active_minute desc limit c_docs
  ) s
  cross join lateral (
    select * from parley_private.search_doc(s.id, v_words) d order by d.rank desc limit 2
  ) d
  order by s.active_minute desc, d.rank desc
  limit c_docs;
end;
$$;

grant execute on function parley.search_everywhere to parley_caller;

comment on function parley.search_everywhere is '@cost 500
Where words were said or written, in all sessions that you see: messages, newest first, then documents. The last word may be the beginning of one.';
