-- What needs a person: this is the one place that says so. The list of sessions, the inbox, the number in the tab and notifications
-- all ask here. Over all sessions: who asks shows nothing of those that its caller does not see.

-- The open questions to people, or to this one by their handle.
create or replace function parley_private.questions_to(person uuid)
returns setof parley.open_questions
language sql stable security definer
set search_path = ''
as $$
  select o.* from parley.open_questions o where 'humans' = any (o.addressed_to)
  union
  select o.*
  from parley.participants p
  join parley.open_questions o on o.session_id = p.session_id and p.handle = any (o.addressed_to)
  where p.user_id = person and p.kind = 'human' and p.left_at is null;
$$;

grant execute on function parley_private.questions_to to parley_caller;

-- question: somebody asks people. permission: an agent wants to be allowed something. blocker: a team has said that it is stuck, has reported nothing since, and nobody has replied; or a task is blocked. stalled: a
-- team holds tasks and has fallen silent. idle: everybody who is there waits, and nobody says anything any more.
create or replace function parley_private.needs(person uuid)
returns table (session_id uuid, kind text, cursor integer, participant_id integer, task integer, request text, at timestamptz)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_now        timestamptz := clock_timestamp();
  v_silent     timestamptz := parley_private.since('working_seconds', v_now);
  v_idle_polls integer := parley_private.setting('idle_polls');
begin
  return query
  select need.session_id, need.kind, need.cursor, need.participant_id, need.task, need.request,
    coalesce(need.at, (select m.posted_at from parley.messages m where m.session_id = need.session_id and m.sequence = need.cursor))
  from (
    select q.session_id, 'question' as kind, q.sequence as cursor, q.asked_by as participant_id, null::integer as task, null as request, null::timestamptz as at
    from parley_private.questions_to(person) q
    left join parley.asks a on a.session_id = q.session_id and a.sequence = q.sequence
    where not parley_private.is_due(a)
      and not exists (
        select from parley.participants p
        where p.session_id = q.session_id and p.id = q.asked_by and p.kind = 'human' and p.user_id = person)
    union all
    select r.session_id, 'permission', null, r.participant_id, null, a.run || ' ' || a.request, a.asked_at
    from parley.run_permissions a
    join parley.runs r on r.session_id = a.session_id and r.run = a.run
    where a.answered_at is null and a.expires_at > v_now and not parley_private.is_guest()
    union all
    select b.session_id, 'blocker', b.sequence, b.raised_by, null, null, null from parley.blockers b
    union all
    select t.session_id, 'blocker', null, null, t.task, null, t.updated_at from parley.tasks t where t.status = 'blocked'
    union all
    select p.session_id, 'stalled', null, p.id, min(t.task), null, p.last_seen_at
    from parley.tasks t
    join parley.participants p on p.session_id = t.session_id and p.id = t.claimed_by
    where t.claimed_by is not null and p.left_at is null and p.last_seen_at < v_silent
      and not parley_private.is_listening(p.session_id, p.id, v_now)
    group by p.session_id, p.id
    union all
    select waiting.session_id, 'idle', null, null, null, null, s.last_message_at
    from (
      select distinct p.session_id from parley.participants p
      where p.known_status <> 'disconnected' and p.kind = 'agent' and p.left_at is null and p.empty_polls >= v_idle_polls
    ) waiting
    cross join lateral (
      select s.last_message_at from parley.sessions s
      where s.id = waiting.session_id and not exists (
        select from parley.participants p
        where p.session_id = s.id and p.known_status <> 'disconnected' and p.kind = 'agent' and p.left_at is null
          and (p.empty_polls < v_idle_polls or p.idle_version <> s.session_doc_version)
        offset 0)
      offset 0
    ) s
  ) need
  -- Each looked up by its id: a plan that reads all sessions that go on would cost the list more than all the rest.
  cross join lateral (select s.status, s.paused_at from parley.sessions s where s.id = need.session_id offset 0) s
  where s.status = 'active' and (s.paused_at is null or need.kind in ('question', 'blocker'));
end;
$$;
