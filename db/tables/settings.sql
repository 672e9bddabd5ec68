-- One row per setting, with all that a page or a check needs to know about it.
create table if not exists parley.settings (
  name text not null,
  value jsonb not null,
  type text not null,
  default_value jsonb not null,
  minimum integer,
  maximum integer,
  description text not null,
  updated_at timestamptz,
  category text not null default 'limits',
  constraint settings_have_one_row_each primary key (name),
  constraint settings_have_a_known_type check (type in ('integer', 'boolean', 'url', 'choice')),
  constraint settings_have_a_known_category check (category in ('link', 'people', 'keys', 'rules', 'limits', 'data'))
);

comment on table parley.settings is '@backup seeded
The rules and limits of this server. A change applies at once, on every replica.';
comment on column parley.settings.name is 'What it is called.';
comment on column parley.settings.value is 'What applies now.';
comment on column parley.settings.type is 'integer, boolean, url or choice.';
comment on column parley.settings.default_value is 'What applied before anybody changed it.';
comment on column parley.settings.minimum is 'The smallest value, of a number.';
comment on column parley.settings.maximum is 'The largest value, of a number.';
comment on column parley.settings.description is 'What it does.';
comment on column parley.settings.updated_at is 'When the value was last changed; null while nobody has.';
comment on column parley.settings.category is 'Which settings it stands with: link, people, keys, rules, limits or data.';

alter table parley.settings enable row level security;
alter table parley.settings force row level security;

drop policy if exists settings_are_readable on parley.settings;
create policy settings_are_readable on parley.settings for select to parley_caller using (true);
drop policy if exists settings_are_kept_by_the_owner on parley.settings;
create policy settings_are_kept_by_the_owner on parley.settings to parley_owner using (true) with check (true);

grant select on parley.settings to parley_caller;

-- An address that may stand in the guide, whose lines agents run: nothing in it means anything to a shell, and every parser
-- of addresses takes it. Names in xn-- are left out: only such a parser can tell whether they are names.
create or replace function parley_private.is_link(address text)
returns boolean
language plpgsql immutable strict
set search_path = ''
as $$
declare
  c_octet constant text := '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
  c_label constant text := '([A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
  v_parts text[];
begin
  if length(address) > 500 then
    return false;
  end if;
  v_parts := regexp_match(
    address,
    '^https?://(?:([A-Za-z0-9.-]+)|\[([0-9A-Fa-f:]+)\])(?::([1-9][0-9]{0,4}))?(?:/[A-Za-z0-9._~-]+)*/?$');
  if v_parts is null or v_parts[3]::integer > 65535 then
    return false;
  end if;
  if v_parts[2] is not null then
    perform v_parts[2]::inet;
    return true;
  end if;
  return v_parts[1] ~ format('^(%1$s\.){3}%1$s$', c_octet)
    or v_parts[1] ~ format('^([A-Za-z0-9]%1$s\.)*[A-Za-z]%1$s$', c_label) and v_parts[1] !~* '(^|\.)xn--';
exception
  when invalid_text_representation then
    return false;
end;
$$;

-- What may be chosen, of a setting that is a choice.
create or replace function parley_private.choices_of(setting text)
returns text[]
language sql immutable
return case setting when 'oidc_role' then array['member', 'viewer', 'none'] end;

grant execute on function parley_private.choices_of to parley_caller;

-- A value as the setting keeps it; one that it does not take is refused.
create or replace function parley_private.check_setting(setting parley.settings, value jsonb)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_number numeric;
begin
  if setting.type = 'integer' then
    if jsonb_typeof(value) <> 'number' then
      perform parley_private.refuse_argument(setting.name, format('%s must be a whole number.', setting.name), 'Send a number, without quotes.');
    end if;
    v_number := value::text::numeric;
    if v_number <> trunc(v_number) or v_number < setting.minimum or v_number > setting.maximum then
      perform parley_private.refuse_argument(
        setting.name, format('%s must be a whole number from %s to %s.', setting.name, setting.minimum, setting.maximum),
        'Take one in between; default_value is what it was at first.');
    end if;
    return to_jsonb(v_number::integer);
  elsif setting.type = 'boolean' then
    if jsonb_typeof(value) <> 'boolean' then
      perform parley_private.refuse_argument(setting.name, format('%s must be true or false.', setting.name), 'Send true or false, without quotes.');
    end if;
  elsif setting.type = 'choice' then
    if jsonb_typeof(value) <> 'string' or value #>> '{}' <> all (parley_private.choices_of(setting.name)) then
      perform parley_private.refuse_argument(
        setting.name, format('%s must be one of %s.', setting.name, array_to_string(parley_private.choices_of(setting.name), ', ')),
        'Send one of them, in quotes.');
    end if;
  elsif jsonb_typeof(value) <> 'string'
    or value <> '""' and not parley_private.is_link(value #>> '{}') then
    perform parley_private.refuse_argument(
      setting.name,
      format('%s must be empty or an address that starts with http:// or https://.', setting.name),
      'A host name, IPv4 or [IPv6] address, then a port and a path of letters, digits and . _ ~ - if you like: https://parley.example.com/mcp. At most 500 characters.');
  end if;
  return value;
end;
$$;

create or replace function parley_private.tg_settings__check()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  new.value := parley_private.check_setting(new, new.value);
  if tg_op = 'UPDATE' and new.value is distinct from old.value then
    new.updated_at := now();
  end if;
  return new;
end;
$$;

-- One at a time: of two who change two settings at once, neither undoes the other.
create or replace function parley_private.tg_settings__keep_bounds()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  execute format('update parley_private.post_bounds set %I = nullif($1, 0)', new.name) using new.value::integer;
  return null;
end;
$$;

create or replace function parley_private.tg_settings__presence_in_order()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  if parley_private.setting('presence_active_seconds') >= parley_private.setting('presence_idle_seconds') then
    perform parley_private.refuse_argument(
      new.name, 'presence_active_seconds must be smaller than presence_idle_seconds.',
      'Change the other one first.');
  end if;
  return null;
end;
$$;

create or replace function parley_private.tg_settings__stay()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.fail(403, 'forbidden', 'Settings are changed, not removed: the rules rely on every one of them.', 'Set it to its default_value.');
  return null;
end;
$$;

create or replace function parley_private.tg_settings__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('settings');
  return null;
end;
$$;

-- What the environment says at the first start: every name and value is checked, but where someone has set a setting, it stands.
create or replace function parley_private.set_first_settings(first_values jsonb)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_setting parley.settings;
  v_name    text;
  v_value   jsonb;
begin
  for v_name, v_value in select * from jsonb_each(first_values) loop
    select * into v_setting from parley.settings s where s.name = v_name;
    if not found then
      perform parley_private.refuse_argument(v_name, format('there is no setting %s.', to_json(left(v_name, 100))),
        'The settings page lists them all; so does select name from parley.settings.');
    end if;
    perform parley_private.check_setting(v_setting, v_value);
  end loop;
  update parley.settings s set value = f.value
  from jsonb_each(first_values) as f (name, value)
  where s.name = f.name and s.updated_at is null;
end;
$$;

-- Whole numbers are what most rules ask for; texts have their own readers. In plpgsql, because every verb asks: a plan
-- that is kept costs less than an SQL function that cannot be inlined.
create or replace function parley_private.setting(name text)
returns integer
language plpgsql stable strict
set search_path = ''
as $$
begin
  return (select (s.value #>> '{}')::integer from parley.settings s where s.name = setting.name);
end;
$$;

grant execute on function parley_private.setting to parley_caller;

create or replace function parley_private.is_on(name text)
returns boolean
language plpgsql stable strict
set search_path = ''
as $$
begin
  return (select s.value::boolean from parley.settings s where s.name = is_on.name);
end;
$$;

grant execute on function parley_private.is_on to parley_caller;

drop trigger if exists _100_check on parley.settings;
create trigger _100_check before insert or update on parley.settings
  for each row execute function parley_private.tg_settings__check();
drop trigger if exists _100_stay on parley.settings;
create trigger _100_stay before delete or truncate on parley.settings
  for each statement execute function parley_private.tg_settings__stay();
alter table parley.settings enable always trigger _100_stay;
drop trigger if exists _150_keep_bounds on parley.settings;
create trigger _150_keep_bounds after insert or update on parley.settings
  for each row when (new.name in ('posts_per_minute', 'hops', 'loop_guard', 'message_max')) execute function parley_private.tg_settings__keep_bounds();
drop trigger if exists _200_presence_in_order on parley.settings;
create trigger _200_presence_in_order after update on parley.settings
  for each row when (new.name like 'presence%') execute function parley_private.tg_settings__presence_in_order();
drop trigger if exists _500_notify on parley.settings;
create trigger _500_notify after insert or update on parley.settings
  for each statement execute function parley_private.tg_settings__notify();

insert into parley.settings as s (category, name, type, value, default_value, minimum, maximum, description)
select category, name, type, value, value, minimum, maximum, description
from (values
  ('link', 'mcp_url', 'url', '""'::jsonb, null::integer, null::integer,
    'The link that agents connect to, e.g. https://parley.example.com/mcp. Empty: taken from the address of each request.'),
  ('rules', 'capacity', 'integer', '100', 0, 10000,
    'Most teams in one session; those that have left do not count. A session may be created with fewer. 0: no limit.'),
  ('rules', 'single_session', 'boolean', 'false', null, null,
    'Whether a team may be in only one active session at a time. Teams under one access key are the same; without a key, those of one name.'),
  ('rules', 'convener_only', 'boolean', 'false', null, null,
    'Whether only the convener and people may conclude a session or change its title and description.'),
  ('rules', 'metadata_interval', 'integer', '0', 0, 86400,
    'Seconds that have to pass between two changes of the title or description of a session. 0: no limit.'),
  ('rules', 'posts_per_minute', 'integer', '60', 0, 10000,
    'Most messages that one team may post within a minute; of what it does that everybody is told of, ten times as many. 0: no limit.'),
  ('rules', 'sessions_per_hour', 'integer', '100', 0, 100000,
    'Most sessions that may be opened within an hour under one access key, by one person or, without either, from one address. 0: no limit.'),
  ('rules', 'hops', 'integer', '20', 0, 10000,
    'How long agents may go on answering one another: a message counts one more than the one that led to it. A team that decides, or changes the document or a task, starts anew, and so does whoever hears a person. 0: no limit.'),
  ('rules', 'loop_guard', 'integer', '60', 0, 10000,
    'Most messages of agents in a row while nothing moves: no change to the document or a task, no decision, no answer to an open question, nobody who joins, no person. 0: no limit.'),
  ('limits', 'title_max', 'integer', '200', 1, 1000, 'Longest title of a session, in characters.'),
  ('limits', 'description_max', 'integer', '10000', 0, 100000, 'Longest description of a session, in characters.'),
  ('limits', 'team_name_max', 'integer', '80', 1, 200, 'Longest name of a team, in characters.'),
  ('limits', 'message_max', 'integer', '65536', 1, 1000000, 'Longest text of a message, in characters.'),
  ('limits', 'reason_max', 'integer', '1000', 1, 10000, 'Longest reason for a change of title or description, in characters.'),
  ('limits', 'doc_max_bytes', 'integer', '1048576', 1024, 2097152, 'Largest session document, in bytes of UTF-8.'),
  ('limits', 'append_max', 'integer', '100000', 1, 1000000, 'Longest text that one call may append to the document, in characters.'),
  ('limits', 'summary_max', 'integer', '100000', 1, 1000000, 'Longest summary of a conclusion, in characters.'),
  ('limits', 'metadata_max', 'integer', '8192', 2, 100000, 'Largest metadata of a message, in characters of JSON.'),
  ('limits', 'outbox_max', 'integer', '20', 1, 100, 'Most messages that one call of sync may post.'),
  ('limits', 'list_text_max', 'integer', '4000', 100, 1000000, 'Longest text of a message in a list, in characters; get_message has the whole.'),
  ('limits', 'digest_items', 'integer', '50', 1, 500, 'Most entries of each list in a digest.'),
  ('limits', 'wait_max_seconds', 'integer', '30', 1, 50, 'Longest time that one call may wait for messages, in seconds.'),
  ('limits', 'wait_page', 'integer', '100', 1, 500, 'Most messages that one wait hands over.'),
  ('limits', 'page_max_bytes', 'integer', '1048576', 1024, 16777216, 'Largest page of messages, in bytes of what teams wrote; one message always comes.'),
  ('limits', 'idle_polls', 'integer', '10', 1, 1000, 'After how many empty waits in a row a team is told that the session is idle.'),
  ('people', 'oidc_role', 'choice', '"member"', null, null,
    'What somebody new becomes who signs in by OpenID Connect: member, viewer, or none: then nobody new is let in.'),
  ('people', 'names_per_hour', 'integer', '60', 0, 100000,
    'Most people who may come by a name alone within an hour from one address, with open access. 0: no limit.'),
  ('keys', 'keys_per_hour', 'integer', '60', 0, 10000, 'Most access keys that may be made within an hour; 0: no limit.'),
  ('limits', 'presence_active_seconds', 'integer', '10', 1, 3600, 'For how many seconds after its last call a team counts as active.'),
  ('limits', 'presence_idle_seconds', 'integer', '60', 2, 86400, 'For how many seconds after its last call a team counts as idle, before it is disconnected.'),
  ('limits', 'working_seconds', 'integer', '600', 1, 86400, 'For how many seconds after its last call a team is shown as working, before it is silent.'),
  ('limits', 'live_seconds', 'integer', '120', 1, 86400, 'For how many seconds after the last call of any team a session is shown as live.'),
  ('limits', 'claim_grace', 'integer', '900', 0, 604800, 'For how many seconds a team that is no longer present keeps the tasks and paths that it has claimed.'),
  ('limits', 'patterns_per_team', 'integer', '50', 0, 1000,
    'Most patterns with wildcards that one team may hold, by itself and by its tasks; files and folders do not count. 0: no limit.'),
  ('limits', 'patterns_per_session', 'integer', '500', 0, 10000,
    'Most patterns with wildcards that all teams of a session may hold together. 0: no limit.'),
  ('rules', 'verified_only', 'boolean', 'false', null, null, 'Whether only tasks that another team has verified free those that depend on them.'),
  ('rules', 'run_turns', 'integer', '200', 0, 1000000, 'Most turns of one run of an agent; then it stops and says so. A spawn may ask for fewer. 0: no limit.'),
  ('rules', 'run_tokens', 'integer', '0', 0, 2000000000, 'Most tokens that one run may use, as far as its agent says. 0: no limit.'),
  ('rules', 'run_cost', 'integer', '0', 0, 1000000, 'Most that one run may cost, in US dollars, where its agent says so. 0: no limit.'),
  ('rules', 'session_turns', 'integer', '2000', 0, 1000000, 'Most turns of all runs of a session together. 0: no limit.'),
  ('rules', 'session_tokens', 'integer', '0', 0, 2000000000, 'Most tokens that all runs of a session may use together. 0: no limit.'),
  ('rules', 'session_cost', 'integer', '0', 0, 1000000, 'Most that all runs of a session may cost together, in US dollars. 0: no limit.'),
  ('limits', 'run_lease', 'integer', '20', 5, 600, 'After how many seconds without a sign of life a run of an agent is lost.'),
  ('people', 'permission_timeout', 'integer', '600', 5, 86400, 'After how many seconds what an agent asks for is refused, if nobody has answered.'),
  ('limits', 'transcript_events', 'integer', '20000', 100, 1000000, 'Most events of the transcript of one run; the oldest go first.'),
  ('limits', 'transcript_bytes', 'integer', '8388608', 65536, 1073741824, 'Most bytes of whole texts in the transcript of one run; the oldest go first, and leave their lines.'),
  ('data', 'delete_closed_after', 'integer', '0', 0, 36500, 'How many days after its conclusion a session is deleted, with all that was said in it; 0: never.')
) as known (category, name, type, value, minimum, maximum, description)
on conflict on constraint settings_have_one_row_each do update set
  category = excluded.category,
  type = excluded.type,
  default_value = excluded.default_value,
  minimum = excluded.minimum,
  maximum = excluded.maximum,
  description = excluded.description;
