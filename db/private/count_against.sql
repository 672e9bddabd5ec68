-- Counts one more use of what a setting bounds, in a window that begins with the first use and ends with the count. Whoever is refused is
-- not counted: that is rolled back. Two at once meet at the row, so the count is exact. Nobody is counted who is nobody (null).
create or replace function parley_private.count_against(rule text, subject text, per interval, what text)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_bound   integer := parley_private.setting(rule);
  v_counter parley_private.counters;
begin
  if v_bound = 0 or subject is null then
    return;
  end if;
  insert into parley_private.counters as c (rule, subject, used, ends_at)
  values (rule, subject, 1, clock_timestamp() + per)
  on conflict on constraint counters_are_kept_per_rule_and_subject do update set
    used = case when c.ends_at > clock_timestamp() then c.used + 1 else 1 end,
    ends_at = case when c.ends_at > clock_timestamp() then c.ends_at else excluded.ends_at end
  returning * into v_counter;
  if v_counter.used > v_bound then
    perform parley_private.refuse_too_soon(
      format('%s: %s within %s, as many as this server takes.', what, v_bound, case per when '1 hour' then 'an hour' else per::text end),
      'Nothing was done. Wait %s seconds, or ask whoever runs this server to raise the setting.',
      v_counter.ends_at,
      jsonb_build_object('setting', rule, 'limit', v_bound));
  end if;
end;
$$;

-- One more session is opened, by a team or at the door. A team that shows no key is counted with the one that it was opened under.
create or replace function parley_private.count_session(team parley.participants default null)
returns void
language sql volatile
set search_path = ''
as $$
  select parley_private.count_against(
    'sessions_per_hour', coalesce('key ' || team.key_id, parley_private.door()), interval '1 hour', 'Sessions that you have opened');
$$;

-- Run by the worker.
create or replace function parley_private.sweep_counters()
returns void
language sql volatile security definer
set search_path = ''
as $$
  delete from parley_private.counters c
  where (c.rule, c.subject) in (
    select x.rule, x.subject from parley_private.counters x where x.ends_at < clock_timestamp() for update skip locked limit 1000
  );
$$;

grant execute on function parley_private.sweep_counters to parley_worker;
