--! Previous: sha1:4990207f4d34cc5c7c557c9b382b2aadadb0a5fa
--! Hash: sha1:a6f125753457f78a0a9aff73d9e2a627f30ce4ba
--! Message: announcements

-- One with more arguments has come beside it: who calls it in the sources could not tell which is meant.
drop function if exists parley_private.announce(uuid, text, jsonb);
