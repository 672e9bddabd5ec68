-- Calls may share a transaction: what the one before has left is not for the next. After one that wrote nothing but presence
-- (write_presence_only) the next may write more.
create or replace function parley_private.forget_call()
returns text
language plpgsql volatile
set search_path = ''
as $$
begin
  perform
    set_config('parley.wait_id', '', true),
    set_config('parley.sight', '', true),
    set_config('parley.seated', '', true),
    set_config('parley.topics', '', true),
    set_config('parley.held', '', true);
  if current_setting('parley.synchronous_commit', true) <> '' then
    perform
      set_config('synchronous_commit', current_setting('parley.synchronous_commit'), true),
      set_config('parley.synchronous_commit', '', true);
  end if;
  return 'forgotten';
end;
$$;

grant execute on function parley_private.forget_call to parley_caller;

-- Tells the rest of the transaction who is calling: the hash of its team_id; what else it has shown, and from where, as caller_shows
-- takes it apart; and an id for a wait, should the verb want to wait. True, so that it can stand in a CASE, whose order is certain.
create or replace function parley_private.begin_call(team_hash text, shown text default '', wait_id text default '')
returns boolean
language sql volatile
return (
  case when current_setting('parley.collects_topics', true) = 'yes'
    then parley_private.forget_call()
    else set_config('parley.collects_topics', 'yes', true)
  end,
  set_config('parley.team_hash', team_hash, true),
  set_config('parley.shown', shown, true),
  case when wait_id <> '' then set_config('parley.wait_id', wait_id, true) else '' end
) is not null;

grant execute on function parley_private.begin_call to parley_caller;

-- Ends a call: what it answers with, and the interrupt that rides on it. It takes the answer as an argument to be sure that the verb
-- has run before it looks. A verb of a team that has not asked for its seat is asked here, before anything is committed or told. The
-- sign of life comes last: nobody who queues for a session holds the row of his team meanwhile.
create or replace function parley_private.finish_call(answer json, of_team boolean default false)
returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_seated    text;
  v_team_hash text;
  v_interrupt json;
begin
  if current_setting('parley.seated', true) is distinct from 'nothing to add' then
    v_seated := coalesce(current_setting('parley.seated', true), '');
    v_team_hash := current_setting('parley.team_hash', true);
    if of_team and v_seated = '' then
      perform parley_private.admit('team');
    end if;
    if v_seated <> 'just seen' then
      perform parley_private.note_call(v_team_hash);
    end if;
    -- An answer that is not sent, or has no room for it, does not tell it.
    if coalesce(current_setting('parley.held', true), '') = '' and v_team_hash <> '' and json_typeof(answer) = 'object' then
      v_interrupt := parley_private.take_interrupt(v_team_hash);
      if v_interrupt is not null then
        return parley_private.with_interrupt(answer, v_interrupt);
      end if;
    end if;
  end if;
  return answer;
end;
$$;

grant execute on function parley_private.finish_call to parley_caller;

-- The same for who calls in SQL, with what the server reads itself: the topics that changed, and whether it should wait instead of
-- answering (JSON).
create or replace function parley_private.end_call(inout answer json, out topics text, out held text, of_team boolean default false)
language plpgsql volatile
set search_path = ''
as $$
begin
  answer := parley_private.finish_call(answer, of_team);
  topics := nullif(current_setting('parley.topics', true), '');
  held := nullif(current_setting('parley.held', true), '');
end;
$$;

grant execute on function parley_private.end_call to parley_caller;
