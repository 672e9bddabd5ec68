create or replace function parley.get_lineage(session_id text)
returns parley.lineage_tree
language plpgsql stable
set search_path = ''
as $$
declare
  v_seat parley_private.seat := parley_private.take_seat(session_id, to_read => true);
  v_tree parley.lineage_tree := parley_private.lineage_tree(v_seat.session);
begin
  v_tree.unread := parley_private.unread(v_seat.participant);
  return v_tree;
end;
$$;

grant execute on function parley.get_lineage to parley_caller;

comment on function parley.get_lineage is $$
@verb GET /sessions/{session_id}/lineage
@who team
@toolset sessions
@readonly
Sessions it comes from, and that come from it.
$$;
