-- The transcript of a run: a line for each event, and the whole of it apart, for whoever wants it. As it comes from a runner, so
-- nothing in it is taken for anything but text.

create or replace function parley_private.check_events(events jsonb)
returns void
language plpgsql stable
set search_path = ''
as $$
declare
  v_event jsonb;
begin
  if events is null then
    return;
  elsif jsonb_typeof(events) <> 'array' or jsonb_array_length(events) > 500 then
    perform parley_private.refuse_argument('events', 'events must be a list of at most 500 objects with kind and title.', 'Report more in several calls.');
  end if;
  for v_event in select e.value from jsonb_array_elements(events) e loop
    if jsonb_typeof(v_event) <> 'object' then
      perform parley_private.refuse_argument('events', 'Each of events must be an object with kind and title.', '{"kind": "say", "title": "…"}');
    elsif coalesce(v_event ->> 'kind', '') <> all ('{say,think,tool,tool_result,prompt,note}') then
      perform parley_private.refuse_argument('events.kind', 'The kind of an event must be say, think, tool, tool_result, prompt or note.',
        'note is for what is none of the others.');
    elsif jsonb_typeof(v_event -> 'title') is distinct from 'string' and jsonb_typeof(v_event -> 'text') is distinct from 'string' then
      perform parley_private.refuse_argument('events.title', 'An event needs a title or a text.', '{"kind": "say", "title": "…"}');
    elsif coalesce(jsonb_typeof(v_event -> 'title'), 'string') <> 'string' or coalesce(jsonb_typeof(v_event -> 'text'), 'string') not in ('string', 'null') then
      perform parley_private.refuse_argument('events', 'title and text of an event must be texts.', 'Send them in quotes.');
    elsif char_length(v_event ->> 'text') > 1000000 then
      perform parley_private.refuse_argument('events.text', 'The text of an event has at most 1000000 characters.', 'Cut it.');
    elsif v_event ? 'at' and not coalesce(v_event ->> 'at' ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$', false) then
      perform parley_private.refuse_argument('events.at', 'at must be a time in ISO 8601.', '2026-01-31T12:00:00Z, or leave it out: now.');
    end if;
  end loop;
end;
$$;

-- An agent may print its own credential: what nobody may know stands in no transcript.
create or replace function parley_private.without_secrets(text text)
returns text
language sql immutable
set search_path = ''
as $$
  select regexp_replace(text, '(pt_|pl_|pi_|pk_[A-Za-z0-9]{8}_)[A-Za-z0-9_-]{43}', '\1…', 'g');
$$;

-- Adds to the transcript and keeps it within its bounds: the oldest texts go first, then the oldest lines. The caller has locked the
-- row of the run.
create or replace function parley_private.append_events(run parley.runs, events jsonb)
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_run   parley.runs;
  v_added bigint;
  v_most  integer := parley_private.setting('transcript_events');
begin
  if coalesce(jsonb_array_length(events), 0) = 0 then
    return;
  end if;
  update parley.runs r set last_event = r.last_event + jsonb_array_length(events)
  where r.session_id = run.session_id and r.run = (append_events.run).run
  returning r.* into v_run;
  with added as (
    insert into parley.run_events (session_id, run, event, kind, title, text, at)
    select v_run.session_id, v_run.run, v_run.last_event - jsonb_array_length(events) + e.nth, e.value ->> 'kind',
      parley_private.on_one_line(parley_private.without_secrets(coalesce(nullif(e.value ->> 'title', ''), e.value ->> 'text')), 200),
      case when e.value ->> 'text' is distinct from e.value ->> 'title' and (e.value ? 'title' or char_length(e.value ->> 'text') > 200 or e.value ->> 'text' ~ '\n')
        then parley_private.without_secrets(e.value ->> 'text') end,
      -- By the clock of the runner, but not from the future.
      least(coalesce((e.value ->> 'at')::timestamptz, clock_timestamp()), clock_timestamp())
    from jsonb_array_elements(events) with ordinality as e (value, nth)
    returning octet_length(text) as bytes
  )
  select coalesce(sum(a.bytes), 0) into v_added from added a;
  v_run.transcript_bytes := v_run.transcript_bytes + v_added;
  if v_run.transcript_bytes > parley_private.setting('transcript_bytes') then
    v_run.transcript_bytes := parley_private.forget_texts(v_run);
  end if;
  update parley.runs r set transcript_bytes = v_run.transcript_bytes
  where r.session_id = v_run.session_id and r.run = v_run.run;
  if v_run.last_event > v_most and v_most > 0 then
    delete from parley.run_events e
    where e.session_id = v_run.session_id and e.run = v_run.run and e.event <= v_run.last_event - v_most;
  end if;
end;
$$;

-- Lets go of the oldest texts until a tenth of the room is free, and says what is left.
create or replace function parley_private.forget_texts(run parley.runs)
returns bigint
language sql volatile
set search_path = ''
as $$
  with newest as (
    select e.event, sum(octet_length(e.text)) over (order by e.event desc) as bytes
    from parley.run_events e
    where e.session_id = run.session_id and e.run = (forget_texts.run).run and e.text is not null
  ),
  forgotten as (
    update parley.run_events e set text = null
    from newest n
    where e.session_id = run.session_id and e.run = (forget_texts.run).run and e.event = n.event
      and n.bytes > parley_private.setting('transcript_bytes') * 0.9
  )
  select coalesce(max(n.bytes) filter (where n.bytes <= parley_private.setting('transcript_bytes') * 0.9), 0)::bigint from newest n;
$$;

-- What the agent said last in a turn that began after an event: the words that whoever prompted it waits for. Not those of the turn
-- before, which may have ended later than that.
create or replace function parley_private.last_words(session_id uuid, run integer, after_event integer)
returns text
language sql stable
set search_path = ''
as $$
  select coalesce(e.text, e.title) from parley.run_events e
  where e.session_id = last_words.session_id and e.run = last_words.run and e.kind = 'say'
    and e.event > greatest(after_event, (
      select max(b.event) from parley.run_events b where b.session_id = last_words.session_id and b.run = last_words.run and b.kind = 'prompt'))
  order by e.event desc
  limit 1;
$$;
