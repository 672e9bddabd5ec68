-- The one way to refuse. The SQLSTATE carries the HTTP status (PT409), the detail carries what callers
-- may know; REST, MCP and GraphQL all read it from there.
create or replace function parley_private.fail(
  status integer,
  code text,
  message text,
  hint text default null,
  details jsonb default '{}'
)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  raise exception using
    errcode = 'PT' || fail.status,
    message = fail.message,
    detail = jsonb_build_object(
      'code', fail.code,
      'details', fail.details || case when fail.hint is null then '{}'::jsonb else jsonb_build_object('hint', fail.hint) end
    )::text;
end;
$$;

grant execute on function parley_private.fail to parley_caller;

-- Most refusals are about one argument.
create or replace function parley_private.refuse_argument(field text, message text, hint text default null)
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(400, 'invalid_argument', message, hint, jsonb_build_object('field', field));
$$;

grant execute on function parley_private.refuse_argument to parley_caller;
