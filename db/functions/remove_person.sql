create or replace function parley.remove_person(person text)
returns parley.person
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_you    uuid := ((parley_private.actor()).person).id;
  v_person parley_private.users;
begin
  perform parley_private.refuse_bound_key(), parley_private.lock_people();
  v_person := parley_private.find_person(remove_person.person);
  perform parley_private.refuse_last_owner(v_person);

  -- Whatever they write right now has the lock until it is committed; whatever comes later finds them removed.
  perform pg_advisory_xact_lock(hashtextextended('parley person ' || v_person.id, 0));
  update parley_private.users u set removed_at = coalesce(u.removed_at, clock_timestamp()) where u.id = v_person.id returning * into v_person;
  update parley_private.invites i set revoked_at = clock_timestamp() where i.user_id = v_person.id and i.revoked_at is null;
  perform
    parley_private.end_sign_ins(v_person.id),
    parley_private.end_waits_of(user_id => v_person.id),
    parley_private.audit('person_removed', details => jsonb_build_object('name', v_person.name, 'role', v_person.role));
  return parley_private.as_person(v_person, v_you);
end;
$$;

grant execute on function parley.remove_person to parley_caller;

comment on function parley.remove_person is $$
@verb POST /people/{person}/remove
@who key admin
@toolset admin
@idempotent
@param person Their id, or a name that nobody else has.
Remove a person: they are signed out, and their teams end at once. Keys that they made stay.
$$;
