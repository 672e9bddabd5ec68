-- Paths and patterns: relative, / between the parts, a folder ends with /, wildcards as in .gitignore. A folder covers all that
-- lies below. Whether two can meet is decided part by part; in doubt they do.

-- As they are compared: there are file systems that tell neither A from a nor one way to write é from another. On one line, so that
-- many can be searched as one text. Braces with a comma, which shells know, may stand for anything.
create or replace function parley_private.path_key(path text)
returns text
language sql immutable
set search_path = ''
as $$
  select case when strpos(key, '{') = 0 then key
    else regexp_replace(regexp_replace(key, '\{[^/]*,[^/]*\}', '*', 'g'), '[^/]*\{[^{}]*,[^{}]*\}[^/]*', '**', 'g') end
  from btrim(lower(normalize(translate(path, E'\n', ' ')))) as key;
$$;

-- The fixed part of a pattern, up to a slash: src/ of src/*.ts. Of a path without wildcards all of it, with a slash. A
-- pattern without a slash is meant at any depth: it has none.
create or replace function parley_private.path_base(path text)
returns text
language sql immutable
set search_path = ''
as $$
  select case
    when key !~ '[[*?]' then rtrim(key, '/') || '/'
    when strpos(rtrim(key, '/'), '/') = 0 then ''
    else coalesce(substring(key from '^((?:[^[*?/]+/)*)[^[*?/]*[[*?]'), '')
  end
  from parley_private.path_key(path) as key;
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
  select case when key ~ '[[*?]' and cardinality(parts) = 1 then array['**'] || parts else parts end
  from parley_private.path_key(path) as key, string_to_array(rtrim(key, '/'), '/') as parts;
$$;

-- Whether there is a text that both are, with * and ?. With one in each, only their beginnings and their ends can contradict.
create or replace function parley_private.wildcards_meet(one text, other text)
returns boolean
language sql immutable
return case
  when one = other then true
  when one || other !~ '[*?]' then false
  when other !~ '[*?]' then other like translate(regexp_replace(one, '([%_\\])', '\\\1', 'g'), '*?', '%_')
  when one !~ '[*?]' then one like translate(regexp_replace(other, '([%_\\])', '\\\1', 'g'), '*?', '%_')
  else (starts_with(substring(one from '^[^*?]*'), substring(other from '^[^*?]*'))
      or starts_with(substring(other from '^[^*?]*'), substring(one from '^[^*?]*')))
    and (starts_with(reverse(substring(one from '[^*?]*$')), reverse(substring(other from '[^*?]*$')))
      or starts_with(reverse(substring(other from '[^*?]*$')), reverse(substring(one from '[^*?]*$'))))
end;

-- Whether one part of a path can be both. What stands in brackets is one character, or a name that has them: app/[id]/page.tsx.
create or replace function parley_private.parts_meet(one text, other text)
returns boolean
language sql immutable
return case
  when one = other then true
  when strpos(one || other, '[') = 0 then parley_private.wildcards_meet(one, other)
  else parley_private.wildcards_meet(one, regexp_replace(other, '\[+[^]]*\]+', '?', 'g'))
    or parley_private.wildcards_meet(regexp_replace(one, '\[+[^]]*\]+', '?', 'g'), other)
    or parley_private.wildcards_meet(regexp_replace(one, '\[+[^]]*\]+', '?', 'g'), regexp_replace(other, '\[+[^]]*\]+', '?', 'g'))
end;

-- A folder says so, or ends with * alone.
create or replace function parley_private.is_folder(path text)
returns boolean
language sql immutable
set search_path = ''
as $$
  select parley_private.path_key(path) ~ '(/|(^|/)\*+)$';
$$;

-- Whether there is a path that both cover: a walk through the parts of both at once, v_met[i][j] saying that the first i of the
-- one and the first j of the other can be the same. Where one is at its end, what is left of the other lies below it, if it is
-- a folder, or the other goes on below that very name. Of long ones with ** only the beginnings are compared: a walk is as long as both
-- multiplied, and hundreds meet hundreds.
create or replace function parley_private.patterns_meet(one text[], one_is_folder boolean, other text[], other_is_folder boolean)
returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  c_any     constant text := '^\*\*+$';
  c_longest constant integer := 100;
  v_n       integer := cardinality(one);
  v_m       integer := cardinality(other);
  v_anys    boolean[];
  v_others  boolean[];
  v_met     boolean[];
begin
  for n in 1 .. least(v_n, v_m) loop
    exit when one[n] ~ c_any or other[n] ~ c_any;
    if not parley_private.parts_meet(one[n], other[n]) then
      return false;
    end if;
  end loop;
  v_anys := array(select part ~ c_any from unnest(one) with ordinality as p (part, nth) order by nth);
  v_others := array(select part ~ c_any from unnest(other) with ordinality as p (part, nth) order by nth);
  if v_n * v_m > c_longest and true = any (v_anys || v_others) then
    return true;
  end if;
  v_met := array_fill(false, array[v_n + 1, v_m + 1], array[0, 0]);
  v_met[0][0] := true;
  for i in 0 .. v_n loop
    for j in 0 .. v_m loop
      continue when not v_met[i][j];
      if i = v_n and (j = v_m or one_is_folder) or j = v_m and other_is_folder then
        return true;
      end if;
      if v_anys[i + 1] or v_others[j + 1] then
        if i < v_n then
          v_met[i + 1][j] := v_met[i + 1][j] or j < v_m or v_anys[i + 1];
        end if;
        if j < v_m then
          v_met[i][j + 1] := v_met[i][j + 1] or i < v_n or v_others[j + 1];
        end if;
      elsif i < v_n and j < v_m and parley_private.parts_meet(one[i + 1], other[j + 1]) then
        if i + 1 = v_n and other[j + 1] !~ '[*?]' or j + 1 = v_m and one[i + 1] !~ '[*?]' then
          return true;
        end if;
        v_met[i + 1][j + 1] := true;
      end if;
    end loop;
  end loop;
  return false;
end;
$$;

-- The same for one pattern and many paths without wildcards: to walk through the parts of each takes too long where a thousand
-- meet a hundred. A path is written with a slash behind each of its parts, and one more if it is a folder.
create or replace function parley_private.path_subject(path text)
returns text
language sql immutable
set search_path = ''
as $$
  select rtrim(key, '/') || case when right(key, 1) = '/' then '//' else '/' end
  from parley_private.path_key(path) as key;
$$;

create or replace function parley_private.part_regex(part text)
returns text
language sql immutable
set search_path = ''
as $$
  select string_agg(replace(replace(
    regexp_replace(either.part, '([!-/:-@\[-`{-~])', '\\\1', 'g'), '\*', '[^/]*'), '\?', '[^/]'), '|')
  from (select part union select regexp_replace(part, '\[+[^]]*\]+', '?', 'g')) as either (part);
$$;

-- What such a path has to match to meet a pattern. It may end before the pattern does: as a folder anywhere, else where the pattern
-- has a name. The text may be of many lines, one path each.
create or replace function parley_private.path_regex(pattern text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_parts text[] := parley_private.path_parts(pattern);
  v_rest  text;
begin
  for n in reverse cardinality(v_parts) .. 1 loop
    v_rest := case when v_parts[n] ~ '^\*\*+$' then '(?:[^/]+/)*' else format('(?:%s)/', parley_private.part_regex(v_parts[n])) end
      || coalesce('(?:' || case when v_parts[n] ~ '[*?]' then '/$' else '/?$' end || '|' || v_rest || ')', '');
  end loop;
  return '(?n)^' || v_rest;
end;
$$;
