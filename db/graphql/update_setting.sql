-- For people, on the settings page: no verb, so that no agent is offered it as a tool. Checked by the trigger of the table.
--
-- With open access only requests that were sent on the server's own machine may, with keys whoever has the scope admin.
create or replace function parley.update_setting(name text, value jsonb)
returns parley.settings
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_setting parley.settings;
begin
  perform parley_private.admit('key admin');
  perform parley_private.refuse_bound_key();
  update parley.settings s set value = update_setting.value
  where s.name = update_setting.name
  returning * into v_setting;
  if not found then
    perform parley_private.fail(404, 'setting_not_found', 'There is no setting of this name.', 'The settings are rows of the table settings.');
  end if;
  perform parley_private.audit('setting_changed', details => jsonb_build_object('name', name, 'value', value));
  return v_setting;
end;
$$;

grant execute on function parley.update_setting to parley_caller;

comment on function parley.update_setting is 'Change a setting. It applies at once, on every replica.';
