-- For people, on the settings page, and for parley doctor: what of this server is not as it was shipped.
--
-- The names may be known to whoever reads; what the functions say only to whoever may change a setting.
do $$
begin
  create type parley.changed_function as (
    name text,
    signature text,
    file text,
    ours text,
    theirs text,
    moved_on boolean,
    revoked_from text[],
    kept_aside text
  );
exception when duplicate_object then null;
end $$;
comment on type parley.changed_function is 'A function of Parley that was changed in this database.';
comment on column parley.changed_function.name is 'Its name.';
comment on column parley.changed_function.signature is 'The name with the types of its arguments.';
comment on column parley.changed_function.file is 'The file of db/ that ours stands in; null when there is none any more.';
comment on column parley.changed_function.ours is 'Ours; told only to whoever may change settings.';
comment on column parley.changed_function.theirs is 'What stands in its place, or was kept aside; null: nothing. Told only to whoever may change settings.';
comment on column parley.changed_function.moved_on is 'Whether ours has changed since.';
comment on column parley.changed_function.revoked_from is 'The roles that may no longer execute it.';
comment on column parley.changed_function.kept_aside is 'Why theirs does not stand, but was kept aside; null while it does.';

create or replace function parley.changed_functions()
returns setof parley.changed_function
language sql stable security definer
set search_path = ''
as $$
  select c.name, c.signature, c.file,
    case when local then c.ours end,
    case when local then c.theirs end,
    c.moved_on, c.revoked_from, c.kept_aside
  from parley_private.changed_functions() c, parley_private.may_administer() as local;
$$;

grant execute on function parley.changed_functions to parley_caller;

comment on function parley.changed_functions is 'The functions of Parley that were changed in this database. What a DBA has changed stays changed; npx parley admin sources --reset NAME takes ours.';
