-- Of those who hold a connection open, the ones whose doors have closed: what they had shown is revoked, expired or signed out, or
-- its person or team is gone; under keys also whoever has shown nothing that is known. One question for all of a server.
create or replace function parley_private.closed_doors(shown jsonb)
returns integer[]
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return array(
    select d.n::integer
    from rows from (jsonb_to_recordset(shown) as (team text, key text, cookie text)) with ordinality as d (team, key, cookie, n)
    cross join lateral (
      select
        (select parley_private.is_alive(p) from parley_private.credentials c
         join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
         where c.hash = decode(nullif(d.team, ''), 'hex')) as team,
        -- An invitation that is used up has not closed the door of those who came by it: their teams tell.
        coalesce(
          (select parley_private.is_alive(k) from parley_private.keys k where k.hash = decode(nullif(d.key, ''), 'hex')),
          (select true from parley_private.invites i
           where i.hash = decode(nullif(d.key, ''), 'hex') and i.session_id is not null and parley_private.is_alive(i))) as key,
        (select parley_private.is_alive(i) and u.removed_at is null from parley_private.sign_ins i
         join parley_private.users u on u.id = i.user_id
         where i.hash = decode(nullif(d.cookie, ''), 'hex')) as cookie
    ) as alive
    -- With open access a key that has ended is as good as none: it is let in, too.
    where false in (alive.team, alive.cookie)
      or parley_private.asks_for_keys() and (alive.key = false or num_nonnulls(alive.team, alive.key, alive.cookie) = 0)
    order by d.n);
end;
$$;

grant execute on function parley_private.closed_doors to parley_caller;
