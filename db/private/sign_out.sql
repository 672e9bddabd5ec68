-- Ends the sign-ins of a person, or one of them; pages that are open are told within two seconds.
create or replace function parley_private.end_sign_ins(user_id uuid, hash bytea default null)
returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_ended integer;
begin
  update parley_private.sign_ins i set revoked_at = clock_timestamp()
  where i.revoked_at is null and (i.user_id = end_sign_ins.user_id or i.hash = end_sign_ins.hash);
  get diagnostics v_ended = row_count;
  if v_ended > 0 then
    perform parley_private.notify('doors');
  end if;
  return v_ended;
end;
$$;

create or replace function parley_private.sign_out(everywhere boolean default false)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_person parley_private.users := parley_private.shown_person();
  v_ended  integer := 0;
begin
  if v_person.id is not null then
    v_ended := parley_private.end_sign_ins(case when everywhere then v_person.id end, parley_private.shown_hash('cookie'));
    perform parley_private.audit(case when everywhere then 'signed_out_everywhere' else 'signed_out' end, actor => v_person.name);
  end if;
  return jsonb_build_object('signed_out', v_ended);
end;
$$;

grant execute on function parley_private.sign_out to parley_caller;
