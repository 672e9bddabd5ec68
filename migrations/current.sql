-- One with more arguments has come beside it: who calls it in the sources could not tell which is meant.
drop function if exists parley_private.announce(uuid, text, jsonb);
