-- Tells who listens that something has changed; ids only, never content.
--
-- NOTIFY holds a lock over the whole database from before the commit until after it is on disk, so that posts of
-- different sessions would queue up for the disk one by one. A server that says so (begin_call) therefore gets the
-- topics with its answer and notifies right after the commit, many at a time; if it dies in between, waits look by
-- themselves within two seconds. For everyone else the notification is part of the transaction, as usual.
create or replace function parley_private.note_topic(topic text)
returns text
language sql volatile
return case when current_setting('parley.collects_topics', true) = 'yes'
  then set_config('parley.topics', concat_ws(',', nullif(current_setting('parley.topics', true), ''), topic), true)
  else pg_notify('parley', topic)::text
end;

-- The same for a call that says itself what it has changed.
create or replace function parley_private.told_topic(topic text)
returns text
language sql volatile
return case when current_setting('parley.collects_topics', true) = 'yes' then topic else pg_notify('parley', topic)::text end;

create or replace function parley_private.notify(topic text)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.note_topic(topic);
end;
$$;
