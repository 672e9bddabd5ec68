do $$
begin
  create type parley.history_page as (messages parley.feed_message[], next_cursor integer, has_more boolean, unread integer);
exception when duplicate_object then null;
end $$;
comment on column parley.history_page.messages is '@notNull';
comment on column parley.history_page.next_cursor is 'The before_cursor of the next older page; null at the beginning.';
comment on column parley.history_page.unread is 'Messages of others that no answer has handed to you yet.';

create or replace function parley.get_history(session_id text, before_cursor integer default null, "limit" integer default 100, "full" boolean default false)
returns parley.history_page
language plpgsql stable
set search_path = ''
as $$
declare
  v_limit   integer := case when "limit" > 500 then 100 else coalesce("limit", 100) end;
  v_cut     integer := case when not "full" then parley_private.setting('list_text_max') end;
  v_seat    parley_private.seat;
  v_caller  parley.participants;
  v_through integer;
  v_after   integer;
begin
  perform parley_private.check_cursor('before_cursor', before_cursor);
  if v_limit < 1 then
    perform parley_private.refuse_argument('limit', 'limit must be 1 or more.', 'Leave it out for the usual number.');
  end if;
  v_seat := parley_private.take_seat(session_id, to_read => true);
  v_caller := v_seat.participant;

  v_through := least((v_seat.session).last_sequence, before_cursor - 1);
  v_after := parley_private.page_before(v_caller.session_id, v_through, v_limit, v_cut);
  return row(
    parley_private.read_feed(v_caller.session_id, v_after, v_through, v_caller.id, v_cut, receipts => true),
    case when v_after > 0 then v_after + 1 end,
    v_after > 0,
    parley_private.unread(v_caller)
  )::parley.history_page;
end;
$$;

grant execute on function parley.get_history to parley_caller;

comment on function parley.get_history is $$
@verb GET /sessions/{session_id}/messages
@who team
@toolset core
@clamped
@readonly
@param before_cursor -
@param limit At most 500.
@param full Whole texts.
@unlisted full
The latest messages, or those before a cursor.
$$;
