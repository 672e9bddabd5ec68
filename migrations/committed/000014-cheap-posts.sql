--! Previous: sha1:ed7383643a110d8e5f43e1fdc1018a120d116d27
--! Hash: sha1:ef17743fc66f0ea82edb6ab7d6a5930bd984aed3
--! Message: cheap-posts

-- What is read anew for every post is kept by append_message and triggers instead: db/tables/messages.sql, sessions.sql.
alter table parley.messages alter column id drop expression if exists;
alter table parley.messages drop constraint if exists chat_has_an_author_and_system_has_none;
alter table parley.sessions alter column active_minute drop expression if exists;
alter table parley.sessions drop constraint if exists closed_sessions_say_since_when;
alter table parley.sessions drop constraint if exists sessions_are_for_everyone_or_members;
alter table parley.sessions drop constraint if exists sessions_have_a_known_mode;
