-- What a team has read it has also received. Both only ever move forwards.
create or replace function parley_private.ack(reader parley.participants, field text, through_cursor integer)
returns parley.participants
language plpgsql volatile
set search_path = ''
as $$
begin
  perform parley_private.check_not_ahead(field, through_cursor, (
    select s.last_sequence from parley.sessions s where s.id = reader.session_id));
  update parley.participants p set
    acked_cursor = greatest(p.acked_cursor, through_cursor),
    cursor = greatest(p.cursor, through_cursor)
  where p.session_id = reader.session_id and p.id = reader.id
  returning * into reader;
  return reader;
end;
$$;
