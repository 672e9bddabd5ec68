-- Tells the rest of the transaction who is calling: the hash of the team_id, the address that the request came
-- to, and an id for a wait, should the verb want to wait. True, so that it can stand in a CASE, whose order is certain.
create or replace function parley_private.begin_call(team_hash text, origin text, wait_id text default '')
returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  perform
    set_config('parley.team_hash', coalesce(team_hash, ''), true),
    set_config('parley.origin', coalesce(origin, ''), true),
    set_config('parley.wait_id', coalesce(wait_id, ''), true),
    -- Calls may share a transaction: what the one before has left is not for this one.
    set_config('parley.topics', '', true),
    set_config('parley.held', '', true),
    set_config('parley.collects_topics', 'yes', true);
  return true;
end;
$$;

grant execute on function parley_private.begin_call to parley_caller;

-- What the server has to know beside the answer: the topics that changed, and whether it should wait instead of
-- answering. It takes the answer as an argument to be sure that the verb has run before it looks. The sign of life comes
-- last: nobody who queues for a session holds the row of his team meanwhile.
create or replace function parley_private.end_call(inout answer json, out topics text, out held json)
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.note_call(current_setting('parley.team_hash', true));
  topics := nullif(current_setting('parley.topics', true), '');
  held := nullif(current_setting('parley.held', true), '')::json;
end;
$$;

grant execute on function parley_private.end_call to parley_caller;
