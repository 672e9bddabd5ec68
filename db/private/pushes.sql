-- Notifications: what is kept for them, and what the worker sends.

-- The keys of this server, for the worker alone. The pair that is offered is taken if there is none yet.
create or replace function parley_private.push_keys(public_key text, private_key text)
returns parley_private.push_keys
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_keys parley_private.push_keys;
begin
  insert into parley_private.push_keys (public_key, private_key) values (push_keys.public_key, push_keys.private_key)
  on conflict on constraint push_keys_are_one do nothing;
  select * into v_keys from parley_private.push_keys;
  return v_keys;
end;
$$;

-- Whether a person sees a session, told without a caller: the worker has none.
create or replace function parley_private.is_seen_by(session parley.sessions, person parley_private.users)
returns boolean
language sql stable
set search_path = ''
as $$
  select session.visibility = 'everyone' or person.role = 'owner'
    or exists (select from parley_private.members m where m.session_id = session.id and m.user_id = person.id);
$$;

-- What people are to be notified of now, each thing once for as long as it waits: where to look, and nothing of what it says. However
-- much has come in a session since the last time, its people are called there once; what is more than a round takes is for the next.
create or replace function parley_private.take_pushes(at_most integer default 100)
returns table (endpoint text, p256dh text, auth text, path text)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_person parley_private.users;
  v_left   integer := at_most;
  v_taken  integer;
begin
  -- Whose turn it is, is left to chance: nobody is always the last.
  for v_person in
    select u.* from parley_private.users u
    where u.removed_at is null and exists (select from parley_private.push_subscriptions p where p.user_id = u.id)
    order by random()
  loop
    exit when v_left <= 0;
    return query
    with needed as materialized (
      select s.id as session_id, concat_ws(' ', n.kind, n.cursor, n.participant_id, n.task, n.request) as need,
        '/s/' || s.ref || coalesce('#' || n.cursor, '') as path, n.at
      from parley_private.needs(v_person.id) n
      join parley.sessions s on s.id = n.session_id and parley_private.is_seen_by(s, v_person)
      where not exists (select from parley_private.archived_sessions a where a.session_id = s.id and a.user_id = v_person.id)
        and n.kind = any (coalesce(
          (select w.kinds from parley_private.notices w where w.user_id = v_person.id and w.session_id = s.id),
          (select w.kinds from parley_private.notices w where w.user_id = v_person.id and w.session_id is null),
          '{question,permission,blocker}'))
    ),
    over as (
      delete from parley_private.notified d
      where d.user_id = v_person.id and not exists (select from needed n where n.session_id = d.session_id and n.need = d.need)
    ),
    told as (
      insert into parley_private.notified (user_id, session_id, need)
      select v_person.id, n.session_id, n.need from needed n
      where n.session_id in (
        select x.session_id from needed x
        where not exists (select from parley_private.notified d where d.user_id = v_person.id and d.session_id = x.session_id and d.need = x.need)
        group by x.session_id
        limit (select greatest(1, v_left / count(*)) from parley_private.push_subscriptions p where p.user_id = v_person.id))
      on conflict on constraint notified_is_once_per_need do nothing
      returning notified.session_id, notified.need
    ),
    calls as (
      select distinct on (t.session_id) n.path from told t
      join needed n on n.session_id = t.session_id and n.need = t.need
      order by t.session_id, n.at desc
    )
    select p.endpoint, p.p256dh, p.auth, c.path
    from calls c
    cross join parley_private.push_subscriptions p
    where p.user_id = v_person.id;
    get diagnostics v_taken = row_count;
    v_left := v_left - v_taken;
  end loop;
end;
$$;

-- Its push service says that nobody is there any more.
create or replace function parley_private.drop_push(endpoint text)
returns void
language sql volatile security definer
set search_path = ''
as $$
  delete from parley_private.push_subscriptions p where p.endpoint = drop_push.endpoint;
$$;

grant execute on function parley_private.push_keys(text, text), parley_private.take_pushes, parley_private.drop_push to parley_worker;
