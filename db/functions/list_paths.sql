do $$
begin
  create type parley.path_claim as (path text, claimed_by text, task integer, note text, expires_at timestamptz);
exception when duplicate_object then null;
end $$;
comment on column parley.path_claim.claimed_by is 'The handle of the team that holds it.';
comment on column parley.path_claim.task is '@optional
The task that it is held for.';
comment on column parley.path_claim.note is '@optional';

do $$
begin
  create type parley.changed_branch as (handle text, branch text, head text, paths integer, at timestamptz);
exception when duplicate_object then null;
end $$;
comment on type parley.changed_branch is 'What a team has reported that it has changed.';
comment on column parley.changed_branch.branch is '@optional';
comment on column parley.changed_branch.head is '@optional';
comment on column parley.changed_branch.paths is 'How many paths.';

do $$
begin
  create type parley.path_list as (paths parley.path_claim[], changes parley.changed_branch[], unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.path_list.paths is '@notNull
What is held, by whom.';
comment on column parley.path_list.changes is '@notNull
What was reported as changed.';
comment on column parley.path_list.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley.list_paths(session_id text)
returns parley.path_list
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller parley.participants := (parley_private.take_seat(session_id, to_read => true)).participant;
begin
  return row(
    array(
      select row(h.path, team.handle, nullif(h.task, 0), h.note, team.expires_at)::parley.path_claim
      from parley.held_paths h
      join (
        select p.id, p.handle, parley_private.lease_ends(p) as expires_at from parley.participants p
        where p.session_id = v_caller.session_id
          and p.id in (select x.participant_id from parley.held_paths x where x.session_id = v_caller.session_id)
      ) team on team.id = h.participant_id
      where h.session_id = v_caller.session_id
      order by h.path, h.participant_id, h.task
    ),
    array(
      select row(p.handle, nullif(c.branch, ''), c.head, count(*), max(c.reported_at))::parley.changed_branch
      from parley.changed_paths c
      join parley.participants p on p.session_id = c.session_id and p.id = c.participant_id
      where c.session_id = v_caller.session_id
      group by p.id, p.handle, c.branch, c.head
      order by p.id, c.branch
    ),
    parley_private.unread(v_caller)
  )::parley.path_list;
end;
$$;

grant execute on function parley.list_paths to parley_caller;

comment on function parley.list_paths is $$
@verb GET /sessions/{session_id}/paths
@who team
@toolset tasks
@readonly
Who holds and who changed which paths.
$$;
