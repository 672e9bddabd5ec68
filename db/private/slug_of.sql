-- A name as a short word of plain letters, digits and dashes: Alex's Team becomes alexs-team, Élan is elan.
create or replace function parley_private.slug_of(name text, otherwise text)
returns text
language sql immutable
set search_path = ''
as $$
  select coalesce(nullif(trim(both '-' from left(ltrim(words, '-'), 40)), ''), otherwise)
  from regexp_replace(regexp_replace(lower(normalize(name, nfd)), '[''’`\u0300-\u036f]', '', 'g'), '[^a-z0-9]+', '-', 'g') as words;
$$;
