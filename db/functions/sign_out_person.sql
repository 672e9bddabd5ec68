create or replace function parley.sign_out_person(person text)
returns parley.person
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_you    uuid := ((parley_private.actor()).person).id;
  v_person parley_private.users;
begin
  perform parley_private.refuse_bound_key();
  v_person := parley_private.find_person(sign_out_person.person);
  perform
    parley_private.end_sign_ins(v_person.id),
    parley_private.audit('person_signed_out', details => jsonb_build_object('name', v_person.name));
  return parley_private.as_person(v_person, v_you);
end;
$$;

grant execute on function parley.sign_out_person to parley_caller;

comment on function parley.sign_out_person is $$
@verb POST /people/{person}/sign-out
@who key admin
@toolset admin
@idempotent
@param person Their id, or a name that nobody else has.
Sign a person out in every browser.
$$;
