do $$
begin
  create type parley.claimed_paths as (claimed text[], expires_at timestamptz, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.claimed_paths.claimed is '@notNull
What you hold now, of what you asked for.';
comment on column parley.claimed_paths.expires_at is 'When the claim ends if nothing is heard of you any more.';
comment on column parley.claimed_paths.unread is 'Messages of others that no answer has handed to you yet.';

-- Says what a team is going to change. All or nothing.
create or replace function parley.claim_paths(session_id text, paths text[], note text default null)
returns parley.claimed_paths
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  c_most   constant integer := 1000;
  v_paths  text[] := parley_private.check_paths('paths', paths, 200);
  v_caller parley.participants;
begin
  if coalesce(v_paths, '{}') = '{}' then
    perform parley_private.refuse_argument('paths', 'paths must name at least one.', 'src/api/ is a folder, src/api/*.ts a pattern.');
  end if;
  perform parley_private.refuse_too_many_patterns('paths', v_paths);
  perform parley_private.check_short('note', note);
  v_caller := (parley_private.lock_seat(session_id)).participant;
  perform parley_private.free_lapsed(v_caller.session_id, v_caller.id);
  if (select count(*) from parley.held_paths h where h.session_id = v_caller.session_id and h.participant_id = v_caller.id)
    + cardinality(v_paths) > c_most then
    perform parley_private.refuse_argument('paths', format('A team holds at most %s paths.', c_most), 'Name folders instead of files, or release some.');
  end if;
  perform parley_private.refuse_collisions(v_caller, v_paths);
  perform parley_private.hold_paths(v_caller, v_paths, note => note);
  return row(v_paths, parley_private.lease_ends(v_caller), parley_private.unread(v_caller))::parley.claimed_paths;
end;
$$;

grant execute on function parley.claim_paths to parley_caller;

comment on function parley.claim_paths is $$
@verb POST /sessions/{session_id}/paths/claim
@who team
@toolset tasks
@idempotent
@param paths src/a.ts, src/, src/*.ts
@param note -
@unlisted note
Say what you will change, so that nobody else does.
$$;
