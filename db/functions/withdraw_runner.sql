-- Who ends politely is offered no longer, from now on. The runs that it has taken are its own to end.
create or replace function parley.withdraw_runner(name text)
returns parley.runner_info
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_runner parley_private.runners;
  v_info   parley.runner_info;
begin
  perform parley_private.check_name('name', name);
  perform parley_private.refuse_without_token();
  v_runner := parley_private.shown_runner(name);
  v_info := parley_private.runner_info(v_runner, is_its_own => true);
  delete from parley_private.runners r where r.name = v_runner.name;
  perform parley_private.notify('runners'), parley_private.notify('queue');
  return v_info;
end;
$$;

grant execute on function parley.withdraw_runner to parley_caller;

comment on function parley.withdraw_runner is $$
@verb POST /runners/withdraw
@who key run
@toolset runner
@behavior -*
@param name The name that you have offered.
@secret runner_token! The one that it was offered with.
Take the offer of a machine back at once.
$$;
