--! Previous: sha1:f2f7cab14574aeeef3198bc8e8f09e856bf62623
--! Hash: sha1:051f43af35d8d4ac16c0417d7eac4e7c48c723e4
--! Message: Sessions with interrupts

alter table parley.sessions add column if not exists has_interrupts boolean not null default false;
update parley.sessions s set has_interrupts = true
where exists (select from parley_private.interrupts i where i.session_id = s.id)
  or exists (select from parley_private.rings r where r.session_id = s.id);
