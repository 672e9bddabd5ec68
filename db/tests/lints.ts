/** What must not be found in the catalogue: a query that names each offender, and one offender to prove that it does. */
export interface Lint {
  readonly rule: string;
  readonly query: string;
  readonly offender: string;
  /** How the query names the offender. */
  readonly named: string;
}

const OURS = "('parley'::regnamespace, 'parley_private'::regnamespace)";

/** Rights on whole tables and on single columns that somebody other than the owner has. */
const GRANTS = `
  select c.relnamespace, c.oid::regclass as relation, a.privilege_type,
    case a.grantee when 0 then 'public' else a.grantee::regrole::text end as grantee
  from pg_class c
  cross join lateral (
    select c.relacl union all select t.attacl from pg_attribute t where t.attrelid = c.oid and t.attacl is not null
  ) as rights (acl)
  cross join lateral aclexplode(rights.acl) as a
  where c.relnamespace in ${OURS} and a.grantee <> c.relowner`;

/** The functions with a @verb comment, taken apart. */
const VERBS = `
  select p.oid, p.oid::regprocedure::text as verb, comment, route,
    array(select m[1] from regexp_matches(route, '\\{(\\w+)\\}', 'g') as m) as route_params,
    coalesce(p.proargnames[1:p.pronargs], '{}') as args,
    array(select m[1] from regexp_matches(comment, '(?n)^@param (\\w+) +\\S', 'g') as m) as params
  from pg_proc p, obj_description(p.oid, 'pg_proc') as comment, substring(comment from '(?n)^@verb (.*)$') as route
  where p.pronamespace = 'parley'::regnamespace and comment ~ '@verb'`;

const verb = (name: string, comment: string, args = "session_id text") => `
  create function parley.${name}(${args}) returns void language sql set search_path = '' as '';
  grant execute on function parley.${name} to parley_caller;
  comment on function parley.${name} is '${comment}'`;

export const lints: Lint[] = [
  {
    // Names are looked up when the function is made (return, begin atomic), or it becomes part of the statement that reads
    // from it: rows of a caller with his own rights. What only the owner may execute runs inside one that pins; to pin it
    // once more would cost every post.
    rule: "every function that others may execute pins an empty search_path, or is a part of the statement that uses it",
    query: `select p.oid::regprocedure::text as offender from pg_proc p join pg_language l on l.oid = p.prolang
      where pronamespace in ${OURS} and prokind <> 'a' and not coalesce(proconfig, '{}') @> array['search_path=""']
        and (prosecdef or prorettype = 'trigger'::regtype or exists (
          select from aclexplode(coalesce(proacl, acldefault('f', proowner))) a where a.grantee <> proowner))
        and prosqlbody is null and not (lanname = 'sql' and not prosecdef and proconfig is null and provolatile <> 'v' and proretset)`,
    offender: "create function parley_private.offender() returns void language sql security definer as ''",
    named: "parley_private.offender()",
  },
  {
    rule: "no function can be executed by everybody",
    query: `select p.oid::regprocedure::text as offender
      from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
      where p.pronamespace in ${OURS} and a.grantee = 0`,
    offender: "grant execute on function parley.get_session to public",
    named: "parley.get_session(text)",
  },
  {
    rule: "everything belongs to parley_owner",
    query: `select oid::regclass::text as offender from pg_class where relnamespace in ${OURS} and relowner <> 'parley_owner'::regrole
      union all select oid::regprocedure::text from pg_proc where pronamespace in ${OURS} and proowner <> 'parley_owner'::regrole
      union all select nspname from pg_namespace where oid in ${OURS} and nspowner <> 'parley_owner'::regrole`,
    offender: "set local role postgres; create table parley.offender (id integer)",
    named: "parley.offender",
  },
  {
    rule: "every table has row security, also for its owner",
    query: `select oid::regclass::text as offender from pg_class
      where relnamespace in ${OURS} and relkind in ('r', 'p') and not (relrowsecurity and relforcerowsecurity)`,
    offender: "alter table parley.sessions no force row level security",
    named: "parley.sessions",
  },
  {
    rule: "every view asks for the rights of who reads it",
    query: `select oid::regclass::text as offender from pg_class
      where relnamespace in ${OURS} and relkind = 'v' and not coalesce(reloptions, '{}') && array['security_invoker=true', 'security_invoker=on']`,
    offender: "create view parley.offender as select 1 as one",
    named: "parley.offender",
  },
  {
    rule: "every foreign key has an index",
    query: `select format('%s on %s', conname, conrelid::regclass) as offender from pg_constraint c
      where connamespace in ${OURS} and contype = 'f' and not exists (
        select from pg_index i
        where i.indrelid = c.conrelid and i.indisvalid
          and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) in (
            select format('(%I IS NOT NULL)', a.attname) from pg_attribute a
            where a.attrelid = c.conrelid and a.attnum = any (c.conkey)))
          and (select array_agg(k order by k) from unnest((i.indkey::smallint[])[0:cardinality(c.conkey) - 1]) as k)
            = (select array_agg(k order by k) from unnest(c.conkey) as k)
      )`,
    offender: "drop index parley_private.doc_keys_of_a_version",
    named: "doc_keys_belong_to_a_version on parley_private.doc_keys",
  },
  {
    // Rows with a session_id go with their session (remove_session); everything else has to say what becomes of it.
    rule: "what refers to a session, or to something in it, goes with it or lets go of it",
    query: `select format('%s on %s', conname, conrelid::regclass) as offender from pg_constraint c
      where connamespace in ${OURS} and contype = 'f' and confdeltype not in ('c', 'n', 'd')
        and (confrelid = 'parley.sessions'::regclass or confrelid = any (parley_private.tables_of_sessions()) and exists (
          select from pg_attribute a where a.attrelid = confrelid and a.attname = 'session_id' and a.attnotnull))
        and not (conrelid = any (parley_private.tables_of_sessions()) and exists (
          select from pg_attribute a where a.attrelid = conrelid and a.attname = 'session_id' and a.attnum = any (conkey)))`,
    offender:
      "create table parley.offender (id integer, forked_from uuid constraint forks references parley.sessions (id))",
    named: "forks on parley.offender",
  },
  {
    rule: "nobody but the owner is granted more than select on a table",
    query: `select distinct format('%s to %s on %s', privilege_type, grantee, relation) as offender
      from (${GRANTS}) g where privilege_type <> 'SELECT'`,
    offender: "grant update (content) on parley.messages to parley_caller",
    named: "UPDATE to parley_caller on parley.messages",
  },
  {
    rule: "nobody but the owner is granted anything on a table of parley_private",
    query: `select distinct format('%s to %s on %s', privilege_type, grantee, relation) as offender
      from (${GRANTS}) g where relnamespace = 'parley_private'::regnamespace`,
    offender: "grant select on parley_private.credentials to parley_caller",
    named: "SELECT to parley_caller on parley_private.credentials",
  },
  {
    rule: "every table of parley has a primary key, every view says which columns would be one",
    query: `select c.oid::regclass::text as offender from pg_class c
      where c.relnamespace = 'parley'::regnamespace
        and (relkind in ('r', 'p') and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)
          or relkind in ('v', 'm') and coalesce(obj_description(c.oid, 'pg_class'), '') !~ '@primaryKey')`,
    offender: "create table parley.offender (id integer)",
    named: "parley.offender",
  },
  {
    rule: "every table and every column says what it holds",
    query: `select offender from (
        select c.oid::regclass::text as offender, obj_description(c.oid, 'pg_class') as comment
        from pg_class c where c.relnamespace in ${OURS} and c.relkind in ('r', 'p', 'v', 'm')
        union all
        select format('%s.%s', c.oid::regclass, a.attname), col_description(c.oid, a.attnum)
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace in ${OURS} and c.relkind in ('r', 'p', 'v', 'm')
      ) things where trim(regexp_replace(coalesce(comment, ''), '(?n)^@.*$', '', 'g'), E' \\n') = ''`,
    offender: "comment on column parley_private.credentials.hash is '@behavior -*'",
    named: "parley_private.credentials.hash",
  },
  {
    rule: "every verb has a well-formed route",
    query: `select verb as offender from (${VERBS}) v where coalesce(route, '') !~ '^(GET|POST) /\\S*$'`,
    offender: verb("offender", "@verb PUT /offender\n@who team\n@toolset core\nText."),
    named: "parley.offender(text)",
  },
  {
    rule: "every verb says who may call it",
    query: `select verb as offender from (${VERBS}) v where comment !~ '(?n)^@who (open|team|person|key (read|team|run|admin))$'`,
    offender: verb("offender", "@verb GET /offender\n@toolset core\nText."),
    named: "parley.offender(text)",
  },
  {
    rule: "every verb belongs to a toolset",
    query: `select verb as offender from (${VERBS}) v where comment !~ '(?n)^@toolset \\w+$'`,
    offender: verb("offender", "@verb GET /offender\n@who team\nText."),
    named: "parley.offender(text)",
  },
  {
    rule: "every verb has a description below its tags",
    query: `select verb as offender from (${VERBS}) v where trim(regexp_replace(comment, '(?n)^@.*$', '', 'g'), E' \\n') = ''`,
    offender: verb("offender", "@verb GET /offender\n@who team\n@toolset core\n"),
    named: "parley.offender(text)",
  },
  {
    rule: "what stands in the route of a verb is an argument of it",
    query: `select verb as offender from (${VERBS}) v where not route_params <@ args`,
    offender: verb("offender", "@verb GET /offender/{other_id}\n@who team\n@toolset core\nText."),
    named: "parley.offender(text)",
  },
  {
    rule: "every argument of a verb is described, except what its route names",
    query: `select verb as offender from (${VERBS}) v where not args <@ (params || route_params)`,
    offender: verb("offender", "@verb GET /offender\n@who team\n@toolset core\nText.", "other text"),
    named: "parley.offender(text)",
  },
  {
    rule: "what a verb describes is an argument of it",
    query: `select verb as offender from (${VERBS}) v where not params <@ args`,
    offender: verb(
      "offender",
      "@verb GET /offender\n@who team\n@toolset core\n@param session_id A.\n@param gone B.\nText.",
    ),
    named: "parley.offender(text)",
  },
  {
    rule: "every verb can be called",
    query: `select verb as offender from (${VERBS}) v where not has_function_privilege('parley_caller', oid, 'execute')`,
    offender: "revoke execute on function parley.get_session from parley_caller",
    named: "parley.get_session(text)",
  },
  {
    rule: "no two verbs share a route",
    query: `select route as offender from (${VERBS}) v group by route having count(*) > 1`,
    offender: verb("offender", "@verb GET /sessions/{session_id}\n@who team\n@toolset core\nText."),
    named: "GET /sessions/{session_id}",
  },
  {
    rule: "no two functions of parley share a name",
    query: `select proname::text as offender from pg_proc where pronamespace = 'parley'::regnamespace group by proname having count(*) > 1`,
    offender: "create function parley.get_session() returns void language sql set search_path = '' as ''",
    named: "get_session",
  },
  {
    rule: "no set-returning function of parley has an argument that GraphQL needs for paging",
    query: `select oid::regprocedure::text as offender from pg_proc
      where pronamespace = 'parley'::regnamespace and proretset and proargnames && '{after,before,first,last,offset}'`,
    offender:
      "create function parley.offender(first integer) returns setof integer language sql set search_path = '' as 'select 1'",
    named: "parley.offender(integer)",
  },
  {
    rule: "a policy asks functions once per statement, not about each row",
    query: `select p.polrelid::regclass::text as offender from pg_policy p join pg_class c on c.oid = p.polrelid
      where c.relnamespace in ${OURS} and 'parley_caller'::regrole = any (p.polroles)
        and regexp_replace(pg_get_expr(p.polqual, p.polrelid), 'SELECT parley_private\\.\\w+\\(\\)', '', 'g') ~ 'parley_private'`,
    offender:
      "create policy offender on parley.boards for select to parley_caller using (parley_private.shortened(slug) = name)",
    named: "parley.boards",
  },
];
