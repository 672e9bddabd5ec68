create or replace function parley.settings_choices(setting parley.settings)
returns text[]
language sql stable
set search_path = ''
as $$
  select parley_private.choices_of(setting.name);
$$;

grant execute on function parley.settings_choices to parley_caller;

comment on function parley.settings_choices is 'What may be chosen; null where the value is no choice.';
