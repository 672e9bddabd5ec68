create or replace function parley.change_role(person text, role text)
returns parley.person
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_you    uuid := ((parley_private.actor()).person).id;
  v_person parley_private.users;
begin
  perform
    parley_private.check_role(change_role.role),
    parley_private.refuse_bound_key(),
    parley_private.lock_people();
  v_person := parley_private.find_person(change_role.person);
  perform parley_private.refuse_to_give(change_role.role);
  if change_role.role <> 'owner' then
    perform parley_private.refuse_last_owner(v_person);
    -- The sign-in links that they have made as an owner.
    update parley_private.invites i set revoked_at = clock_timestamp()
    where i.made_by_user = v_person.id and i.session_id is null and parley_private.is_alive(i);
  end if;
  -- What the teams of a viewer write right now is committed first; what comes later finds them ended.
  perform pg_advisory_xact_lock(hashtextextended('parley person ' || v_person.id, 0));

  update parley_private.users u set role = change_role.role, removed_at = null where u.id = v_person.id;
  perform parley_private.audit('role_changed', details => jsonb_build_object(
    'name', v_person.name, 'from', case when v_person.removed_at is null then v_person.role else 'removed' end, 'to', change_role.role));
  if change_role.role = 'viewer' then
    perform parley_private.end_waits_of(user_id => v_person.id);
  else
    perform parley_private.notify('doors');
  end if;
  select * into v_person from parley_private.users u where u.id = v_person.id;
  return parley_private.as_person(v_person, v_you);
end;
$$;

grant execute on function parley.change_role to parley_caller;

comment on function parley.change_role is $$
@verb POST /people/{person}/role
@who key admin
@toolset admin
@idempotent
@param person Their id, or a name that nobody else has.
@param role owner, member or viewer.
Change what a person may do; brings back one who was removed.
$$;
