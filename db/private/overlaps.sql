do $$
begin
  create type parley.overlap as (path text, handle text, claimed text, task integer, branch text);
exception when duplicate_object then null;
end $$;
comment on type parley.overlap is 'A path of yours at which another team is, too.';
comment on column parley.overlap.handle is 'The other team.';
comment on column parley.overlap.claimed is '@optional
What it has claimed; left out when it has changed the same path.';
comment on column parley.overlap.task is '@optional
The task that it holds it for.';
comment on column parley.overlap.branch is '@optional
The branch that it has changed it on.';

-- Where what a team has changed meets what others have claimed or changed.
create or replace function parley_private.find_overlaps(team parley.participants)
returns setof parley.overlap
language sql stable
set search_path = ''
as $$
  select c.path, p.handle, c.held, nullif(c.task, 0), null
  from parley_private.collisions(team.session_id, team.id, array(
    select distinct o.path from parley.changed_paths o where o.session_id = team.session_id and o.participant_id = team.id
  ), are_files => true) c
  join parley.participants p on p.session_id = team.session_id and p.id = c.holder
  union
  select o.path, p.handle, null, null, nullif(c.branch, '')
  from parley.changed_paths o
  join parley.changed_paths c on c.session_id = o.session_id and c.base = o.base and c.participant_id <> o.participant_id
    and parley_private.path_key(c.path) = parley_private.path_key(o.path)
  join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
  where o.session_id = team.session_id and o.participant_id = team.id
  order by 1, 2, 3, 4, 5;
$$;

-- Tells of each overlap that is new, one message for each of the other teams, and forgets those that are no more: neither found
-- now nor where the other team has changed what this one holds.
create or replace function parley_private.tell_overlaps(team parley.participants, all_of_them parley.overlap[])
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_new record;
begin
  delete from parley_private.known_overlaps k
  where k.session_id = team.session_id and team.id in (k.one_team, k.other_team)
    and not exists (
      select from unnest(all_of_them) o
      join parley.participants p on p.session_id = team.session_id and p.handle = o.handle
      where o.path = k.path and p.id in (k.one_team, k.other_team)
    )
    and not exists (
      select from parley.changed_paths c
      cross join parley_private.collisions(team.session_id, c.participant_id, array[k.path], are_files => true) h
      where c.session_id = k.session_id and c.participant_id = k.one_team + k.other_team - team.id
        and c.base = parley_private.path_base(k.path) and c.path = k.path and h.holder = team.id
    );
  for v_new in
    with told as (
      insert into parley_private.known_overlaps (session_id, one_team, other_team, path)
      select distinct team.session_id, least(team.id, p.id), greatest(team.id, p.id), o.path
      from unnest(all_of_them) o join parley.participants p on p.session_id = team.session_id and p.handle = o.handle
      on conflict on constraint known_overlaps_are_told_once do nothing
      returning one_team + other_team - team.id as other, path
    )
    select p.handle, jsonb_agg(t.path order by t.path) as paths
    from told t join parley.participants p on p.session_id = team.session_id and p.id = t.other
    group by p.id, p.handle
    order by p.id
  loop
    perform parley_private.announce(team.session_id, 'paths_overlap', jsonb_build_object(
      'by', team.team_name, 'handle', team.handle, 'teams', jsonb_build_array(team.handle, v_new.handle),
      'paths', (select jsonb_agg(p.path) from (select path from jsonb_array_elements(v_new.paths) as path limit 50) p),
      'more', nullif(greatest(jsonb_array_length(v_new.paths) - 50, 0), 0)));
  end loop;
end;
$$;
