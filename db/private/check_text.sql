-- Refuses a text that is missing, blank or longer than the named setting allows.
create or replace function parley_private.check_text(field text, value text, max_setting text, may_be_blank boolean default false)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_max integer := parley_private.setting(max_setting);
begin
  if value is null then
    perform parley_private.refuse_argument(field, format('%s is required.', field));
  elsif not may_be_blank and value !~ '\S' then
    perform parley_private.refuse_argument(field, format('%s must not be blank.', field));
  elsif char_length(value) > v_max then
    perform parley_private.refuse_argument(
      field,
      format('%s has %s characters; at most %s are allowed.', field, char_length(value), v_max),
      'Shorten it, or split it over several calls.');
  end if;
end;
$$;

grant execute on function parley_private.check_text to parley_caller;
