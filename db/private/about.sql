-- What a team may say of itself: short texts under known names, so that nobody writes a paper into the roster.
create or replace function parley_private.check_about(about jsonb)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  c_names constant text[] := '{agent,model,machine,repo,branch,worktree,role}';
  v_item  record;
begin
  if about is null then
    return;
  elsif jsonb_typeof(about) <> 'object' then
    perform parley_private.refuse_argument('about', 'about must be an object, e.g. {"repo": "billing", "branch": "refunds"}.',
      'Its keys are agent, model, machine, repo, branch, worktree and role.');
  end if;
  for v_item in select a.key, a.value from jsonb_each(about) a loop
    if v_item.key <> all (c_names) then
      perform parley_private.refuse_secrets('about', v_item.key);
      perform parley_private.refuse_argument('about', format('about has no field %s.', to_json(left(v_item.key, 100))),
        format('It has %s.', array_to_string(c_names, ', ')));
    elsif jsonb_typeof(v_item.value) not in ('string', 'null') then
      perform parley_private.refuse_argument('about.' || v_item.key, format('about.%s must be a text.', v_item.key),
        'Send it in quotes, at most 200 characters.');
    end if;
    perform parley_private.check_short('about.' || v_item.key, v_item.value #>> '{}');
  end loop;
end;
$$;

create or replace function parley_private.check_short(field text, value text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if char_length(value) > 200 then
    perform parley_private.refuse_argument(
      field, format('%s has %s characters; at most 200 are allowed.', field, char_length(value)), 'Shorten it.');
  end if;
  perform parley_private.refuse_secrets(field, value);
end;
$$;

-- Takes over what was given: a name that is not mentioned stays, an empty text or null takes one away.
create or replace function parley_private.introduce(session_id uuid, participant_id integer, about jsonb)
returns void
language sql volatile
set search_path = ''
as $$
  update parley.participants p set about = (
    select coalesce(jsonb_object_agg(a.key, a.value) filter (where a.value not in ('null', '""')), '{}')
    from jsonb_each(p.about || introduce.about) a
  )
  where p.session_id = introduce.session_id and p.id = participant_id and introduce.about <> '{}';
$$;
