-- Three uuids hold more than the 256 random bits that are kept of them.
create or replace function parley_private.new_team_id()
returns text
language sql volatile
set search_path = ''
as $$
  select 'pt_' || translate(rtrim(encode(
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())),
    'base64'), '='), '+/', '-_');
$$;

-- Puts a team on the roster and makes its credential. The secret leaves the database once, in the answer;
-- what stays is its hash. The caller holds the lock of the session.
create or replace function parley_private.admit_team(
  session_id uuid,
  team_name text,
  out handle text,
  out team_id text,
  out participant_id integer
)
language plpgsql volatile
set search_path = ''
as $$
declare
  v_slug   text := parley_private.slug_of(team_name, 'team');
  v_number integer := 1;
  v_taken  integer := 0;
  v_free   integer;
begin
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

  team_id := parley_private.new_team_id();
  insert into parley.participants (session_id, id, handle, team_name)
  values (session_id, participant_id, handle, team_name);
  insert into parley_private.credentials (session_id, participant_id, hash)
  values (session_id, participant_id, sha256(convert_to(team_id, 'UTF8')));
end;
$$;
