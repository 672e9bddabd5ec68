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
  v_words text := regexp_replace(regexp_replace(lower(team_name), '[''’`]', '', 'g'), '[^a-z0-9]+', '-', 'g');
  v_slug  text := coalesce(nullif(trim(both '-' from left(ltrim(v_words, '-'), 40)), ''), 'team');
begin
  select coalesce(max(p.id), 0) + 1 into participant_id
  from parley.participants p where p.session_id = admit_team.session_id;

  select candidate into handle
  from (select v_slug || case n when 1 then '' else '-' || n end, n from generate_series(1, participant_id) n) as c (candidate, n)
  where not exists (
    select from parley.participants p where p.session_id = admit_team.session_id and p.handle = c.candidate
  )
  order by n limit 1;

  team_id := parley_private.new_team_id();
  insert into parley.participants (session_id, id, handle, team_name)
  values (session_id, participant_id, handle, team_name);
  insert into parley_private.credentials (session_id, participant_id, hash)
  values (session_id, participant_id, sha256(convert_to(team_id, 'UTF8')));
end;
$$;
