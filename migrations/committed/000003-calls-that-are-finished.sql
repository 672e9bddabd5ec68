--! Previous: sha1:051f43af35d8d4ac16c0417d7eac4e7c48c723e4
--! Hash: sha1:0a68e7d1c0c69ac1d340a43d51c89e82bdc428b2
--! Message: Calls that are finished

drop function if exists parley_private.end_call(json, boolean);
