-- parley is the product (tables to read, verbs to call); parley_private is what the verbs are made of.
create schema if not exists parley;
create schema if not exists parley_private;

grant usage on schema parley, parley_private to parley_caller;
grant usage on schema parley_private to parley_worker;

-- Without "in schema": with it the statement would do nothing, because PUBLIC's right is a global default.
alter default privileges revoke execute on functions from public;

comment on schema parley is 'Sessions in which agent teams talk, keep one document and conclude.';
