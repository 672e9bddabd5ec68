do $$
begin
  create type parley.reported_changes as (changed integer, "overlaps" parley.overlap[], unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.reported_changes.changed is 'How many paths you are known to have changed.';
comment on column parley.reported_changes."overlaps" is '@notNull
Where others are, too.';
comment on column parley.reported_changes.unread is 'Messages of others that no answer has handed to you yet.';

-- What a team has changed on a branch, in place of what it said of that branch before. A branch that has moved on leaves behind
-- what was verified on it.
create or replace function parley.report_changes(session_id text, paths text[], branch text default null, head text default null)
returns parley.reported_changes
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_paths    text[] := parley_private.check_paths('paths', paths, 2000);
  v_caller   parley.participants;
  v_overlaps parley.overlap[];
begin
  if v_paths is null then
    perform parley_private.refuse_argument('paths', 'paths is required; it may be an empty list.', 'Send what git diff --name-only says.');
  elsif (select count(*) > 50 from unnest(v_paths) p where parley_private.is_pattern(p, may_be_file => true)) then
    perform parley_private.refuse_argument('paths', 'At most 50 of the paths may be patterns.', 'Name the files: git diff --name-only tells them.');
  end if;
  perform parley_private.check_short('branch', branch), parley_private.check_short('head', head);
  v_caller := (parley_private.lock_seat(session_id)).participant;

  delete from parley.changed_paths c
  where c.session_id = v_caller.session_id and c.participant_id = v_caller.id and c.branch = coalesce(report_changes.branch, '');
  insert into parley.changed_paths (session_id, participant_id, branch, path, base, head)
  select v_caller.session_id, v_caller.id, coalesce(report_changes.branch, ''), p.path, parley_private.path_base(p.path), report_changes.head
  from unnest(v_paths) as p (path);
  update parley.tasks t set proof = 'stale', updated_at = clock_timestamp(), version = t.version + 1
  where t.session_id = v_caller.session_id and t.proof = 'verified' and t.branch = report_changes.branch
    and not parley_private.is_same_commit(t.verified_commit, report_changes.head);

  perform parley_private.free_lapsed(v_caller.session_id, v_caller.id);
  v_overlaps := array(select o from parley_private.find_overlaps(v_caller) o);
  perform parley_private.tell_overlaps(v_caller, v_overlaps);
  return row(
    (
      select count(distinct c.path) from parley.changed_paths c
      where c.session_id = v_caller.session_id and c.participant_id = v_caller.id
    ),
    v_overlaps[:200],
    parley_private.unread(v_caller)
  )::parley.reported_changes;
end;
$$;

grant execute on function parley.report_changes to parley_caller;

comment on function parley.report_changes is $$
@verb POST /sessions/{session_id}/changes
@who team
@toolset tasks
@idempotent
@param paths -
@param branch -
@param head Its commit.
@unlisted branch, head
Tell what git diff --name-only says; answers with overlaps.
$$;
