-- What whoever looks at a session may do in it, so that a page offers that and nothing else. The guards of the verbs answer: a
-- rule is written once.
do $$
begin
  create type parley.your_place as (
    handle text,
    may_write boolean,
    may_lead boolean,
    may_own boolean,
    may_delete boolean,
    refusal text,
    hint text
  );
exception when duplicate_object then null;
end $$;
comment on type parley.your_place is 'What you may do in a session, as a person.';
comment on column parley.your_place.handle is 'Yours, once you have written here.';
comment on column parley.your_place.may_write is 'Post, answer, rename, conclude, interrupt a team.';
comment on column parley.your_place.may_lead is 'Pause, remove a team, invite.';
comment on column parley.your_place.may_own is 'Say who sees the session and whether people write in it.';
comment on column parley.your_place.may_delete is 'Remove it for good.';
comment on column parley.your_place.refusal is 'Why you may not write, in a sentence.';
comment on column parley.your_place.hint is 'What to do about that.';

create or replace function parley.sessions_you(session parley.sessions)
returns parley.your_place
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_person parley_private.users := parley_private.shown_person();
  v_seat   parley_private.seat := parley_private.seat_of_person(session, to_read => true);
  v_known  boolean := v_person.id is not null;
  v_place  parley.your_place := row((v_seat.participant).handle, false, false, false, parley_private.may_administer(), null, null);
  v_detail text;
begin
  -- With open access everybody is somebody as soon as they say their name.
  if not v_known and parley_private.asks_for_keys() then
    return v_place;
  end if;
  begin
    perform parley_private.refuse_to_intervene(session, v_person, owners_may => false), parley_private.refuse_if_closed(session);
    v_place.may_write := true;
  exception when sqlstate 'PT403' then
    get stacked diagnostics v_place.refusal = message_text, v_detail = pg_exception_detail;
    v_place.hint := v_detail::jsonb #>> '{details,hint}';
  end;
  begin
    perform parley_private.refuse_to_intervene(session, v_person, owners_may => v_known);
    v_place.may_lead := true;
  exception when sqlstate 'PT403' then null;
  end;
  begin
    perform parley_private.refuse_unless_own(v_seat);
    v_place.may_own := v_known;
  exception when sqlstate 'PT403' then null;
  end;
  return v_place;
end;
$$;

comment on function parley.sessions_you is '@cost 10
@notNull
What you may do here, as the person that you are signed in as.';

grant execute on function parley.sessions_you to parley_caller;
