-- What a guide to a session is made of. The guide is open to everybody, also where keys are asked for; then whoever has shown none
-- gets one for whatever looks like a ref, whether there is such a session or not.
create or replace function parley_private.guide_to(session text, out ref text, out status text)
language plpgsql stable
set search_path = ''
as $$
begin
  if parley_private.is_stranger() and lower(session) ~ '^[a-z]{2,20}-[a-z]{2,20}-[0-9]{1,9}$' then
    ref := lower(session);
    status := 'active';
  else
    select s.ref, s.status into guide_to.ref, guide_to.status from parley_private.find_session(session) s;
  end if;
end;
$$;

grant execute on function parley_private.guide_to to parley_caller;
