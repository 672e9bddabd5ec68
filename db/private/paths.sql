-- Paths and patterns: relative, / between the parts, a folder ends with /, * and ** as in .gitignore. A folder covers all that
-- lies below. Whether two can meet is decided part by part; in doubt they do.

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
    elsif length(regexp_replace(v_path, '[^*]+', '', 'g')) > 16 then
      perform parley_private.refuse_argument(v_place, 'A pattern has at most 16 stars.');
    end if;
    perform parley_private.refuse_secrets(v_place, v_path);
    v_checked := v_checked || v_path;
  end loop;
  return array(select p.path from unnest(v_checked) with ordinality as p (path, nth) group by p.path order by min(p.nth));
end;
$$;

-- The fixed part of a pattern, up to a slash: src/ of src/*.ts. Of a path without wildcards all of it, with a slash. A
-- pattern without a slash is meant at any depth: it has none.
create or replace function parley_private.path_base(path text)
returns text
language sql immutable
set search_path = ''
as $$
  select case
    when strpos(path, '*') = 0 then rtrim(path, '/') || '/'
    when strpos(rtrim(path, '/'), '/') = 0 then ''
    else coalesce(substring(path from '^((?:[^*/]+/)*)[^*/]*\*'), '')
  end;
$$;

-- And all that lie above it, with itself: '', src/, src/api/.
create or replace function parley_private.bases_above(base text)
returns text[]
language sql immutable
set search_path = ''
as $$
  select array_agg(case n when 0 then '' else array_to_string(part[1:n], '/') || '/' end)
  from string_to_array(rtrim(base, '/'), '/') as part, generate_series(0, cardinality(part)) as n;
$$;

create or replace function parley_private.path_parts(path text)
returns text[]
language sql immutable
set search_path = ''
as $$
  select case when strpos(path, '*') > 0 and cardinality(parts) = 1 then array['**'] || parts else parts end
  from string_to_array(rtrim(path, '/'), '/') as parts;
$$;

-- Whether one part of a path can be both. With a star in each, only their beginnings and their ends can contradict.
create or replace function parley_private.parts_meet(one text, other text)
returns boolean
language sql immutable
return case
  when one = other then true
  when strpos(one, '*') = 0 and strpos(other, '*') = 0 then false
  when strpos(other, '*') = 0 then other like replace(regexp_replace(one, '([%_\\])', '\\\1', 'g'), '*', '%')
  when strpos(one, '*') = 0 then one like replace(regexp_replace(other, '([%_\\])', '\\\1', 'g'), '*', '%')
  else (starts_with(split_part(one, '*', 1), split_part(other, '*', 1)) or starts_with(split_part(other, '*', 1), split_part(one, '*', 1)))
    and (starts_with(reverse(split_part(one, '*', -1)), reverse(split_part(other, '*', -1)))
      or starts_with(reverse(split_part(other, '*', -1)), reverse(split_part(one, '*', -1))))
end;

-- Whether there is a path that both cover: a walk through the parts of both at once, v_met[i][j] saying that the first i of the
-- one and the first j of the other can be the same. Where one is at its end, what is left of the other lies below it, if it is
-- a folder: it says so, or ends with * alone, or the other goes on below that very name.
create or replace function parley_private.paths_collide(one text, other text)
returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  c_any   constant text := '^\*\*+$';
  v_one   text[] := parley_private.path_parts(one);
  v_other text[] := parley_private.path_parts(other);
  v_n     integer := cardinality(v_one);
  v_m     integer := cardinality(v_other);
  v_met   boolean[] := array_fill(false, array[v_n + 1, v_m + 1], array[0, 0]);
begin
  v_met[0][0] := true;
  for i in 0 .. v_n loop
    for j in 0 .. v_m loop
      continue when not v_met[i][j];
      if i = v_n and (j = v_m or one ~ '(/|(^|/)\*+)$') or j = v_m and other ~ '(/|(^|/)\*+)$' then
        return true;
      end if;
      if v_one[i + 1] ~ c_any or v_other[j + 1] ~ c_any then
        if i < v_n then
          v_met[i + 1][j] := v_met[i + 1][j] or j < v_m or v_one[i + 1] ~ c_any;
        end if;
        if j < v_m then
          v_met[i][j + 1] := v_met[i][j + 1] or i < v_n or v_other[j + 1] ~ c_any;
        end if;
      elsif i < v_n and j < v_m and parley_private.parts_meet(v_one[i + 1], v_other[j + 1]) then
        if i + 1 = v_n and strpos(v_other[j + 1], '*') = 0 or j + 1 = v_m and strpos(v_one[i + 1], '*') = 0 then
          return true;
        end if;
        v_met[i + 1][j + 1] := true;
      end if;
    end loop;
  end loop;
  return false;
end;
$$;

-- Where paths collide with what others hold.
create or replace function parley_private.collisions(session_id uuid, team integer, paths text[])
returns table (path text, held text, holder integer, task integer, note text)
language sql stable
set search_path = ''
as $$
  select w.path, h.path, h.participant_id, h.task, h.note
  from unnest(paths) as w (path)
  cross join parley_private.path_base(w.path) as wanted (base)
  cross join lateral (
    select * from parley.held_paths h
    where h.session_id = collisions.session_id and h.base = any (parley_private.bases_above(wanted.base))
    union all
    select * from parley.held_paths h
    where h.session_id = collisions.session_id and h.base > wanted.base and h.base < wanted.base || U&'\+10FFFF'
  ) h
  where h.participant_id <> team
    and (strpos(h.path || w.path, '*') = 0 or parley_private.paths_collide(h.path, w.path));
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
