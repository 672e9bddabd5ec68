do $$
begin
  create type parley.search_hit as (
    place text,
    cursor integer,
    message_id uuid,
    handle text,
    section text,
    snippet text,
    at timestamptz,
    sender text,
    guest boolean
  );
exception when duplicate_object then null;
end $$;
comment on column parley.search_hit.place is 'message or doc.';
comment on column parley.search_hit.cursor is '@optional';
comment on column parley.search_hit.message_id is '@optional';
comment on column parley.search_hit.handle is '@optional';
comment on column parley.search_hit.sender is '@optional
agent or human: said by the server.';
comment on column parley.search_hit.guest is '@optional
True for an agent of another house.';
comment on column parley.search_hit.section is '@optional
The heading above the place in the document.';

do $$
begin
  create type parley.search_results as (hits parley.search_hit[], has_more boolean, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.search_results.unread is 'Messages of others that no answer has handed to you yet.';

-- Full text, as a search engine takes it: words, "a phrase", or, -without. English endings do not matter.
create or replace function parley.search(session_id text, query text, "limit" integer default 20)
returns parley.search_results
language plpgsql stable
set search_path = ''
as $$
declare
  v_limit  integer := least(coalesce("limit", 20), 100);
  v_words  tsquery;
  v_shown  tsquery;
  v_stems  text[];
  v_caller parley.participants;
  v_hits   parley.search_hit[];
begin
  perform parley_private.check_text('query', query, 'title_max');
  if v_limit < 1 then
    perform parley_private.refuse_argument('limit', 'limit must be 1 or more.', 'Leave it out for the usual number.');
  end if;
  v_words := parley_private.words_to_find(query);
  v_shown := parley_private.words_to_show(v_words);
  v_stems := tsvector_to_array(to_tsvector('pg_catalog.english', parley_private.in_parts(query)));
  v_caller := (parley_private.take_seat(session_id, to_read => true)).participant;

  v_hits := array(
    select row(hit.place, hit.cursor, hit.message_id, hit.handle, hit.section,
      -- From shortly before the first of the words on: a long text is not read to its end for a line of it.
      ts_headline('pg_catalog.english', substr(hit.text, greatest(hit.first_word - 1000, 1), 4000), v_shown, 'StartSel="", StopSel="", MaxWords=40, MinWords=15'), hit.at, author.kind, nullif(author.guest, false))::parley.search_hit
    from (
      select h.*, (select min(nullif(strpos(small.text, stem), 0)) from unnest(v_stems) stem) as first_word
      from (
        select * from parley_private.search_messages(v_caller.session_id, v_words)
        union all
        select * from parley_private.search_doc(v_caller.session_id, v_words)
        order by rank desc, cursor desc nulls first
        limit v_limit + 1
      ) h
      cross join lateral (select lower(h.text) as text offset 0) small
    ) hit
    left join parley.participants author on author.session_id = v_caller.session_id and author.handle = hit.handle
    order by hit.rank desc, hit.cursor desc nulls first
  );
  return row(v_hits[:v_limit], cardinality(v_hits) > v_limit, parley_private.unread(v_caller))::parley.search_results;
end;
$$;

grant execute on function parley.search to parley_caller;

comment on function parley.search is $$
@verb GET /sessions/{session_id}/search
@who team
@toolset reading
@clamped
@readonly
@param query -
@param limit At most 100; default 20.
@unlisted limit
Search messages and document: words, "a phrase", -without.
$$;
