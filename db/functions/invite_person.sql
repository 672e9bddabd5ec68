do $$
begin
  create type parley.invited_person as (link text, name text, role text, expires_at timestamptz);
exception when duplicate_object then null;
end $$;
comment on column parley.invited_person.link is 'Signs one person in, once. It is shown once.';

-- Somebody new, or with person somebody who is known already and has another browser.
create or replace function parley.invite_person(name text default null, role text default null, person text default null)
returns parley.invited_person
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_role   text := parley_private.check_role(coalesce(role, 'member'));
  v_person parley_private.users;
  v_made   record;
begin
  if invite_person.name is not null then
    perform parley_private.check_text('name', invite_person.name, 'team_name_max');
  end if;
  if invite_person.person is not null and num_nonnulls(invite_person.name, invite_person.role) > 0 then
    perform parley_private.refuse_argument('person', 'person stands alone: name and role are known already.',
      'Send person to let somebody in again, or name and role to invite somebody new.');
  end if;
  perform parley_private.refuse_bound_key();
  if invite_person.person is not null then
    v_person := parley_private.find_person(invite_person.person);
    if v_person.removed_at is not null then
      perform parley_private.fail(409, 'person_removed', 'This person was removed.', 'change_role brings them back.');
    end if;
  end if;
  perform parley_private.refuse_to_give(coalesce(v_person.role, v_role));

  v_made := parley_private.make_link(v_person, invite_person.name, v_role, '7 days', parley_private.name_of(parley_private.actor()));
  return row(
    parley_private.public_url() || '/sign-in#token=' || v_made.secret, (v_made.invite).name, (v_made.invite).role, (v_made.invite).expires_at
  )::parley.invited_person;
end;
$$;

grant execute on function parley.invite_person to parley_caller;

comment on function parley.invite_person is $$
@verb POST /people
@who key admin
@toolset admin
@param name What they are called; default: they say it.
@param role owner, member or viewer; default member.
@param person Instead: id of one who is known, for another browser.
Make a sign-in link, which works once within 7 days; it is shown once.
$$;
