-- Whether the caller may come in, by what @who says of a verb: open, team, person, or key and a scope; and beside verbs known, for
-- whoever has shown anything, and reader. True, or a refusal.
--
-- Wrong, expired and revoked keys get one and the same answer. With open access no key is asked for; what needs admin is then
-- for requests that were sent on the server's own machine.
create or replace function parley_private.admit(who text)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_actor  parley_private.actor := parley_private.actor();
  v_scopes text[] := parley_private.scopes_of(v_actor);
  v_scope  text := substring(who from '^key (read|team|run|admin)$');
begin
  if who = 'open' then
    return true;
  elsif who = 'team' then
    if (v_actor.team).session_id is null and (v_actor.person).id is null then
      perform parley_private.find_seat();
    end if;
    return true;
  elsif who = 'person' then
    if (v_actor.person).id is null then
      perform parley_private.refuse_nobody('Only a person who is signed in may do this.', 'Open the page and sign in.');
    end if;
    return true;
  elsif who = 'known' then
    -- A guest of MCP has nothing else to show than its invitation, also when that is used up.
    if (parley_private.shown_invite()).hash is null then
      perform parley_private.refuse_strangers();
    end if;
    return true;
  elsif who = 'reader' then
    if parley_private.asks_for_keys() and (v_actor.team).session_id is null and (parley_private.shown_invite()).hash is null then
      v_scope := 'read';
    else
      return true;
    end if;
  elsif v_scope is null then
    perform parley_private.fail(403, 'forbidden', 'Nobody may call this: its comment does not say who.',
      'Whoever wrote it adds @who open, team, person, or key read, team, run or admin.');
  end if;

  perform parley_private.use(v_actor);
  if v_scope = any (v_scopes) then
    if v_scope = 'team' and (v_actor.key).session_id is not null then
      perform parley_private.fail(403, 'forbidden', 'Your key is bound to one session: it opens no other.',
        format('Join that one: %s.', (select s.ref from parley.sessions s where s.id = (v_actor.key).session_id)), jsonb_build_object('scope', 'team'));
    end if;
    return true;
  elsif not parley_private.asks_for_keys() then
    if v_scope <> 'admin' or parley_private.may_administer() then
      return true;
    end if;
    perform parley_private.fail(403, 'forbidden', 'This is done only on the machine that the server runs on.',
      'Do it there, under http://localhost, or by SQL. With PARLEY_ACCESS=keys, a key with the scope admin may do it from anywhere.',
      jsonb_build_object('scope', v_scope));
  elsif cardinality(v_scopes) = 0 then
    perform parley_private.refuse_nobody();
  end if;
  perform parley_private.fail(403, 'forbidden', format('This needs the scope %s, and you have %s.', v_scope, array_to_string(v_scopes, ', ')),
    format('Ask an owner for a key that has %s.', v_scope), jsonb_build_object('scope', v_scope));
  return false;
end;
$$;

grant execute on function parley_private.admit to parley_caller;

create or replace function parley_private.refuse_nobody(
  message text default 'This server asks for an access key, or for a person who is signed in.',
  hint text default 'Send a key that is neither expired nor revoked as the header Authorization: Bearer pk_…; the shell lines and the parley command take it from PARLEY_KEY, with MCP_URL. Whoever runs the server makes one: npx parley admin key NAME --scopes read,team.'
)
returns void
language sql stable
set search_path = ''
as $$
  select parley_private.fail(401, 'unauthorized', message, hint);
$$;

-- When it was last used, to the minute, and without waiting for another call that says the same.
create or replace function parley_private.use(actor parley_private.actor)
returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if (actor.key).last_used_at is null or (actor.key).last_used_at < now() - interval '1 minute' then
    update parley_private.keys k set last_used_at = date_trunc('minute', now())
    where k.id = (select l.id from parley_private.keys l where l.id = (actor.key).id for no key update skip locked);
  end if;
  if (actor.person).id is not null then
    update parley_private.sign_ins i set last_used_at = date_trunc('minute', now())
    where i.hash = (
      select j.hash from parley_private.sign_ins j
      where j.hash = parley_private.shown_hash('cookie') and j.last_used_at < now() - interval '1 minute'
      for no key update skip locked);
  end if;
end;
$$;

-- Whether keys are asked for, and the caller has shown nothing that opens a door.
create or replace function parley_private.is_stranger()
returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_actor parley_private.actor;
begin
  if not parley_private.asks_for_keys() then
    return false;
  end if;
  v_actor := parley_private.actor();
  return num_nonnulls((v_actor.key).id, (v_actor.person).id, (v_actor.invite).hash, (v_actor.team).id) = 0;
end;
$$;

grant execute on function parley_private.is_stranger to parley_caller;

-- Before a session is looked for: whoever has shown nothing learns nothing, not even that it exists.
create or replace function parley_private.refuse_strangers()
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if parley_private.is_stranger() then
    perform parley_private.refuse_nobody();
  end if;
end;
$$;
