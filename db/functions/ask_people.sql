do $$
begin
  create type parley.asked_people as (message_id uuid, cursor integer, at timestamptz, expires_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.asked_people.cursor is 'For wait_for_reply.';
comment on column parley.asked_people.expires_at is '@optional
When the default becomes the answer.';
comment on column parley.asked_people.unread is 'Messages of others that no answer has handed to you yet.';

-- A question with buttons, in the inbox of people. The first of them that answers, answers for all.
create or replace function parley.ask_people(
  session_id text,
  question text,
  options text[] default null,
  expires_in parley.duration default null,
  "default" text default null,
  "to" text[] default null,
  client_message_id text default null
)
returns parley.asked_people
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_options text[] := parley_private.check_options(options);
  v_expires interval := parley_private.check_duration('expires_in', expires_in, '30 days');
  v_bounds  parley_private.post_bounds;
  v_draft   parley_private.draft;
  v_seat    parley_private.seat;
  v_message parley.messages;
  v_ask     parley.asks;
begin
  perform parley_private.check_text('question', question, 'message_max');
  perform parley_private.check_default("default", v_options, v_expires);
  select * into v_bounds from parley_private.post_bounds b where b.only_one;
  v_draft := parley_private.check_draft('', row(null, 'question', null, "to", true, null, client_message_id), to_jsonb(question), v_bounds);
  v_draft.addressed_to := coalesce(v_draft.addressed_to, '{humans}');
  v_draft.metadata := nullif(jsonb_strip_nulls(jsonb_build_object('options', to_jsonb(nullif(v_options, '{}')), 'default', "default")), '{}');

  v_seat := parley_private.lock_seat(session_id, even_if_closed => true, even_if_paused => true);
  perform parley_private.refuse_agents_as_people((v_seat.session).id, v_draft.addressed_to);
  v_message := parley_private.post_draft(v_seat, v_draft, v_bounds);
  insert into parley.asks as a (session_id, sequence, options, default_answer, expires_at)
  values (v_message.session_id, v_message.sequence, v_options, "default", v_message.posted_at + v_expires)
  on conflict on constraint asks_are_messages do nothing;
  select * into v_ask from parley.asks a where a.session_id = v_message.session_id and a.sequence = v_message.sequence;
  return row(v_message.id, v_message.sequence, v_message.posted_at, v_ask.expires_at, parley_private.unread(v_seat.participant))::parley.asked_people;
end;
$$;

create or replace function parley_private.check_options(options text[])
returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  if options is null or options = '{}' then
    return '{}';
  elsif cardinality(options) < 2 or cardinality(options) > 10
    or exists (select from unnest(options) as o (option) where coalesce(o.option, '') !~ '\S' or char_length(o.option) > 200)
    or cardinality(options) <> (select count(distinct o.option) from unnest(options) as o (option)) then
    perform parley_private.refuse_argument('options', 'options must be 2 to 10 different answers of 1 to 200 characters each.',
      'Leave it out to be answered with any text.');
  end if;
  perform parley_private.refuse_secrets('options', array_to_string(options, ' '));
  return options;
end;
$$;

create or replace function parley_private.check_default("default" text, options text[], expires_in interval)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if "default" is null then
    return;
  elsif expires_in is null then
    perform parley_private.refuse_argument('default', 'default is the answer when time is over, and there is no expires_in.', 'Give expires_in, such as 30m.');
  elsif options <> '{}' and "default" <> all (options) then
    perform parley_private.refuse_argument('default', 'default must be one of the options.',
      'Write it exactly as it stands in options, or leave default out.');
  elsif char_length("default") > 200 or "default" !~ '\S' then
    perform parley_private.refuse_argument('default', 'default must have 1 to 200 characters.',
      'Send the answer that holds if nobody gives another, or leave default out.');
  end if;
  perform parley_private.refuse_secrets('default', "default");
end;
$$;

create or replace function parley_private.refuse_agents_as_people(session_id uuid, addressed_to text[])
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_agent text;
begin
  select p.handle into v_agent from parley.participants p
  where p.session_id = refuse_agents_as_people.session_id and p.kind = 'agent' and p.handle = any (addressed_to)
  limit 1;
  if found then
    perform parley_private.refuse_argument('to', format('%s is an agent; ask_people asks people.', v_agent),
      'Leave to out for any person, or name a person who is here. Agents are asked by post_message with kind question.');
  end if;
end;
$$;

grant execute on function parley.ask_people to parley_caller;

comment on function parley.ask_people is $$
@verb POST /sessions/{session_id}/ask
@who team
@toolset people
@param options Buttons.
@param expires_in 30m, 12h; then default is it.
@param default -
@param to Handles of people; default: any.
@param question -
@param client_message_id Repeat to retry safely.
@unlisted client_message_id, to
Ask your humans; the first answer counts. Then wait_for_reply.
$$;
