-- What a team brings forward that a task is done: short facts, each of a kind.
create or replace function parley_private.check_evidence(evidence jsonb)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_item  jsonb;
  v_place text;
begin
  if evidence is null then
    return;
  elsif jsonb_typeof(evidence) <> 'array' or jsonb_array_length(evidence) > 20 then
    perform parley_private.refuse_argument('evidence', 'evidence must be a list of at most 20 items.',
      'Send [{"kind": "commit", "commit": "3f2a91c", "branch": "refunds"}, {"kind": "check", "name": "test", "passed": true}].');
  end if;
  perform parley_private.check_text('evidence', evidence::text, 'metadata_max');
  for n in 0 .. jsonb_array_length(evidence) - 1 loop
    v_item := evidence -> n;
    v_place := format('evidence[%s]', n);
    if jsonb_typeof(v_item) <> 'object' or coalesce(v_item ->> 'kind', '') not in ('check', 'commit', 'link') then
      perform parley_private.refuse_argument(v_place, 'An item of evidence has a kind: check, commit or link.',
        '{"kind": "check", "name": "test"}, {"kind": "commit", "commit": "3f2a91c"} or {"kind": "link", "url": "https://…"}.');
    elsif exists (select from jsonb_each(v_item) as f (name, value) where jsonb_typeof(f.value) in ('object', 'array')) then
      perform parley_private.refuse_argument(v_place, 'The fields of evidence are texts, numbers, true or false.',
        'Leave out lists and objects, or link to where they are.');
    elsif v_item ->> 'url' !~* '^https?://\S+$' then
      perform parley_private.refuse_argument(v_place || '.url', 'A link starts with http:// or https://.',
        'Send the whole address, or name a commit instead.');
    end if;
  end loop;
end;
$$;

-- A fact that one of its items holds, under the first of these names that does.
create or replace function parley_private.told_by(evidence jsonb, variadic names text[])
returns text
language sql immutable
set search_path = ''
as $$
  select e.item ->> n.name
  from unnest(names) with ordinality as n (name, place), jsonb_array_elements(evidence) with ordinality as e (item, nth)
  where e.item ->> n.name ~ '\S'
  order by e.item ->> 'kind' = 'commit' desc, n.place, e.nth
  limit 1;
$$;

create or replace function parley_private.commit_of(evidence jsonb)
returns text
language sql immutable
set search_path = ''
as $$
  select lower(c) from parley_private.told_by(evidence, 'commit', 'sha', 'hash', 'head', 'id') as c where c ~* '^[0-9a-f]{7,64}$';
$$;

-- Commits are often cut short.
create or replace function parley_private.is_same_commit(one text, other text)
returns boolean
language sql immutable
return starts_with(lower(one), lower(other)) or starts_with(lower(other), lower(one));

-- Evidence of others joins what there is, with who brought it; the newest forty items stay.
create or replace function parley_private.with_evidence(known jsonb, evidence jsonb, handle text)
returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_agg(e.item order by e.nth)
  from (
    select i.item, i.nth
    from jsonb_array_elements(coalesce(known, '[]') || coalesce((
      select jsonb_agg(n.item || jsonb_build_object('by', handle)) from jsonb_array_elements(evidence) as n (item)
    ), '[]')) with ordinality as i (item, nth)
    order by i.nth desc
    limit 40
  ) e;
$$;
