-- An agent that pastes its credential would hand it to everyone: the text is refused before it is stored.
create or replace function parley_private.refuse_secrets(field text, value text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if strpos(value, 'pt_') > 0 and value ~ 'pt_[A-Za-z0-9_-]{43}' then
    perform parley_private.refuse_argument(
      field, format('%s holds a team_id, which is a secret.', field), 'Leave it out; teams are known by their handles.');
  elsif strpos(value, 'pl_') > 0 and value ~ 'pl_[A-Za-z0-9_-]{43}' then
    perform parley_private.refuse_argument(
      field, format('%s holds a sign-in link, which is a secret.', field), 'Give it to the one person whom it is for.');
  elsif strpos(value, 'pk_') > 0 and value ~ 'pk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}' then
    perform parley_private.refuse_argument(
      field, format('%s holds an access key, which is a secret.', field), 'Leave it out; keys are known by how they begin, pk_ and eight characters.');
  end if;
end;
$$;

grant execute on function parley_private.refuse_secrets to parley_caller;

-- Refuses a text that is missing, blank or longer than it may be; gives it back if it is none of that.
create or replace function parley_private.check_text_within(field text, value text, most integer, may_be_blank boolean default false)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  -- In one question what nearly every text is: each costs a post as much as a row does.
  if char_length(value) <= most and (may_be_blank or value ~ '\S')
    and strpos(value, 'pt_') = 0 and strpos(value, 'pk_') = 0 and strpos(value, 'pl_') = 0 then
    return value;
  elsif value is null then
    perform parley_private.refuse_argument(field, format('%s is required.', field),
      case field when 'reason' then 'Say in a sentence why.' else 'Send it with the call, as a text.' end);
  elsif char_length(value) > most then
    perform parley_private.refuse_argument(
      field,
      format('%s has %s characters; at most %s are allowed.', field, char_length(value), most),
      'Shorten it, or split it over several calls.');
  elsif not may_be_blank and value !~ '\S' then
    perform parley_private.refuse_argument(field, format('%s must not be blank.', field), 'Write something into it, or leave the call out.');
  end if;
  perform parley_private.refuse_secrets(field, value);
  return value;
end;
$$;

-- The same by the setting that says how long it may be.
create or replace function parley_private.check_text(field text, value text, max_setting text, may_be_blank boolean default false)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return parley_private.check_text_within(field, value, parley_private.setting(max_setting), may_be_blank);
end;
$$;

grant execute on function parley_private.check_text_within, parley_private.check_text to parley_caller;
