--! Previous: sha1:954cb415bdbb4c9ab9b027cc403bd9c0efa41830
--! Hash: sha1:d4fbdd8a198b021169cd9cdab6f7073a8b6ea3af
--! Message: keys

do $$
begin
  create type parley.access_key as (
    key text, name text, scopes text[], session text, created_at timestamptz, created_by text, expires_at timestamptz,
    last_used_at timestamptz, revoked_at timestamptz, secret text);
  create type parley.access_keys as (keys parley.access_key[]);
exception when duplicate_object then null;
end $$;
