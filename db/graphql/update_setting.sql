-- For people, on the settings page: no verb, so that no agent is offered it as a tool. Checked by the trigger of the table.
--
-- Access is open, so whoever reaches the server could move its rules: the server says whether a request was sent on its own
-- machine, and only those may.
create or replace function parley.update_setting(name text, value jsonb)
returns parley.settings
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_setting parley.settings;
begin
  if current_setting('parley.local', true) is distinct from 'on' then
    perform parley_private.fail(
      403, 'forbidden', 'Settings are changed only on the machine that the server runs on.',
      'Open the settings there, under http://localhost, or change them by SQL: update parley.settings set value = … where name = ….');
  end if;

  update parley.settings s set value = update_setting.value
  where s.name = update_setting.name
  returning * into v_setting;
  if not found then
    perform parley_private.fail(404, 'setting_not_found', 'There is no setting of this name.', 'The settings are rows of the table settings.');
  end if;
  return v_setting;
end;
$$;

grant execute on function parley.update_setting to parley_caller;

comment on function parley.update_setting is 'Change a setting. It applies at once, on every replica.';
