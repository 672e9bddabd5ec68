-- How many leading bytes two texts share. Halving: each step compares only what is still in doubt.
create or replace function parley_private.shared_prefix(a bytea, b bytea)
returns integer
language plpgsql immutable
set search_path = ''
as $$
declare
  v_low  integer := 0;
  v_high integer := least(length(a), length(b));
  v_half integer;
begin
  while v_low < v_high loop
    v_half := (v_low + v_high + 1) / 2;
    if substring(a from v_low + 1 for v_half - v_low) = substring(b from v_low + 1 for v_half - v_low) then
      v_low := v_half;
    else
      v_high := v_half - 1;
    end if;
  end loop;
  return v_low;
end;
$$;

create or replace function parley_private.shared_suffix(a bytea, b bytea)
returns integer
language plpgsql immutable
set search_path = ''
as $$
declare
  v_low  integer := 0;
  v_high integer := least(length(a), length(b));
  v_half integer;
begin
  while v_low < v_high loop
    v_half := (v_low + v_high + 1) / 2;
    if substring(a from length(a) - v_half + 1 for v_half - v_low) = substring(b from length(b) - v_half + 1 for v_half - v_low) then
      v_low := v_half;
    else
      v_high := v_half - 1;
    end if;
  end loop;
  return v_low;
end;
$$;

-- Stores the next version as a splice of the one before: from start_at on, removed bytes give way to inserted ones. Stored
-- whole as soon as a reader would have to put together more than 64 KiB or a hundred splices. The caller holds the lock of
-- the session.
create or replace function parley_private.splice_doc(
  author parley.participants,
  start_at integer,
  removed integer,
  inserted bytea,
  sections text[]
)
returns parley.session_doc_history
language plpgsql volatile
set search_path = ''
as $$
declare
  v_version   parley.session_doc_history;
  v_last      integer;
  v_feed      integer;
  v_size      integer;
  v_to_apply  integer;
  v_key_frame boolean;
begin
  select s.session_doc_version, s.last_sequence into v_last, v_feed from parley.sessions s where s.id = author.session_id;
  select h.size, d.bytes_to_apply + length(splice_doc.inserted) into v_size, v_to_apply
  from parley.session_doc_history h
  join parley_private.doc_patches d on d.session_id = h.session_id and d.version = h.version
  where h.session_id = author.session_id and h.version = v_last;
  v_size := coalesce(v_size, 0);
  v_key_frame := v_last = 0 or v_to_apply > 65536 or v_last - 99 >= (
    select max(k.version) from parley_private.doc_patches k where k.session_id = author.session_id and k.key_frame);

  insert into parley.session_doc_history (session_id, version, written_by, size, after_cursor, sections, nth_of_author)
  values (
    author.session_id, v_last + 1, author.id, v_size - removed + length(inserted), v_feed, sections,
    1 + coalesce((
      select h.nth_of_author from parley.session_doc_history h
      where h.session_id = author.session_id and h.written_by = author.id
      order by h.version desc limit 1
    ), 0))
  returning * into v_version;

  insert into parley_private.doc_patches (session_id, version, key_frame, start_at, removed, inserted, bytes_to_apply)
  values (
    author.session_id,
    v_version.version,
    v_key_frame,
    case when v_key_frame then 0 else start_at end,
    case when v_key_frame then 0 else removed end,
    case when v_key_frame
      then overlay(parley_private.doc_at(author.session_id, v_last) placing inserted from start_at + 1 for removed)
      else inserted
    end,
    case when v_key_frame then 0 else v_to_apply end
  );

  update parley.sessions s set session_doc_version = v_version.version, updated_at = v_version.written_at,
    active_minute = parley_private.minute_of(v_version.written_at), talk = 0
  where s.id = author.session_id;
  perform parley_private.note_work(author.session_id, author.id, v_feed);
  return v_version;
end;
$$;

-- Replaces a document by another: only the part in which they differ is stored. Who knows in which sections that is says so:
-- to find them takes as long as to read a large document.
create or replace function parley_private.write_doc(author parley.participants, old_doc bytea, new_doc bytea, sections text[] default null)
returns parley.session_doc_history
language plpgsql volatile
set search_path = ''
as $$
declare
  v_prefix integer := parley_private.shared_prefix(old_doc, new_doc);
  v_suffix integer := parley_private.shared_suffix(substring(old_doc from v_prefix + 1), substring(new_doc from v_prefix + 1));
begin
  return parley_private.splice_doc(
    author,
    v_prefix,
    length(old_doc) - v_prefix - v_suffix,
    substring(new_doc from v_prefix + 1 for length(new_doc) - v_prefix - v_suffix),
    coalesce(sections, parley_private.sections_changed(new_doc, v_prefix, length(new_doc) - v_suffix))
  );
end;
$$;

-- room is what a document may have beyond its limit: a conclusion gets some, so that a full document can be closed.
create or replace function parley_private.check_doc_size(field text, size integer, room integer default 0)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if size > parley_private.setting('doc_max_bytes') + room then
    perform parley_private.refuse_argument(
      field,
      format('The document would have %s bytes; at most %s are allowed.', size, parley_private.setting('doc_max_bytes') + room),
      case when room > 0
        then 'Shorten the summary: one of 4,000 bytes always fits. Or shorten the document first, with update_session_doc.'
        else 'Shorten the document with update_session_doc.'
      end);
  end if;
end;
$$;
