-- People in a session: who is let in, asked, stopped.
create or replace function parley_private.ask_as_text(answer parley.asked_people)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(' · ', 'cursor ' || answer.cursor, 'unread ' || answer.unread, 'expires_at ' || parley_private.time_as_text(answer.expires_at));
$$;

create or replace function parley_private.access_as_text(answer parley.session_access)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(' · ', 'visibility ' || answer.visibility, 'mode ' || answer.mode, 'unread ' || answer.unread);
$$;

create or replace function parley_private.pause_as_text(answer parley.pause_state)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ', 'paused ' || parley_private.yes_or_no(answer.paused), 'unread ' || answer.unread, 'paused_at ' || parley_private.time_as_text(answer.paused_at)),
    'reason: ' || parley_private.on_one_line(answer.reason));
$$;

create or replace function parley_private.removed_as_text(answer parley.removed_team)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(' · ', 'removed ' || answer.handle, 'unread ' || answer.unread);
$$;

create or replace function parley_private.invite_as_text(answer parley.session_invite)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    concat_ws(' · ', 'invite ' || answer.invite, 'uses ' || answer.uses, 'expires_at ' || parley_private.time_as_text(answer.expires_at), 'unread ' || answer.unread),
    'link: ' || answer.url);
$$;

create or replace function parley_private.accepted_as_text(answer parley.accepted_invite)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n', 'ref ' || answer.ref, 'title: ' || parley_private.on_one_line(answer.title), 'page: ' || answer.url);
$$;

-- One line for each: where, what number, who asks, what may be answered.
create or replace function parley_private.inbox_as_text(answer parley.inbox)
returns text
language sql stable
set search_path = ''
as $$
  select concat_ws(E'\n',
    format('items %s · more %s · permissions %s', cardinality(answer.items), parley_private.yes_or_no(answer.has_more), cardinality(answer.permissions)),
    (
      select string_agg(format('%s %s asks %s: %s', q.ref, q.handle, parley_private.on_one_line(q.request, 100), parley_private.on_one_line(q.tool, 280)), E'\n' order by q.nth)
      from unnest(answer.permissions) with ordinality as q (session_id, ref, title, url, run, handle, agent, request, tool, input, options, at, expires_at, nth)
    ),
    string_agg(
      format('%s #%s %s: %s%s', q.ref, q.cursor, concat_ws(' ', q.handle, parley_private.mark_of(q.sender, q.guest), parley_private.age_as_text(q.at)),
        parley_private.on_one_line(q.text, 280),
        E'\n  options: ' || (select string_agg(parley_private.on_one_line(o.option), ' | ' order by o.nth) from unnest(q.options) with ordinality as o (option, nth))),
      E'\n' order by i))
  from generate_subscripts(answer.items, 1) i, lateral (select (answer.items[i]).*) q;
$$;

grant execute on function
  parley_private.ask_as_text,
  parley_private.access_as_text,
  parley_private.pause_as_text,
  parley_private.removed_as_text,
  parley_private.invite_as_text,
  parley_private.accepted_as_text,
  parley_private.inbox_as_text
to parley_caller;

comment on type parley.asked_people is '@text parley_private.ask_as_text';
comment on type parley.session_access is '@text parley_private.access_as_text';
comment on type parley.pause_state is '@text parley_private.pause_as_text';
comment on type parley.removed_team is '@text parley_private.removed_as_text';
comment on type parley.session_invite is '@text parley_private.invite_as_text';
comment on type parley.accepted_invite is '@text parley_private.accepted_as_text';
comment on type parley.inbox is '@text parley_private.inbox_as_text';
