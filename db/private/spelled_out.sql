-- What a reader cannot see, or what turns the writing around, made visible: U+202E becomes ⟨U+202E⟩. Line breaks and
-- tabs are left to those who show lines; joiners stay, as scripts and emoji need them.
create or replace function parley_private.spelled_out(text text)
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_unseen constant text :=
    '[\u0001-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef]';
  v_text text := text;
  v_character text;
  v_code text;
begin
  for v_character in select distinct hit[1] from regexp_matches(text, v_unseen, 'g') as hit loop
    v_code := upper(to_hex(ascii(v_character)));
    v_text := replace(v_text, v_character, format('⟨U+%s⟩', repeat('0', 4 - length(v_code)) || v_code));
  end loop;
  return v_text;
end;
$$;

grant execute on function parley_private.spelled_out to parley_caller;
