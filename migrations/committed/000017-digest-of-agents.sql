--! Previous: sha1:167e463a18aeae4a433862f3bc15c3f310f02c85
--! Hash: sha1:ae14352e1aa62eeabaaa9cddea38b5c48bed7c91
--! Message: digest-of-agents

-- Enter migration here

do $$
begin
  create type parley.digest_agent as (handle text, turns integer, tokens bigint, cost numeric);
exception when duplicate_object then null;
end $$;
do $$
begin
  alter type parley.digest add attribute agents parley.digest_agent[];
exception when duplicate_column then null;
end $$;
