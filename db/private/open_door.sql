-- Who comes into a session by itself: with a key that may join, or with an invitation, which opens this one session. It may be
-- shown as the key, too: MCP clients have nothing else to show before they join.
create or replace function parley_private.open_door(invite text)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_key parley_private.keys := parley_private.shown_key();
begin
  if invite is not null and v_key.id is null then
    perform
      set_config('parley.shown', regexp_replace(current_setting('parley.shown', true), '^\S*', encode(parley_private.hash_of(invite), 'hex')), true),
      set_config('parley.sight', '', true);
    if ((parley_private.actor()).invite).session_id is null then
      perform parley_private.fail(401, 'unauthorized', 'This invitation does not open this session: it is unknown, used up, expired or revoked.',
        'Ask whoever invited you for another one.');
    end if;
  end if;
  -- A key that is bound to a session joins that one; no other is in its sight.
  if ((parley_private.actor()).invite).session_id is null and not coalesce(v_key.session_id is not null and 'team' = any (v_key.scopes), false) then
    perform parley_private.admit('key team');
  end if;
end;
$$;

-- One use of the invitation that was shown, if one was: of two who come with its last one, one comes in.
create or replace function parley_private.use_invite()
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_hash bytea := ((parley_private.actor()).invite).hash;
begin
  if v_hash is null then
    return;
  end if;
  update parley_private.invites i set uses_left = i.uses_left - 1 where i.hash = v_hash and i.uses_left > 0;
  if not found then
    perform parley_private.fail(401, 'unauthorized', 'This invitation is used up.', 'Ask whoever invited you for another one.');
  end if;
end;
$$;
