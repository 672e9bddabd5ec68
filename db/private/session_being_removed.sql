-- The session that this transaction removes; null in every other. Anybody may set it for himself and gains nothing by it: the
-- policies and triggers that ask for it let only the owner delete, and only remove_session deletes as the owner.
create or replace function parley_private.session_being_removed()
returns uuid
language sql stable
return nullif(current_setting('parley.removing', true), '')::uuid;

-- For the triggers of what is otherwise never deleted. Which rows may go is said by a policy.
create or replace function parley_private.removes_a_session()
returns boolean
language sql stable
return current_user = 'parley_owner' and parley_private.session_being_removed() is not null;
