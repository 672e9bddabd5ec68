do $$
begin
  create type parley.accepted_invite as (session_id uuid, ref text, title text, url text);
exception when duplicate_object then null;
end $$;

-- A person who opens an invitation becomes a member. Who is one already does not use it up, and finds the way by one that is.
create or replace function parley.accept_invite()
returns parley.accepted_invite
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_person  parley_private.users := parley_private.shown_person();
  v_invite  bytea := (parley_private.shown_invite()).hash;
  v_session parley.sessions;
begin
  select s.* into v_session
  from parley_private.invites i join parley.sessions s on s.id = i.session_id
  where i.hash = v_invite
    and (parley_private.is_alive(i) or exists (
      select from parley_private.members m where m.session_id = i.session_id and m.user_id = v_person.id))
  for no key update of i;
  if v_session.id is null then
    perform parley_private.fail(404, 'invite_not_found', 'This invitation is unknown, used up, expired or revoked.', 'Ask whoever invited you for another one.');
  end if;
  insert into parley_private.members (session_id, user_id) values (v_session.id, v_person.id)
  on conflict on constraint members_are_once_in_a_session do nothing;
  if found then
    update parley_private.invites i set uses_left = i.uses_left - 1 where i.hash = v_invite;
    perform parley_private.audit('invite_accepted', v_session.id);
  end if;
  return row(v_session.id, v_session.ref, v_session.title, parley_private.public_url() || '/s/' || v_session.ref)::parley.accepted_invite;
end;
$$;

grant execute on function parley.accept_invite to parley_caller;

comment on function parley.accept_invite is $$
@verb POST /invites/accept
@who person
@toolset people
@idempotent
@secret invite! From an invitation link.
Become a member of the session that an invitation leads to.
$$;
