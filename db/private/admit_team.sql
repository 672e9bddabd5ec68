-- What a handle is made of. humans is how people are addressed; and what an agent says must not read like the word of a person, of
-- the server or of everybody.
create or replace function parley_private.handle_for(team_name text, kind text)
returns text
language sql immutable
set search_path = ''
as $$
  select case
    when slug = 'humans' or kind = 'agent' and slug in ('human', 'person', 'people', 'user', 'system', 'parley', 'you', 'all', 'everyone')
      then 'team-' || slug
    else slug
  end
  from parley_private.slug_of(team_name, 'team') as slug;
$$;

-- Puts a team on the roster and makes its credential. The secret leaves the database once, in the answer; what stays is its hash.
-- A person has none: the cookie tells who it is. What opened the door is remembered: the team dies with it. A person who opens one,
-- or sits down, is a member from then on. The caller holds the lock of the session.
create or replace function parley_private.admit_team(
  session_id uuid,
  team_name text,
  kind text default 'agent',
  out handle text,
  out team_id text,
  out participant_id integer,
  out guest boolean
)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_slug   text := parley_private.handle_for(team_name, kind);
  v_number integer := 1;
  v_taken  integer := 0;
  v_free   integer;
  v_actor  parley_private.actor := parley_private.actor();
begin
  -- Rules for teams: a person who has a word to say finds a chair.
  if kind = 'agent' then
    perform parley_private.refuse_if_full((select s from parley.sessions s where s.id = admit_team.session_id));
    perform parley_private.refuse_if_busy_elsewhere(session_id, team_name, (v_actor.key).id);
  end if;
  select coalesce(max(p.id), 0) + 1 into participant_id
  from parley.participants p where p.session_id = admit_team.session_id;

  -- Of a thousand teams of one name it asks for ten or twenty: doubled until one is free, then halved towards the last that is taken.
  loop
    handle := v_slug || case v_number when 1 then '' else '-' || v_number end;
    if exists (select from parley.participants p where p.session_id = admit_team.session_id and p.handle = admit_team.handle) then
      v_taken := v_number;
    else
      v_free := v_number;
    end if;
    exit when v_free = v_taken + 1;
    v_number := case when v_free is null then 2 * v_taken else (v_taken + v_free) / 2 end;
  end loop;
  handle := v_slug || case v_free when 1 then '' else '-' || v_free end;

  guest := kind = 'agent' and num_nonnulls((v_actor.key).id, (v_actor.person).id) = 0
    and (parley_private.shown_invite()).session_id is not distinct from admit_team.session_id;
  team_id := case when kind = 'agent' then 'pt_' || parley_private.new_secret() end;
  insert into parley.participants (session_id, id, handle, team_name, kind, key_id, user_id, guest)
  values (
    session_id, participant_id, handle, team_name, kind,
    case when kind = 'agent' then (v_actor.key).id end, (v_actor.person).id, guest);
  insert into parley_private.members (session_id, user_id)
  select admit_team.session_id, (v_actor.person).id where (v_actor.person).id is not null
  on conflict on constraint members_are_once_in_a_session do nothing;
  if kind = 'agent' then
    insert into parley_private.credentials (session_id, participant_id, hash)
    values (session_id, participant_id, parley_private.hash_of(team_id));
  end if;
end;
$$;
