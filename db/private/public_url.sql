-- Where this server is reached: the mcp_url setting without its last part, or else the address of the request.
create or replace function parley_private.public_url()
returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    nullif(regexp_replace(s.value #>> '{}', '(/api)?(/mcp)?/*$', ''), ''),
    parley_private.caller_shows('origin'),
    ''
  )
  from parley.settings s
  where s.name = 'mcp_url';
$$;

grant execute on function parley_private.public_url to parley_caller;
