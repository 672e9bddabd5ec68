-- Whether the caller may do what concerns everybody here. Access is open, so only who is on the server's own machine may.
create or replace function parley_private.may_administer()
returns boolean
language sql stable
return coalesce(current_setting('parley.local', true) = 'on', false);
