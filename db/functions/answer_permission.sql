do $$
begin
  create type parley.answered_permission as (handle text, request text, option text, at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.answered_permission.unread is 'Messages of others that no answer has handed to you yet.';

-- By a person, or by the team that has spawned the run; of two who answer at once one is first.
create or replace function parley.answer_permission(session_id text, handle text, request text, option text)
returns parley.answered_permission
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat       parley_private.seat;
  v_run        parley.runs;
  v_permission parley.run_permissions;
  v_settled    parley.run_permissions;
begin
  perform parley_private.check_text('request', request, 'team_name_max');
  perform parley_private.check_text('option', option, 'title_max');
  v_seat := parley_private.lock_standing(session_id);
  if (v_seat.participant).kind = 'human' then
    perform parley_private.refuse_to_intervene(v_seat.session, parley_private.shown_person());
  end if;
  perform parley_private.refuse_guests(v_seat.participant);
  v_run := parley_private.find_run((v_seat.session).id, handle);
  if (v_seat.participant).kind <> 'human' and (v_seat.participant).id is distinct from v_run.started_by then
    perform parley_private.fail(403, 'forbidden', 'Only people and the team that has spawned it may answer this.', 'Ask the people: ask_people.');
  end if;
  select * into v_permission from parley.run_permissions p
  where p.session_id = v_run.session_id and p.run = v_run.run and p.request = answer_permission.request;
  if not found then
    perform parley_private.fail(404, 'permission_not_found', 'This run asks for no such thing.', 'list_agents tells what it asks for.',
      '{"field": "request"}');
  elsif not exists (select from jsonb_array_elements(v_permission.options) o where o.value ->> 'option' = answer_permission.option) then
    perform parley_private.refuse_argument('option', format('option must be one of: %s.', (
      select string_agg(o.value ->> 'option', ', ') from jsonb_array_elements(v_permission.options) o)),
      'Take one of these; list_agents shows what each means.');
  end if;
  if v_permission.answered_at is null and v_permission.expires_at > clock_timestamp() then
    v_settled := parley_private.settle_permission(v_permission, option, parley_private.name_of(v_seat));
  end if;
  if v_settled.request is null then
    select * into v_permission from parley.run_permissions p
    where p.session_id = v_run.session_id and p.run = v_run.run and p.request = answer_permission.request;
    perform parley_private.fail(409, 'already_answered',
      coalesce(v_permission.answered_by || ' was first: this is answered.', 'The time to answer this is over.'), 'Nothing was done.',
      jsonb_strip_nulls(jsonb_build_object('by', v_permission.answered_by, 'option', v_permission.option)));
  end if;
  return row(
    ltrim(handle, '@'), v_settled.request, v_settled.option, v_settled.answered_at, parley_private.unread(v_seat.participant))::parley.answered_permission;
end;
$$;

grant execute on function parley.answer_permission to parley_caller;

comment on function parley.answer_permission is $$
@verb POST /sessions/{session_id}/agents/{handle}/permission
@who team
@toolset agents
@param request -
@param option -
Allow, or not, what it asks for.
$$;
