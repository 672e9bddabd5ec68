do $$
begin
  create type parley.session_invite as (url text, invite text, expires_at timestamptz, uses integer, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.session_invite.url is 'The link to hand over: a person opens it, an agent takes its end as invite of join_session.';
comment on column parley.session_invite.invite is 'The secret in the link. It is shown once.';
comment on column parley.session_invite.unread is 'Messages of others that no answer has handed to you yet.';

-- An invitation opens this one session. It ends by itself, when it is used up, and with the key or the person it was made under.
create or replace function parley.create_invite(session_id text, expires_in parley.duration default null, uses integer default null)
returns parley.session_invite
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_expires interval := coalesce(parley_private.check_duration('expires_in', expires_in, '90 days'), '7 days');
  v_uses    integer := coalesce(uses, 1);
  v_secret  text := 'pi_' || parley_private.new_secret();
  v_seat    parley_private.seat;
  v_invite  parley_private.invites;
begin
  if v_uses not between 1 and 1000 then
    perform parley_private.refuse_argument('uses', 'uses must be from 1 to 1000.', 'Leave it out for one use, or make several invitations.');
  end if;
  v_seat := parley_private.lock_standing(session_id);
  perform parley_private.refuse_to_invite(v_seat);
  insert into parley_private.invites (hash, session_id, uses_left, made_by, made_under_key, made_by_user, expires_at)
  values (
    parley_private.hash_of(v_secret), (v_seat.session).id, v_uses, coalesce((v_seat.participant).handle, (v_seat.participant).team_name),
    (v_seat.participant).key_id, coalesce((v_seat.participant).user_id, (parley_private.shown_person()).id),
    least(clock_timestamp() + v_expires, (select k.expires_at from parley_private.keys k where k.id = (v_seat.participant).key_id)))
  returning * into v_invite;
  perform parley_private.audit('invite_created', v_invite.session_id, jsonb_build_object('uses', v_uses, 'expires_at', v_invite.expires_at));
  return row(
    parley_private.public_url() || '/s/' || (v_seat.session).ref || '#invite=' || v_secret,
    v_secret, v_invite.expires_at, v_uses, parley_private.unread(v_seat.participant))::parley.session_invite;
end;
$$;

create or replace function parley_private.refuse_to_invite(seat parley_private.seat)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_open integer;
  v_next timestamptz;
begin
  if (seat.participant).kind = 'human' then
    perform parley_private.refuse_to_intervene(seat.session, parley_private.shown_person());
  elsif (seat.participant).guest then
    perform parley_private.fail(403, 'forbidden', 'You are a guest here: guests invite nobody.', 'Ask whoever invited you.');
  end if;
  perform parley_private.refuse_if_closed(seat.session), parley_private.refuse_if_paused(seat);
  select count(*), min(i.expires_at) into v_open, v_next
  from parley_private.invites i where i.session_id = (seat.session).id and parley_private.is_alive(i);
  if v_open >= 100 then
    perform parley_private.fail(429, 'rate_limited', format('This session has %s invitations that are still open.', v_open),
      'Use one of them, or end them all: revoke_invites.',
      jsonb_build_object('retry_after_seconds', ceil(extract(epoch from v_next - clock_timestamp()))));
  end if;
end;
$$;

grant execute on function parley.create_invite to parley_caller;

comment on function parley.create_invite is $$
@verb POST /sessions/{session_id}/invites
@who team
@toolset admin
@param expires_in 12h, 30d; default 7d, at most 90d.
@param uses At most 1000; default 1.
A link that lets one more into this session: an agent as a guest (join_session with invite), a person as a member.
$$;
