-- What an agent asks people for: answered once.

-- What may be answered, as it is kept: a list of option, name and kind.
create or replace function parley_private.check_permission_options(options jsonb)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_options jsonb := '[]';
  v_item    jsonb;
begin
  if jsonb_typeof(options) is distinct from 'array' or jsonb_array_length(options) not between 1 and 20 then
    perform parley_private.refuse_argument('options', 'options must be a list of 1 to 20 objects with option and name.',
      '[{"option": "allow", "name": "Allow once"}]');
  end if;
  for v_item in select o.value from jsonb_array_elements(options) o loop
    if jsonb_typeof(v_item) = 'string' then
      v_item := jsonb_build_object('option', v_item);
    elsif jsonb_typeof(v_item) <> 'object' then
      perform parley_private.refuse_argument('options', 'Each of options must be an object with option and name.',
        '[{"option": "allow", "name": "Allow once"}]');
    end if;
    v_item := jsonb_build_object(
      'option', coalesce(v_item ->> 'option', v_item ->> 'optionId'),
      'name', coalesce(v_item ->> 'name', v_item ->> 'option', v_item ->> 'optionId'),
      'kind', v_item ->> 'kind');
    perform
      parley_private.check_text('options.option', v_item ->> 'option', 'title_max'),
      parley_private.check_text('options.name', v_item ->> 'name', 'title_max'),
      parley_private.check_short('options.kind', v_item ->> 'kind');
    v_options := v_options || jsonb_build_array(jsonb_strip_nulls(v_item));
  end loop;
  return v_options;
end;
$$;

-- People have as many questions of one agent before them as they can look at, whatever it asks for. The caller has locked the row of the run.
create or replace function parley_private.refuse_more_permissions(run parley.runs, request text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if (
    select count(*) >= 20 and not bool_or(p.request = refuse_more_permissions.request) from parley.run_permissions p
    where p.session_id = run.session_id and p.run = (refuse_more_permissions.run).run and p.answered_at is null
  ) then
    perform parley_private.fail(429, 'rate_limited', 'Twenty things that this agent asks for wait for an answer already.', 'Wait for the answers first.',
      '{"retry_after_seconds": 30}');
  end if;
end;
$$;

-- Of two who answer at once the first one has: the row is locked by it. Null if it was answered before. The row of the run comes first,
-- as for whoever ends it: else each could wait for the other.
create or replace function parley_private.settle_permission(permission parley.run_permissions, option text, by text)
returns parley.run_permissions
language plpgsql volatile
set search_path = ''
as $$
declare
  v_settled parley.run_permissions;
begin
  perform from parley.runs r where r.session_id = permission.session_id and r.run = permission.run for no key update;
  update parley.run_permissions p set
    answered_at = clock_timestamp(), answered_by = settle_permission.by, option = settle_permission.option
  where p.session_id = permission.session_id and p.run = permission.run and p.request = permission.request and p.answered_at is null
  returning p.* into v_settled;
  if found then
    update parley.runs r set status = 'working'
    where r.session_id = permission.session_id and r.run = permission.run and r.status = 'asking'
      and not exists (
        select from parley.run_permissions p
        where p.session_id = r.session_id and p.run = r.run and p.answered_at is null);
    perform parley_private.order_run(r, 'permission', coalesce(settle_permission.by, 'time'), request => permission.request, option => settle_permission.option)
    from parley.runs r where r.session_id = permission.session_id and r.run = permission.run and r.ended_at is null;
  end if;
  return v_settled;
end;
$$;

-- Nobody has answered: refused, and the transcript says so.
create or replace function parley_private.refuse_by_time(permission parley.run_permissions)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if (parley_private.settle_permission(permission, null, null)).request is not null then
    perform parley_private.append_events(r, jsonb_build_array(jsonb_build_object(
      'kind', 'note', 'title', 'refused, since nobody has answered in time: ' || permission.tool)))
    from parley.runs r where r.session_id = permission.session_id and r.run = permission.run and r.ended_at is null;
  end if;
end;
$$;
