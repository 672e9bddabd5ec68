-- What a team has read it has also received. Both only ever move forwards.
create or replace function parley_private.ack(seat parley_private.seat, field text, through_cursor integer)
returns parley.participants
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reader parley.participants := seat.participant;
begin
  perform parley_private.check_not_ahead(field, through_cursor, (seat.session).last_sequence);
  update parley.participants p set
    acked_cursor = greatest(p.acked_cursor, through_cursor),
    acked_at = clock_timestamp(),
    cursor = greatest(p.cursor, through_cursor)
  where p.session_id = v_reader.session_id and p.id = v_reader.id
  returning * into v_reader;
  perform parley_private.notify('rings ' || r.session_id)
  from parley_private.rings r where r.session_id = v_reader.session_id and r.participant_id = v_reader.id;
  return v_reader;
end;
$$;
