-- For people, on the page: notifications of what waits for them. No verbs, so that no agent is offered them as tools.

create or replace function parley.push_key()
returns text
language sql stable security definer
set search_path = ''
as $$
  select k.public_key from parley_private.push_keys k;
$$;

comment on function parley.push_key is 'The public key that a browser subscribes to notifications with; null where none are sent.';

-- Only https, and only by a name; that it leads to no network of ours is seen when the worker connects (api/push).
create or replace function parley.subscribe_push(endpoint text, p256dh text, auth text)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  c_most constant integer := 20;
begin
  perform parley_private.admit('person');
  if endpoint is null or length(endpoint) > 1000 or endpoint !~ '^https://[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}(:[0-9]{1,5})?/\S*$' then
    perform parley_private.refuse_argument('endpoint', 'endpoint must be the https address of a push service.',
      'Send what the browser gives: PushSubscription.toJSON().');
  elsif p256dh is null or p256dh !~ '^[A-Za-z0-9_-]{80,100}={0,2}$' then
    perform parley_private.refuse_argument('p256dh', 'p256dh must be the key of a subscription.', 'Send what the browser gives: PushSubscription.toJSON().');
  elsif auth is null or auth !~ '^[A-Za-z0-9_-]{20,30}={0,2}$' then
    perform parley_private.refuse_argument('auth', 'auth must be the secret of a subscription.', 'Send what the browser gives: PushSubscription.toJSON().');
  end if;
  insert into parley_private.push_subscriptions as p (endpoint, user_id, p256dh, auth)
  values (subscribe_push.endpoint, parley_private.person_id(), subscribe_push.p256dh, subscribe_push.auth)
  on conflict on constraint push_subscriptions_have_an_endpoint do update set
    user_id = excluded.user_id, p256dh = excluded.p256dh, auth = excluded.auth;
  -- The oldest of too many are of browsers that nobody uses any more.
  delete from parley_private.push_subscriptions p
  where p.endpoint in (
    select o.endpoint from parley_private.push_subscriptions o
    where o.user_id = parley_private.person_id() order by o.created_at desc offset c_most
  );
  return true;
end;
$$;

comment on function parley.subscribe_push is '@notNull
Notify this browser of what waits for you.';

create or replace function parley.unsubscribe_push(endpoint text)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform parley_private.admit('person');
  delete from parley_private.push_subscriptions p
  where p.endpoint = unsubscribe_push.endpoint and p.user_id = parley_private.person_id();
  return found;
end;
$$;

comment on function parley.unsubscribe_push is '@notNull
Notify this browser no more.';

create or replace function parley.notify_me(kinds text[] default null, session_id text default null)
returns text[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_session uuid;
begin
  perform parley_private.admit('person');
  if kinds is null and notify_me.session_id is null or not kinds <@ array['question', 'permission', 'blocker', 'stalled', 'idle'] then
    perform parley_private.refuse_argument('kinds', 'kinds must be some of: question, permission, blocker, stalled, idle.', 'An empty list: none of them.');
  end if;
  if notify_me.session_id is not null then
    v_session := (parley_private.find_session(notify_me.session_id)).id;
  end if;
  if kinds is null then
    delete from parley_private.notices n where n.user_id = parley_private.person_id() and n.session_id = v_session;
    return parley.my_notices();
  end if;
  insert into parley_private.notices as n (user_id, session_id, kinds)
  values (parley_private.person_id(), v_session, array(select distinct k from unnest(notify_me.kinds) k order by k))
  on conflict on constraint notices_are_once_per_person_and_session do update set kinds = excluded.kinds;
  return notify_me.kinds;
end;
$$;

comment on function parley.notify_me is '@notNull
Which kinds of what waits for you are worth a notification: in general, or in one session; without kinds, in that session the same as in general.';

create or replace function parley.my_notices(session_id text default null)
returns text[]
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_person  uuid := parley_private.person_id();
  v_session uuid := case when my_notices.session_id is not null then (parley_private.find_session(my_notices.session_id)).id end;
begin
  return coalesce(
    (select n.kinds from parley_private.notices n where n.user_id = v_person and n.session_id = v_session),
    (select n.kinds from parley_private.notices n where n.user_id = v_person and n.session_id is null),
    '{question,permission,blocker}');
end;
$$;

comment on function parley.my_notices is '@notNull
The kinds that you are notified of: in general, or in one session.';

grant execute on function parley.push_key, parley.subscribe_push, parley.unsubscribe_push, parley.notify_me, parley.my_notices to parley_caller;
