do $$
begin
  create type parley.updated_metadata as (title text, description text, updated_at timestamptz, changes jsonb, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.updated_metadata.unread is 'Messages of others that no answer has handed to you yet.';

-- Rare by design: the reason is asked for, and everyone sees it in the feed.
create or replace function parley.update_session_metadata(
  session_id text,
  reason text,
  title text default null,
  description text default null
)
returns parley.updated_metadata
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_old     parley.sessions;
  v_new     parley.sessions;
  v_changes jsonb;
  v_told    jsonb;
  v_interval interval := parley_private.setting('metadata_interval') * interval '1 second';
begin
  perform parley_private.check_text('reason', reason, 'reason_max');
  if title is null and description is null then
    perform parley_private.refuse_argument('title', 'Give a title, a description, or both.', 'Send what should change, and leave out what should stay.');
  end if;
  if title is not null then
    perform parley_private.check_text('title', title, 'title_max');
  end if;
  if description is not null then
    perform parley_private.check_text('description', description, 'description_max', may_be_blank => true);
  end if;

  v_seat := parley_private.lock_seat(session_id);
  perform parley_private.refuse_if_not_convener(v_seat);
  v_caller := v_seat.participant;
  v_old := v_seat.session;
  -- The feed tells it in short: everyone reads it there, and get_session has the whole.
  select
    coalesce(jsonb_object_agg(change.name, jsonb_build_object('from', change.old, 'to', change.new)), '{}'),
    jsonb_object_agg(change.name, jsonb_build_object(
      'from', parley_private.shortened(change.old), 'to', parley_private.shortened(change.new)))
  into v_changes, v_told
  from (values ('title', v_old.title, title), ('description', v_old.description, description)) as change (name, old, new)
  where change.new <> change.old;
  if v_changes = '{}' then
    perform parley_private.refuse_argument(
      case when title is null then 'description' else 'title' end,
      'That changes nothing: the session already has this title and description.',
      'Nothing has to be done; get_session shows both.');
  end if;
  if v_old.metadata_changed_at > clock_timestamp() - v_interval then
    perform parley_private.refuse_too_soon(
      'The title or description of this session was changed just now.',
      'Nothing was changed. Wait %s seconds, and change both in one call.',
      v_old.metadata_changed_at + v_interval,
      jsonb_build_object('setting', 'metadata_interval', 'limit', parley_private.setting('metadata_interval')));
  end if;

  update parley.sessions s set
    title = coalesce(update_session_metadata.title, s.title),
    description = coalesce(update_session_metadata.description, s.description),
    updated_at = clock_timestamp(),
    metadata_changed_at = clock_timestamp()
  where s.id = v_caller.session_id
  returning * into v_new;
  perform parley_private.announce(v_caller.session_id, 'session_metadata_updated',
    jsonb_build_object('by', v_caller.team_name, 'handle', v_caller.handle, 'changes', v_told, 'reason', reason));

  return row(v_new.title, v_new.description, v_new.updated_at, v_changes, parley_private.unread(v_caller))::parley.updated_metadata;
end;
$$;

grant execute on function parley.update_session_metadata to parley_caller;

comment on function parley.update_session_metadata is $$
@verb POST /sessions/{session_id}/metadata
@who team
@toolset core
@param reason -
@param title -
@param description -
Change title or description when the scope changes; all read the reason.
$$;
