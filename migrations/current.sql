drop function if exists parley_private.doc_outline(text);
drop function if exists parley_private.with_section_at_end(text, text);
drop function if exists parley_private.find_section(text, text);
drop function if exists parley_private.decisions_as_list(uuid);
revoke execute on function parley_private.line_break_of, parley_private.section_of from parley_caller;
--!include functions/append_to_session_doc.sql
--!include functions/conclude_session.sql
--!include functions/create_session.sql
--!include functions/get_history.sql
--!include functions/join_session.sql
--!include functions/leave_session.sql
--!include functions/get_session.sql
--!include functions/list_participants.sql
--!include functions/post_message.sql
--!include functions/read_session_doc.sql
--!include functions/resume_session.sql
--!include functions/update_session_doc.sql
--!include functions/update_session_metadata.sql
--!include functions/wait_for_messages.sql
--!include functions/wait_for_reply.sql
--!include private/find_message.sql
--!include private/draft.sql
--!include functions/get_message.sql
--!include tables/sessions.sql
--!include private/doc_outline.sql
--!include private/handoff.sql
--!include private/notes.sql
--!include private/search.sql
--!include private/outbox.sql
--!include functions/sync.sql
--!include mcp/session_resource.sql
--!include mcp/doc_resource.sql
--!include mcp/feed_resource.sql
--!include mcp/roster_resource.sql
--!include mcp/list_resources.sql
--!include mcp/complete_ref.sql
--!include private/waiting_for_more.sql
--!include private/stale_post.sql
--!include private/unread.sql
--!include private/waiting.sql
--!include private/with_conclusion.sql
--!include functions/search.sql
