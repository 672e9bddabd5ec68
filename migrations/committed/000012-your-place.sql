--! Previous: sha1:a6f125753457f78a0a9aff73d9e2a627f30ce4ba
--! Hash: sha1:23b66660ca6e06d2df242f6be9eaad3d8a7ff71b
--! Message: your place

-- Enter migration here
do $$
begin
  create type parley.your_place as (
    handle text,
    may_write boolean,
    may_lead boolean,
    may_own boolean,
    may_delete boolean,
    refusal text,
    hint text
  );
exception when duplicate_object then null;
end $$;
