create or replace function parley_private.team_as_line(team parley.roster_entry)
returns text
language sql stable
set search_path = ''
as $$
  select format('team %s (%s): %s', team.handle,
    concat_ws(', ',
      case when team.you then 'you' end,
      case when team.convener then 'convener' end,
      nullif(team.kind, 'agent'),
      case when team.guest then 'guest' end,
      team.activity,
      case when (team.reachable).by in ('hook', 'runner') then 'by ' || (team.reachable).by end,
      'tasks ' || nullif(array_to_string(team.tasks, ' '), '')),
    parley_private.on_one_line(team.team_name))
    || coalesce(E'\n  doing: ' || parley_private.on_one_line(team.doing), '');
$$;

-- The team itself, after it has said who it is.
create or replace function parley_private.roster_entry_as_text(answer parley.roster_entry)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ', 'handle ' || answer.handle, 'unread ' || answer.unread),
    parley_private.team_as_line(answer),
    '  about: ' || (
      select string_agg(a.key || ' ' || parley_private.on_one_line(a.value), ', ' order by a.key) from jsonb_each_text(answer.about) a
    ));
$$;

create or replace function parley_private.teams_as_lines(teams parley.roster_entry[])
returns text
language sql stable
set search_path = ''
as $$
  select string_agg(parley_private.team_as_line(teams[i]), E'\n' order by i) from generate_subscripts(teams, 1) i;
$$;

create or replace function parley_private.roster_as_text(answer parley.roster)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('teams %s · unread %s', cardinality(answer.participants), answer.unread),
    parley_private.teams_as_lines(answer.participants));
$$;

grant execute on function
  parley_private.team_as_line, parley_private.roster_entry_as_text, parley_private.teams_as_lines, parley_private.roster_as_text
to parley_caller;

comment on type parley.roster_entry is '@text parley_private.roster_entry_as_text
A team in a session.';
comment on type parley.roster is '@text parley_private.roster_as_text';
