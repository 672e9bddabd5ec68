-- One row per team and session; it stays when the team leaves, so that the history keeps its names.
create table if not exists parley.participants (
  session_id uuid not null,
  id integer not null,
  handle text not null,
  team_name text not null,
  kind text not null default 'agent',
  cursor integer not null default 0,
  acked_cursor integer not null default 0,
  empty_polls integer not null default 0,
  joined_at timestamptz not null default now(),
  left_at timestamptz,
  last_seen_at timestamptz not null default now(),
  known_status text not null default 'active',
  handed_cursor integer not null default 0,
  started_from integer not null default 0,
  idle_version integer not null default 0,
  key_id uuid,
  user_id uuid,
  guest boolean not null default false,
  worked_after integer not null default 0,
  about jsonb not null default '{}',
  doing text,
  removed_at timestamptz,
  handed_through integer[],
  handed_times timestamptz[],
  turn_through integer[],
  turn_times timestamptz[],
  acked_at timestamptz,
  constraint participants_are_counted_per_session primary key (session_id, id),
  constraint participants_belong_to_a_session foreign key (session_id) references parley.sessions (id),
  constraint handles_are_unique_in_a_session unique (session_id, handle),
  constraint participants_are_opened_under_a_key foreign key (key_id) references parley_private.keys (id),
  constraint participants_are_opened_by_a_person foreign key (user_id) references parley_private.users (id),
  constraint participants_are_agents_or_humans check (kind in ('agent', 'human')),
  constraint known_statuses_are_three check (known_status in ('active', 'idle', 'disconnected'))
)
with (fillfactor = 70);

-- What the sweep looks at: everybody who may still fall silent.
create index if not exists participants_not_yet_disconnected on parley.participants (session_id, id)
  where known_status <> 'disconnected';
-- Whether a team is in another session, by its name. Of those that have left, too: where a table is small, an index of a part of it would be read whole for that part.
create index if not exists participants_by_name on parley.participants (lower(team_name));

create index if not exists participants_of_a_key on parley.participants (key_id) where key_id is not null;
create index if not exists participants_of_a_person on parley.participants (user_id) where user_id is not null;
-- A person sits once in a session.
create unique index if not exists people_sit_once_in_a_session on parley.participants (session_id, user_id) where kind = 'human' and left_at is null;

comment on table parley.participants is 'The roster: the teams of a session, whether still there or not.';
comment on column parley.participants.session_id is 'The session that the team is in.';
comment on column parley.participants.id is '1, 2, 3 … in the order of joining; 1 is the convener.';
comment on column parley.participants.team_name is 'The name that the team gave itself.';
comment on column parley.participants.kind is 'agent or human.';
comment on column parley.participants.joined_at is 'When the team joined.';
comment on column parley.participants.left_at is 'When the team left; null while it has not.';
comment on column parley.participants.handle is 'The public name of the team in this session, e.g. alexs-team.';
comment on column parley.participants.cursor is 'How far the team has confirmed the feed.';
comment on column parley.participants.acked_cursor is 'How far the team has said that it has read.';
comment on column parley.participants.handed_cursor is '@behavior -*
How far waits and syncs have handed the feed over to the team, whether it has confirmed that or not.';
comment on column parley.participants.last_seen_at is 'When a call of this team last ended.';
comment on column parley.participants.empty_polls is '@behavior -*
Waits in a row that brought nothing.';
comment on column parley.participants.started_from is 'The cursor that it joined with: what is older was not said to it.';
comment on column parley.participants.idle_version is '@behavior -*
The version of the document during those waits: a newer one ends their count.';
comment on column parley.participants.key_id is '@behavior -*
The access key that it was opened under: it dies with it.';
comment on column parley.participants.user_id is '@behavior -*
The person that it is, or that opened it.';
comment on column parley.participants.guest is 'Whether it came by an invitation: a team of another house, which sees this session alone.';
comment on column parley.participants.worked_after is '@behavior -*
The end of the feed when it last did something that lasts: what was said before leads to no hop any more.';
comment on column parley.participants.about is 'What the team says of itself: agent, model, machine, repo, branch, worktree, role.';
comment on column parley.participants.doing is 'What it is doing, in its own words.';
comment on column parley.participants.removed_at is '@behavior -*
When it was removed: it left, and does not come back by the key of its join.';
comment on column parley.participants.handed_through is '@behavior -*
Up to which messages the last few answers have handed the feed over, newest first.';
comment on column parley.participants.handed_times is '@behavior -*
When these were.';
comment on column parley.participants.turn_through is '@behavior -*
With which messages the last few turns of its agent began, newest first, where its runner or hook says so.';
comment on column parley.participants.turn_times is '@behavior -*
When these were.';
comment on column parley.participants.acked_at is '@behavior -*
When it last said that it has read something.';
comment on column parley.participants.known_status is '@behavior -*
The status that was last announced; the true one is derived.';

alter table parley.participants enable row level security;
alter table parley.participants force row level security;

drop policy if exists participants_are_readable on parley.participants;
create policy participants_are_readable on parley.participants for select to parley_caller using (
  (select parley_private.sees_all()) or exists (select from parley.sessions s where s.id = participants.session_id offset 0)
);
drop policy if exists participants_are_kept_by_the_owner on parley.participants;
create policy participants_are_kept_by_the_owner on parley.participants to parley_owner using (true) with check (true);

grant select on parley.participants to parley_caller;

create or replace function parley_private.tg_participants__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify('roster ' || new.session_id);
  return null;
end;
$$;

drop trigger if exists _500_notify_insert on parley.participants;
create trigger _500_notify_insert after insert on parley.participants
  for each row execute function parley_private.tg_participants__notify();
-- Waits move cursors and times all day: only what the roster shows as a change is announced.
drop trigger if exists _500_notify_update on parley.participants;
create trigger _500_notify_update after update on parley.participants
  for each row
  when (
    old.known_status is distinct from new.known_status
    or old.left_at is distinct from new.left_at
    or old.acked_cursor is distinct from new.acked_cursor
    or old.doing is distinct from new.doing
    or old.about is distinct from new.about
  )
  execute function parley_private.tg_participants__notify();
