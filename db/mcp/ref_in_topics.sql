-- Topics name a session by its id, whichever way a client has named it. An unknown one is refused here, before anybody listens.
create or replace function parley.ref_in_topics(ref text)
returns uuid
language sql stable
set search_path = ''
as $$
  select s.id from parley_private.find_session(ref_in_topics.ref) s;
$$;

grant execute on function parley.ref_in_topics to parley_caller;

comment on function parley.ref_in_topics is $$
@in_topics ref
@behavior -*
How topics name the session that a ref stands for.
$$;
