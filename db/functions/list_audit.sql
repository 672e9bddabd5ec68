do $$
begin
  create type parley.audit_entry as (id bigint, at timestamptz, actor text, event text, session text, details jsonb);
exception when duplicate_object then null;
end $$;
comment on column parley.audit_entry.id is '@notNull
1, 2, 3 … in the order in which it was written.';
comment on column parley.audit_entry.at is '@notNull
When.';
comment on column parley.audit_entry.event is '@notNull
What: key_created, setting_changed, signed_in …';
comment on column parley.audit_entry.actor is '@notNull
A person, a key by its prefix, a team by its handle, or the machine itself.';
comment on column parley.audit_entry.session is '@optional
The ref of the session, if it was in one.';
comment on column parley.audit_entry.details is '@schema {"type": "object"}
What else there is to know; never a secret.';

do $$
begin
  create type parley.audit_page as (entries parley.audit_entry[], next_before bigint);
exception when duplicate_object then null;
end $$;
comment on column parley.audit_page.entries is '@notNull
Newest first.';
comment on column parley.audit_page.next_before is 'The before of the next page; null after the last.';

create or replace function parley.list_audit(before bigint default null, "limit" integer default 50)
returns parley.audit_page
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_limit   integer := least(coalesce("limit", 50), 500);
  v_entries parley.audit_entry[];
begin
  if v_limit < 1 then
    perform parley_private.refuse_argument('limit', 'limit must be 1 or more.', 'Leave it out for the usual number.');
  end if;
  perform parley_private.refuse_bound_key();
  v_entries := array(
    select row(a.id, a.at, a.actor, a.event, a.session_ref, a.details)::parley.audit_entry
    from parley_private.audit a
    where list_audit.before is null or a.id < list_audit.before
    order by a.id desc
    limit v_limit + 1
  );
  return row(v_entries[:v_limit], case when cardinality(v_entries) > v_limit then v_entries[v_limit].id end)::parley.audit_page;
end;
$$;

grant execute on function parley.list_audit to parley_caller;

comment on function parley.list_audit is $$
@verb GET /audit
@who key admin
@toolset admin
@clamped
@readonly
@param before Only what was written before this id.
@param limit At most 500; default 50.
Who changed what about this server, newest first; kept for 90 days.
$$;
