-- A cursor is a place in the feed: 0 is before the first message.
create or replace function parley_private.check_cursor(field text, value integer)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if value < 0 then
    perform parley_private.refuse_argument(field, format('%s must be 0 or more.', field),
      '0 is before the first message; last_cursor of get_session is the newest.');
  end if;
end;
$$;

grant execute on function parley_private.check_cursor to parley_caller;

create or replace function parley_private.check_not_ahead(field text, value integer, last_cursor integer)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if value > last_cursor then
    perform parley_private.fail(400, 'cursor_ahead', format('%s is %s, but the feed ends at %s.', field, value, last_cursor),
      'Use a cursor that this session gave you; current_cursor is the newest.',
      jsonb_build_object('field', field, 'current_cursor', last_cursor));
  end if;
end;
$$;

grant execute on function parley_private.check_not_ahead to parley_caller;
