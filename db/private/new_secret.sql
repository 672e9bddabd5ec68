-- Three uuids hold more than the 256 random bits that are kept of them: 43 characters that are safe in a URL.
create or replace function parley_private.new_secret()
returns text
language sql volatile
set search_path = ''
as $$
  select translate(rtrim(encode(
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
    'base64'), '='), '+/', '-_');
$$;

create or replace function parley_private.hash_of(secret text)
returns bytea
language sql immutable
return sha256(convert_to(secret, 'UTF8'));
