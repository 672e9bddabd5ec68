-- The document as it was at a version: the last key frame before it, and what came since.
create or replace function parley_private.doc_at(session_id uuid, version integer)
returns bytea
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_doc   bytea := '';
  v_tail  bytea := '';
  v_patch parley_private.doc_patches;
begin
  for v_patch in
    select d.* from parley_private.doc_patches d
    where d.session_id = doc_at.session_id
      and d.version <= doc_at.version
      and d.version >= (
        select max(k.version) from parley_private.doc_patches k
        where k.session_id = doc_at.session_id and k.version <= doc_at.version and k.key_frame
      )
    order by d.version
  loop
    if v_patch.key_frame then
      v_doc := v_patch.inserted;
      v_tail := '';
    elsif v_patch.start_at = length(v_doc) + length(v_tail) then
      -- Kept apart while it grows: adding to a megabyte would copy it each time.
      v_tail := v_tail || v_patch.inserted;
    else
      v_doc := overlay(v_doc || v_tail placing v_patch.inserted from v_patch.start_at + 1 for v_patch.removed);
      v_tail := '';
    end if;
  end loop;
  return v_doc || v_tail;
end;
$$;

-- Which version the document had when a message came; what was written after it, and before the next, is none of it.
create or replace function parley_private.version_before(session_id uuid, cursor integer)
returns integer
language sql stable
set search_path = ''
as $$
  select coalesce((
    select h.version from parley.session_doc_history h
    where h.session_id = version_before.session_id and h.after_cursor < version_before.cursor
    order by h.after_cursor desc, h.version desc limit 1
  ), 0);
$$;

grant execute on function parley_private.version_before to parley_caller;

create or replace function parley_private.doc_text_at(session_id uuid, version integer)
returns text
language sql stable security definer
set search_path = ''
as $$
  select convert_from(parley_private.doc_at(session_id, version), 'UTF8');
$$;

grant execute on function parley_private.doc_text_at to parley_caller;
