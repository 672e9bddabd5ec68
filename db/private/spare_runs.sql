-- Run by the worker before the sweep: nobody is lost because nobody was there to hear it. If the last look was long ago, the server or
-- its database was away, and every run gets its lease anew; a runner tries again every few seconds.
create or replace function parley_private.spare_runs()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  c_rule    constant text := 'run_lease';
  c_watch   constant text := 'watch';
  v_watched boolean;
begin
  v_watched := exists (
    select from parley_private.counters c where c.rule = c_rule and c.subject = c_watch and c.ends_at > clock_timestamp());
  insert into parley_private.counters as c (rule, subject, used, ends_at)
  values (c_rule, c_watch, 1, clock_timestamp() + interval '15 seconds')
  on conflict on constraint counters_are_kept_per_rule_and_subject do update set ends_at = excluded.ends_at;
  if not v_watched then
    update parley.runs r set alive_until = greatest(r.alive_until, clock_timestamp() + parley_private.setting('run_lease') * interval '1 second')
    where r.ended_at is null;
  end if;
end;
$$;

grant execute on function parley_private.spare_runs to parley_worker;
