-- Tells the rest of the transaction who is calling: the hash of the team_id, the address that the request came
-- to, and an id for a wait, should the verb want to wait. True, so that it can stand in a CASE, whose order is certain.
create or replace function parley_private.begin_call(team_hash text, origin text, wait_id text default '')
returns boolean
language plpgsql volatile
set search_path = ''
as $$
begin
  perform set_config('parley.team_hash', coalesce(team_hash, ''), true);
  perform set_config('parley.origin', coalesce(origin, ''), true);
  perform set_config('parley.wait_id', coalesce(wait_id, ''), true);
  return true;
end;
$$;

grant execute on function parley_private.begin_call to parley_caller;
