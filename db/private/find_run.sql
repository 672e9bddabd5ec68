-- The newest run of a team, by its handle.
create or replace function parley_private.find_run(session_id uuid, handle text)
returns parley.runs
language plpgsql stable
set search_path = ''
as $$
declare
  v_run parley.runs;
begin
  select r.* into v_run
  from parley.participants p
  join parley.runs r on r.session_id = p.session_id and r.participant_id = p.id
  where p.session_id = find_run.session_id and p.handle = ltrim(left(find_run.handle, 200), '@')
  order by r.run desc
  limit 1;
  if not found then
    perform parley_private.fail(404, 'agent_not_found', 'No agent runs here under this handle.', 'list_agents names them.',
      jsonb_build_object('field', 'handle'));
  end if;
  return v_run;
end;
$$;

grant execute on function parley_private.find_run to parley_caller;
