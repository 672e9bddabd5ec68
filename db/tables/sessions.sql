-- A session is a row that is locked by whoever changes anything in it: that lock is what gives the feed its
-- order, the document its line of versions and the close its finality.
create table if not exists parley.sessions (
  id uuid not null default gen_random_uuid(),
  ref text not null,
  title text not null,
  description text not null,
  status text not null default 'active',
  session_doc_version integer not null default 0,
  last_sequence integer not null default 0,
  created_by integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  closed_at timestamptz,
  version_before_close integer,
  last_message_at timestamptz,
  active_minute timestamptz not null,
  visibility text not null default 'everyone',
  mode text not null default 'intervention',
  paused_at timestamptz,
  pause_reason text,
  capacity integer,
  talk integer not null default 0,
  metadata_changed_at timestamptz,
  conclusion text,
  has_interrupts boolean not null default false,
  constraint sessions_have_an_id primary key (id),
  constraint sessions_are_found_by_their_ref unique (ref)
)
-- Every post updates this row: room on the page keeps those updates off the indexes.
with (fillfactor = 70);

create index if not exists sessions_by_creation on parley.sessions (created_at desc, id);
-- To the minute: the list is sorted by it, and yet a post seldom moves a session in it.
create index if not exists sessions_by_activity on parley.sessions (active_minute desc);
-- Those that go on, for a list that shows them first.
create index if not exists open_sessions_by_activity on parley.sessions (active_minute desc) where status = 'active';
-- What retention looks for.
create index if not exists sessions_by_close on parley.sessions (closed_at) where closed_at is not null;
create index if not exists sessions_for_members on parley.sessions (id) where visibility = 'members';

comment on table parley.sessions is '@foreignKey (id, last_sequence) references parley.messages (session_id, sequence)|@fieldName lastMessage|@backwardBehavior -*
Where teams meet: one feed, one document, one conclusion.';
comment on column parley.sessions.id is 'Its session_id.';
comment on column parley.sessions.title is 'What it is about, in a line.';
comment on column parley.sessions.description is 'What it is for.';
comment on column parley.sessions.status is 'active or closed.';
comment on column parley.sessions.created_at is 'When it was created.';
comment on column parley.sessions.updated_at is 'When its title, description or document last changed.';
comment on column parley.sessions.closed_at is 'When it was concluded; null while it is active.';
comment on column parley.sessions.ref is 'The short name to hand to other teams, e.g. calm-otter-17.';
comment on column parley.sessions.last_sequence is 'The cursor of the newest message; 0 while there is none.';
comment on column parley.sessions.session_doc_version is 'How often the document was written.';
comment on column parley.sessions.created_by is '@behavior -*
The convener: always the first participant.';
comment on column parley.sessions.last_message_at is '@behavior -*
When the newest message was posted: the list is sorted by it without a look at the feeds.';
comment on column parley.sessions.active_minute is '@behavior -*
The minute in which something was last posted or written.';
comment on column parley.sessions.visibility is 'everyone: every person and key of this server sees it; members: only its members, its teams and owners.';
comment on column parley.sessions.mode is 'intervention: people may write; read_only: they may not.';
comment on column parley.sessions.paused_at is 'When it was paused; null while it is not. Agents do not write meanwhile.';
comment on column parley.sessions.pause_reason is 'Why it was paused.';
comment on column parley.sessions.capacity is 'Most teams at a time; null: as many as the setting allows.';
comment on column parley.sessions.talk is '@behavior -*
How many messages agents have posted in a row with nothing moving: what loop_guard bounds.';
comment on column parley.sessions.has_interrupts is '@behavior -*
Whether a team was ever interrupted or rung in it: where none was, no post looks whether there is one to tell.';
comment on column parley.sessions.metadata_changed_at is '@behavior -*
When its title or description last changed; null while neither has.';
comment on column parley.sessions.conclusion is 'The first sentence of its conclusion; null while there is none.';
comment on column parley.sessions.version_before_close is '@behavior -*
The document that a repeated conclusion starts from, so that the earlier summary leaves nothing behind.';

alter table parley.sessions enable row level security;
alter table parley.sessions force row level security;

-- Asked once per statement, not per row: db/private/sight.sql.
drop policy if exists sessions_are_readable on parley.sessions;
create policy sessions_are_readable on parley.sessions for select to parley_caller using (
  visibility = 'everyone' and (select parley_private.sees_public())
  or (select parley_private.sees_all())
  or id = any ((select parley_private.sees_own())::uuid[])
);
drop policy if exists sessions_are_kept_by_the_owner on parley.sessions;
create policy sessions_are_kept_by_the_owner on parley.sessions to parley_owner using (true) with check (true);

grant select on parley.sessions to parley_caller;

create or replace function parley_private.minute_of(at timestamptz)
returns timestamptz
language sql immutable
return date_bin('1 minute', at, '2000-01-01T00:00:00Z');

-- Who posts or writes moves it on: a generated column would be read anew for every post.
create or replace function parley_private.tg_sessions__begin()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  new.active_minute := parley_private.minute_of(greatest(new.updated_at, new.last_message_at));
  return new;
end;
$$;

-- What checks would say, asked only of who changes it: a check is read anew for every post.
create or replace function parley_private.tg_sessions__check()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  if (new.status, new.closed_at is null) not in (('active', true), ('closed', false)) then
    raise check_violation using constraint = 'closed_sessions_say_since_when', message = 'A session is closed when it says since when, and active otherwise.';
  elsif new.visibility not in ('everyone', 'members') then
    raise check_violation using constraint = 'sessions_are_for_everyone_or_members', message = 'A session is for everyone or for members.';
  elsif new.mode not in ('intervention', 'read_only') then
    raise check_violation using constraint = 'sessions_have_a_known_mode', message = 'The mode of a session is intervention or read_only.';
  end if;
  return null;
end;
$$;

create or replace function parley_private.tg_sessions__notify()
returns trigger
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.notify(tg_argv[0] || ' ' || new.id);
  return null;
end;
$$;

drop trigger if exists _050_begin on parley.sessions;
create trigger _050_begin before insert on parley.sessions
  for each row execute function parley_private.tg_sessions__begin();
drop trigger if exists _100_check on parley.sessions;
create trigger _100_check after insert or update of status, closed_at, visibility, mode on parley.sessions
  for each row execute function parley_private.tg_sessions__check();
drop trigger if exists _500_notify_session on parley.sessions;
create trigger _500_notify_session after insert or update of title, description, status, visibility, mode, paused_at on parley.sessions
  for each row execute function parley_private.tg_sessions__notify('session');
drop trigger if exists _500_notify_doc on parley.sessions;
create trigger _500_notify_doc after update of session_doc_version on parley.sessions
  for each row execute function parley_private.tg_sessions__notify('doc');
