--! Previous: sha1:4835b1dd9084261134bba9b7a385fc73ad08e455
--! Hash: sha1:2bdff8e5463cd1c4cb95ff3b4f67eaf289c713bf
--! Message: people

-- Enter migration here

do $$
begin
  create type parley.browser as (by text, signed_in_at timestamptz, last_used_at timestamptz, expires_at timestamptz);
  create type parley.person as (
    person uuid, name text, role text, email text, you boolean, created_at timestamptz, removed_at timestamptz, browsers parley.browser[]);
  create type parley.people as (people parley.person[]);
  create type parley.invited_person as (link text, name text, role text, expires_at timestamptz);
  create type parley.audit_entry as (id bigint, at timestamptz, actor text, event text, session text, details jsonb);
  create type parley.audit_page as (entries parley.audit_entry[], next_before bigint);
exception when duplicate_object then null;
end $$;

alter table parley.settings drop constraint if exists settings_have_a_known_type;
alter table parley.settings add constraint settings_have_a_known_type check (type in ('integer', 'boolean', 'url', 'choice'));
