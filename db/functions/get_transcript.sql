do $$
begin
  create type parley.transcript_event as (event integer, kind text, title text, text text, at timestamptz, more boolean);
  create type parley.transcript as (
    run integer,
    handle text,
    status text,
    events parley.transcript_event[],
    last_event integer,
    next_after integer,
    has_more boolean,
    unread integer
  );
exception when duplicate_object then null;
end $$;
comment on type parley.transcript_event is 'What an agent said or did.';
comment on column parley.transcript_event.kind is 'say, think, tool, tool_result, prompt or note.';
comment on column parley.transcript_event.title is 'In a line.';
comment on column parley.transcript_event.text is '@optional
The whole of it; with full, or of one event.';
comment on column parley.transcript_event.more is '@optional
True when there is more than the line: get_transcript with this event.';
comment on column parley.transcript.events is '@notNull
Oldest first.';
comment on column parley.transcript.last_event is 'The newest there is.';
comment on column parley.transcript.next_after is 'The after of the next page.';
comment on column parley.transcript.has_more is 'Whether there are newer ones than these.';
comment on column parley.transcript.unread is 'Messages of others that no answer has handed to you yet.';

-- Without after: the newest. As lists of messages it has a page size, and less where everything is asked for.
create or replace function parley.get_transcript(
  session_id text,
  handle text,
  after integer default null,
  "full" boolean default false,
  event integer default null
)
returns parley.transcript
language plpgsql stable
set search_path = ''
as $$
declare
  v_most   integer := case when "full" then 20 else 50 end;
  v_caller parley.participants;
  v_run    parley.runs;
  v_after  integer;
  v_events parley.transcript_event[];
begin
  perform parley_private.check_cursor('after', after);
  v_caller := (parley_private.take_seat(session_id, to_read => true)).participant;
  perform parley_private.refuse_guests(v_caller);
  v_run := parley_private.find_run(v_caller.session_id, handle);
  v_after := coalesce(event - 1, after, v_run.last_event - v_most);
  v_events := array(
    select row(
      e.event, e.kind, e.title, case when "full" or get_transcript.event is not null then e.text end, e.at,
      nullif(e.text is not null and not "full" and get_transcript.event is null, false))::parley.transcript_event
    from parley.run_events e
    where e.session_id = v_run.session_id and e.run = v_run.run and e.event > v_after
    order by e.event
    limit case when get_transcript.event is not null then 1 else v_most end
  );
  if get_transcript.event is not null and (v_events[1]).event is distinct from get_transcript.event then
    perform parley_private.fail(404, 'event_not_found', 'This transcript has no such event, or not any more.', 'get_transcript lists what there is.',
      '{"field": "event"}');
  end if;
  return row(
    v_run.run, ltrim(handle, '@'), parley_private.status_of(v_run), v_events, v_run.last_event,
    coalesce((v_events[cardinality(v_events)]).event, greatest(v_after, 0)),
    coalesce((v_events[cardinality(v_events)]).event, v_after) < v_run.last_event and event is null,
    parley_private.unread(v_caller))::parley.transcript;
end;
$$;

grant execute on function parley.get_transcript to parley_caller;

comment on function parley.get_transcript is $$
@verb GET /sessions/{session_id}/agents/{handle}/transcript
@who team
@toolset agents
@clamped
@readonly
@param after The last next_after; default: the newest.
@param full Whole texts.
@unlisted full
@param event This one, whole.
What an agent said and did.
$$;
