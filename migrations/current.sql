-- People in a session: asks, invitations, removal.
-- Its policy asks there.
--!include private/sees.sql
--!include tables/asks.sql

alter table parley.participants add column if not exists removed_at timestamptz;

alter table parley_private.invites
  add column if not exists made_under_key uuid,
  add column if not exists made_by_user uuid,
  drop constraint if exists invites_are_made_under_a_key,
  drop constraint if exists invites_are_made_by_a_person;
alter table parley_private.invites
  add constraint invites_are_made_under_a_key foreign key (made_under_key) references parley_private.keys (id),
  add constraint invites_are_made_by_a_person foreign key (made_by_user) references parley_private.users (id);
create index if not exists invites_made_under_a_key on parley_private.invites (made_under_key) where made_under_key is not null;
create index if not exists invites_made_by_a_person on parley_private.invites (made_by_user) where made_by_user is not null;
create index if not exists open_questions_to_humans on parley.open_questions (session_id, sequence) where 'humans' = any (addressed_to);

do $$
begin
  create domain parley.duration as text;
  create type parley.asked_people as (message_id uuid, cursor integer, at timestamptz, expires_at timestamptz, unread integer);
  create type parley.session_access as (session_id uuid, visibility text, mode text, unread integer);
  create type parley.pause_state as (session_id uuid, paused boolean, paused_at timestamptz, reason text, unread integer);
  create type parley.removed_team as (session_id uuid, handle text, removed_at timestamptz, unread integer);
  create type parley.session_invite as (url text, invite text, expires_at timestamptz, uses integer, unread integer);
  create type parley.revoked_invites as (session_id uuid, revoked integer, unread integer);
  create type parley.accepted_invite as (session_id uuid, ref text, title text, url text);
  create type parley.inbox_item as (
    session_id uuid, ref text, title text, url text, message_id uuid, cursor integer, handle text, team_name text, sender text,
    guest boolean, text text, "to" text[], at timestamptz, ask boolean, options text[], "default" text, expires_at timestamptz);
  create type parley.inbox as (items parley.inbox_item[], has_more boolean);
  create type parley.ask_state as (
    options text[], "default" text, expires_at timestamptz, open boolean, answer text, answered_by text, answered_at timestamptz,
    expired boolean);
exception when duplicate_object then null;
end $$;

do $$
begin
  alter type parley.roster_entry add attribute guest boolean;
exception when duplicate_column then null;
end $$;

do $$
begin
  alter type parley.feed_message add attribute guest boolean, add attribute answer text, add attribute expired boolean;
exception when duplicate_column then null;
end $$;

do $$
begin
  alter type parley.note add attribute sender text, add attribute guest boolean;
exception when duplicate_column then null;
end $$;

do $$
begin
  alter type parley.search_hit add attribute sender text, add attribute guest boolean;
exception when duplicate_column then null;
end $$;

do $$
begin
  alter type parley.session_details
    add attribute visibility text, add attribute mode text, add attribute paused boolean, add attribute paused_at timestamptz,
    add attribute pause_reason text;
exception when duplicate_column then null;
end $$;

do $$
begin
  alter type parley.replies add attribute answer text, add attribute expired boolean;
exception when duplicate_column then null;
end $$;
