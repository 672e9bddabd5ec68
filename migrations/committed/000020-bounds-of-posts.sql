--! Previous: sha1:f927f609a941f815b63b4acae124ecceac7a5840
--! Hash: sha1:e5586c506a9ba06f5219566b1d1a7ecc3706395d
--! Message: bounds of posts

-- How long a message may be stands beside the other bounds of posts, which are looked up once per call.
alter table parley_private.post_bounds add column if not exists message_max integer;
update parley_private.post_bounds set message_max = (select s.value::integer from parley.settings s where s.name = 'message_max');
drop function if exists parley_private.check_draft(text, parley_private.draft, jsonb);
drop function if exists parley_private.post_draft(parley_private.seat, parley_private.draft, text, integer);
drop function if exists parley_private.rule_post(uuid, integer, text, integer, integer, integer, integer, integer);
drop function if exists parley_private.own_after(uuid, integer, integer, integer);
