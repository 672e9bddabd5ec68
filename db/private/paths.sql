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
      perform parley_private.refuse_argument(v_place, format('A path has at most 500 characters; this one has %s.', char_length(v_path)),
        'Name a folder above it.');
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

-- More than a team may hold cannot be claimed, nor by a task.
create or replace function parley_private.refuse_too_many_patterns(field text, paths text[])
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  c_most constant integer := nullif(parley_private.setting('patterns_per_team'), 0);
begin
  if (select count(*) > c_most from unnest(paths) p where parley_private.is_pattern(p)) then
    perform parley_private.refuse_argument(field, format('At most %s of the paths may be patterns with wildcards.', c_most), 'Name folders or files instead.');
  end if;
end;
$$;

create or replace function parley_private.is_pattern(path text, may_be_file boolean default false)
returns boolean
language sql immutable
return case when may_be_file then path ~ '[*?]' else path ~ '[][*?{]' end;

-- Those that a pattern meets, of paths without wildcards as path_subject writes them. First asked of a hundred at once: to make a
-- regex ready for a text takes longer than to search it.
create or replace function parley_private.hundreds_of(subjects text[])
returns text[]
language sql immutable
set search_path = ''
as $$
  select array_agg(array_to_string(subjects[n : n + 99], E'\n') order by n) from generate_series(1, cardinality(subjects), 100) as n;
$$;

create or replace function parley_private.subjects_met(regex text, subjects text[], hundreds text[])
returns setof integer
language sql immutable
set search_path = ''
as $$
  select (h.nth - 1) * 100 + s.nth
  from (select h.nth::integer from unnest(hundreds) with ordinality as h (text, nth) where h.text ~ regex offset 0) h
  cross join lateral (
    select s.nth::integer from unnest(subjects[h.nth * 100 - 99 : h.nth * 100]) with ordinality as s (subject, nth) where s.subject ~ regex
  ) s;
$$;

-- Where paths collide with what others hold, a few of the collisions or all. Two without wildcards do where one lies above the other, which
-- their bases tell, and so does one that lies above a pattern. A pattern is made a regex once for all the paths that it is compared
-- with; two patterns are walked through. What was changed are files, even where brackets are in
-- their names, unless there is a * or ?.
create or replace function parley_private.collisions(session_id uuid, team integer, paths text[], are_files boolean default false, most integer default null)
returns table (path text, held text, holder integer, task integer, note text)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
declare
  v_plain    text[] := array(select p from unnest(paths) p where not parley_private.is_pattern(p, are_files));
  v_patterns text[] := array(select p from unnest(paths) p where parley_private.is_pattern(p, are_files));
  v_subjects text[];
  v_hundreds text[];
  v_bases    text[];
  v_held     text[];
  v_found    integer := 0;
  v_rows     integer;
begin
  return query
  select w.path, h.path, h.participant_id, h.task, h.note
  from (select p.path, rtrim(parley_private.path_key(p.path), '/') || '/' as base from unnest(v_plain) as p (path) offset 0) w
  cross join lateral (
    select * from parley.held_paths h
    where h.session_id = collisions.session_id and h.base = any (parley_private.bases_above(w.base)) and not parley_private.is_pattern(h.path)
    union all
    select * from parley.held_paths h
    where h.session_id = collisions.session_id and h.base > w.base and h.base < w.base || U&'\+10FFFF'
  ) h
  where h.participant_id <> team
  limit most;
  get diagnostics v_found = row_count;

  if v_plain <> '{}' and v_found < coalesce(most, v_found + 1) then
    v_subjects := array(select parley_private.path_subject(p) from unnest(v_plain) p);
    v_hundreds := parley_private.hundreds_of(v_subjects);
    return query
    select v_plain[met.nth], h.path, h.participant_id, h.task, h.note
    from (
      select *, parley_private.path_regex(h.path) as regex from parley.held_paths h
      where h.session_id = collisions.session_id and h.participant_id <> team and parley_private.is_pattern(h.path)
        and h.base = any (array(select unnest(parley_private.bases_above(parley_private.path_key(p) || '/')) from unnest(v_plain) p))
      offset 0
    ) h
    cross join lateral parley_private.subjects_met(h.regex, v_subjects, v_hundreds) as met (nth)
    limit most - v_found;
    get diagnostics v_rows = row_count;
    v_found := v_found + v_rows;
  end if;

  if v_patterns <> '{}' and v_found < coalesce(most, v_found + 1) then
    -- Most meet nothing at all: what they may meet begins as they do, or they as it does.
    select array_agg(distinct p.path), array_agg(distinct h.base), array_agg(distinct h.path) filter (where not parley_private.is_pattern(h.path))
    into v_patterns, v_bases, v_held
    from (select p as path, parley_private.path_base(p) as base from unnest(v_patterns) p offset 0) p
    cross join lateral (
      select h.path, h.base from parley.held_paths h
      where h.session_id = collisions.session_id and h.participant_id <> team and h.base = any (parley_private.bases_above(p.base))
      union all
      select h.path, h.base from parley.held_paths h
      where h.session_id = collisions.session_id and h.participant_id <> team and h.base > p.base and h.base < p.base || U&'\+10FFFF'
    ) h;
    if v_patterns is null then
      return;
    end if;
    v_subjects := array(select parley_private.path_subject(p) from unnest(v_held) p);
    v_hundreds := parley_private.hundreds_of(v_subjects);
    return query
    with wanted as materialized (
      select p.path, parley_private.path_base(p.path) as base, parley_private.path_regex(p.path) as regex,
        parley_private.path_parts(p.path) as parts, parley_private.is_folder(p.path) as is_folder
      from unnest(v_patterns) as p (path)
    ),
    held as materialized (
      select h.*, parley_private.path_parts(h.path) as parts, parley_private.is_folder(h.path) as is_folder from parley.held_paths h
      where h.session_id = collisions.session_id and h.participant_id <> team and h.base = any (v_bases) and parley_private.is_pattern(h.path)
    )
    select w.path, h.path, h.participant_id, h.task, h.note
    from wanted w
    join held h on starts_with(h.base, w.base) or starts_with(w.base, h.base)
    where parley_private.patterns_meet(h.parts, h.is_folder, w.parts, w.is_folder)
    union all
    select w.path, h.path, h.participant_id, h.task, h.note
    from wanted w
    cross join lateral parley_private.subjects_met(w.regex, v_subjects, v_hundreds) as met (nth)
    join parley.held_paths h on h.session_id = collisions.session_id and h.participant_id <> team and h.path = v_held[met.nth]
    limit most - v_found;
  end if;
end;
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
  from (select * from parley_private.collisions(team.session_id, team.id, paths, most => 100)) c
  join parley.participants p on p.session_id = team.session_id and p.id = c.holder;
  if v_taken is not null then
    perform parley_private.fail(409, 'already_claimed',
      format('%s of these paths %s held by others; nothing was claimed.', jsonb_array_length(v_taken), case jsonb_array_length(v_taken) when 1 then 'is' else 'are' end),
      'Take others, or ask whoever holds them.',
      jsonb_build_object('by', v_taken -> 0 -> 'by', 'until', v_taken -> 0 -> 'until', 'collisions', v_taken));
  end if;
end;
$$;

-- Patterns are compared with one another, so there may not be too many of them.
create or replace function parley_private.hold_paths(team parley.participants, paths text[], task integer default 0, note text default null)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  c_of_team    constant integer := nullif(parley_private.setting('patterns_per_team'), 0);
  c_of_session constant integer := nullif(parley_private.setting('patterns_per_session'), 0);
  v_held       record;
begin
  insert into parley.held_paths (session_id, participant_id, task, path, base, note)
  select team.session_id, team.id, hold_paths.task, p.path, parley_private.path_base(p.path), hold_paths.note
  from unnest(paths) as p (path)
  on conflict on constraint held_paths_are_held_once do update set note = coalesce(excluded.note, held_paths.note);
  if not exists (select from unnest(paths) p where parley_private.is_pattern(p)) then
    return;
  end if;
  select count(*) as by_all, count(*) filter (where h.participant_id = team.id) as by_team into v_held
  from parley.held_paths h where h.session_id = team.session_id and parley_private.is_pattern(h.path);
  if v_held.by_team > c_of_team then
    perform parley_private.fail(409, 'too_many_patterns',
      format('A team holds at most %s patterns with wildcards; with these it would be %s.', c_of_team, v_held.by_team),
      'Name folders or files instead, or let go of some: release_paths, or finish a task that holds them.');
  elsif v_held.by_all > c_of_session then
    perform parley_private.fail(409, 'too_many_patterns',
      format('At most %s patterns with wildcards are held in one session; with these it would be %s.', c_of_session, v_held.by_all),
      'Name folders or files instead.');
  end if;
end;
$$;
