-- Run by the worker every few seconds, a little at a time: what was written down more than 90 days ago, and browsers and sign-in
-- links that have been of no use for a month.
create or replace function parley_private.forget_old(at_most integer default 1000)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  delete from parley_private.audit a
  where a.id in (select o.id from parley_private.audit o where o.at < now() - interval '90 days' order by o.at limit at_most);
  delete from parley_private.sign_ins i
  where i.hash in (select o.hash from parley_private.sign_ins o where least(o.revoked_at, o.expires_at) < now() - interval '30 days' limit at_most);
  delete from parley_private.invites i
  where i.hash in (select o.hash from parley_private.invites o where o.session_id is null and o.expires_at < now() - interval '30 days' limit at_most);
end;
$$;

grant execute on function parley_private.forget_old to parley_worker;
