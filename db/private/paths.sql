-- What teams hold (path_patterns.sql tells which patterns meet).

-- Without ./ in front, in the order given, each once; refused are those that lead out of the repository or nowhere.
create or replace function parley_private.check_paths(field text, paths text[], most integer)
returns text[]
language plpgsql stable strict
set search_path = ''
as $$
declare
  v_path    text;
  v_place   text;
  v_checked text[] := '{}';
begin
  if cardinality(paths) > most then
    perform parley_private.refuse_argument(field, format('%s has %s paths; at most %s are allowed.', field, cardinality(paths), most),
      'Name folders, or split it over several calls.');
  end if;
  for n in 1 .. cardinality(paths) loop
    v_place := format('%s[%s]', field, n - 1);
    v_path := regexp_replace(paths[n], '^(\./+)+(?=.)', '');
    if v_path is null or v_path !~ '\S' then
      perform parley_private.refuse_argument(v_place, 'A path must not be empty.', 'To name everything, send **.');
    elsif char_length(v_path) > 500 then
      perform parley_private.refuse_argument(v_place, format('A path has at most 500 characters; this one has %s.', char_length(v_path)));
    elsif v_path ~ '^/|\\' then
      perform parley_private.refuse_argument(v_place, 'A path is relative to the repository, with / between its parts.', 'src/api/ is a folder, src/api/*.ts a pattern.');
    elsif v_path ~ '(^|/)\.\.?(/|$)|//' then
      perform parley_private.refuse_argument(v_place, 'A path has no part that is empty, . or ..', 'Name it from the root of the repository.');
    elsif length(regexp_replace(v_path, '[^[*?{]+', '', 'g')) > 16 then
      perform parley_private.refuse_argument(v_place, 'A pattern has at most 16 wildcards.', 'Name a folder, or several patterns.');
    elsif v_path ~ '[[*?{]' and cardinality(string_to_array(v_path, '/')) > 32 then
      perform parley_private.refuse_argument(v_place, 'A pattern has at most 32 parts.', 'Name a folder above them.');
    end if;
    perform parley_private.refuse_secrets(v_place, v_path);
    v_checked := v_checked || v_path;
  end loop;
  return array(select p.path from unnest(v_checked) with ordinality as p (path, nth) group by p.path order by min(p.nth));
end;
$$;

-- Where paths collide with what others hold. Two without wildcards do where one lies above the other, which their bases tell, and so
-- does one that lies above a pattern. A pattern is made a regex once for all the paths that it is compared with: Postgres keeps only
-- the last few in mind, so the held ones are gone through one by one. Two patterns are walked through.
create or replace function parley_private.collisions(session_id uuid, team integer, paths text[])
returns table (path text, held text, holder integer, task integer, note text)
language sql stable
set search_path = ''
as $$
  with wanted as materialized (
    select w.path, parley_private.path_base(w.path) as base, parley_private.path_subject(w.path) as subject,
      case when w.path ~ '[][*?{]' then parley_private.path_regex(w.path) end as regex
    from unnest(paths) as w (path)
  )
  select w.path, h.path, h.participant_id, h.task, h.note
  from wanted w
  cross join lateral (
    select * from parley.held_paths h
    where h.session_id = collisions.session_id and h.base = any (parley_private.bases_above(w.base))
      and (w.regex is not null or h.path !~ '[][*?{]')
    union all
    select * from parley.held_paths h
    where h.session_id = collisions.session_id and h.base > w.base and h.base < w.base || U&'\+10FFFF'
  ) h
  where h.participant_id <> team
    and case
      when w.regex is null then true
      when h.path ~ '[][*?{]' then parley_private.paths_collide(h.path, w.path)
      else parley_private.path_subject(h.path) ~ w.regex
    end
  union all
  select w.path, h.path, h.participant_id, h.task, h.note
  from (
    select *, parley_private.path_regex(h.path) as regex from parley.held_paths h
    where h.session_id = collisions.session_id and h.participant_id <> team and h.path ~ '[][*?{]'
      and h.base = any (array(select unnest(parley_private.bases_above(w.base)) from wanted w where w.regex is null))
    offset 0
  ) h
  cross join lateral (select w.path from wanted w where w.regex is null and w.subject ~ h.regex) w;
$$;

-- All or nothing: says of each that is taken by whom, and until when.
create or replace function parley_private.refuse_collisions(team parley.participants, paths text[])
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_taken jsonb;
begin
  select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
    'path', c.path, 'held', c.held, 'by', p.handle, 'task', nullif(c.task, 0), 'note', c.note,
    'until', parley_private.lease_ends(p)))) into v_taken
  from (select * from parley_private.collisions(team.session_id, team.id, paths) limit 100) c
  join parley.participants p on p.session_id = team.session_id and p.id = c.holder;
  if v_taken is not null then
    perform parley_private.fail(409, 'already_claimed',
      format('%s of these paths %s held by others; nothing was claimed.', jsonb_array_length(v_taken), case jsonb_array_length(v_taken) when 1 then 'is' else 'are' end),
      'Take others, or ask whoever holds them.',
      jsonb_build_object('by', v_taken -> 0 -> 'by', 'until', v_taken -> 0 -> 'until', 'collisions', v_taken));
  end if;
end;
$$;

create or replace function parley_private.hold_paths(team parley.participants, paths text[], task integer default 0, note text default null)
returns void
language sql volatile
set search_path = ''
as $$
  insert into parley.held_paths (session_id, participant_id, task, path, base, note)
  select team.session_id, team.id, hold_paths.task, p.path, parley_private.path_base(p.path), hold_paths.note
  from unnest(paths) as p (path)
  on conflict on constraint held_paths_are_held_once do update set note = coalesce(excluded.note, held_paths.note);
$$;
