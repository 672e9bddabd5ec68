import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../testing/postgres.ts";
import { seed, tryEverything } from "./attempts.ts";

/** What each role can do to each table; a role that is not named can do nothing. */
const ALLOWED: Record<string, Record<string, string>> = {
  "parley.boards": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.lineage": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.changed_paths": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.held_paths": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.blockers": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.asks": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.messages": { parley_owner: "select insert", parley_caller: "select" },
  "parley.open_questions": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.participants": { parley_owner: "select insert update delete", parley_caller: "select" },
  "parley.placements": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.presence_changes": { parley_owner: "select insert truncate", parley_caller: "select" },
  "parley.session_doc_history": { parley_owner: "select insert", parley_caller: "select" },
  "parley.sessions": { parley_owner: "select insert update delete", parley_caller: "select" },
  "parley.settings": { parley_owner: "select insert update", parley_caller: "select" },
  "parley.task_counts": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.tasks": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.run_events": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.run_permissions": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley.runs": { parley_owner: "select insert update delete truncate", parley_caller: "select" },
  "parley_private.rings": { parley_owner: "select insert update delete truncate" },
  "parley_private.run_orders": { parley_owner: "select insert update delete truncate" },
  "parley_private.run_waits": { parley_owner: "select insert update delete truncate" },
  "parley_private.runners": { parley_owner: "select insert update delete truncate" },
  "parley_private.applied_functions": { parley_owner: "select insert update delete truncate" },
  "parley_private.applied_sources": { parley_owner: "select insert update delete truncate" },
  "parley_private.archived_sessions": { parley_owner: "select insert update delete truncate" },
  "parley_private.notices": { parley_owner: "select insert update delete truncate" },
  "parley_private.notified": { parley_owner: "select insert update delete truncate" },
  "parley_private.push_keys": { parley_owner: "select insert update delete truncate" },
  "parley_private.push_subscriptions": { parley_owner: "select insert update delete truncate" },
  "parley_private.audit": { parley_owner: "select insert truncate" },
  "parley_private.changed_functions": { parley_owner: "select insert update delete truncate" },
  "parley_private.counters": { parley_owner: "select insert update delete truncate" },
  "parley_private.credentials": { parley_owner: "select insert update delete truncate" },
  "parley_private.doc_keys": { parley_owner: "select insert truncate" },
  "parley_private.doc_patches": { parley_owner: "select insert" },
  "parley_private.handoffs": { parley_owner: "select insert update delete truncate" },
  "parley_private.invites": { parley_owner: "select insert update delete truncate" },
  "parley_private.keys": { parley_owner: "select insert update delete" },
  "parley_private.members": { parley_owner: "select insert update delete truncate" },
  "parley_private.interrupts": { parley_owner: "select insert update delete truncate" },
  "parley_private.doc_words": { parley_owner: "select insert update delete truncate" },
  "parley_private.message_words": { parley_owner: "select insert update delete truncate" },
  "parley_private.post_bounds": { parley_owner: "select insert update delete truncate" },
  "parley_private.sign_ins": { parley_owner: "select insert update delete truncate" },
  "parley_private.known_overlaps": { parley_owner: "select insert update delete truncate" },
  "parley_private.task_keys": { parley_owner: "select insert truncate" },
  "parley_private.team_keys": { parley_owner: "select insert update delete truncate" },
  "parley_private.users": { parley_owner: "select insert update delete" },
  "parley_private.waits": { parley_owner: "select insert update delete truncate" },
};
const ROLES = ["parley_owner", "parley_caller", "parley_worker", "parley_server"] as const;

/** What the server can do with the owner's rights beside the verbs. Whoever adds to it has to know why. */
const PRIVATE_DEFINERS_OF_THE_CALLER = [
  "parley_private.abandon_waits(uuid[])",
  "parley_private.admit(text)",
  "parley_private.answer_waits(uuid[],boolean)",
  "parley_private.closed_doors(jsonb)",
  "parley_private.doc_splice(uuid,integer,integer)",
  "parley_private.doc_text_at(uuid,integer)",
  "parley_private.docs_with(tsquery)",
  "parley_private.find_seat(parley.sessions,boolean)",
  "parley_private.find_session(text)",
  "parley_private.is_alive(parley.runs,timestamp with time zone)",
  "parley_private.is_guest()",
  "parley_private.is_listening(uuid,integer,timestamp with time zone)",
  "parley_private.is_ours(oid)",
  "parley_private.is_stranger()",
  "parley_private.lease_ends(parley.participants)",
  "parley_private.listeners_in(uuid)",
  "parley_private.look_at_link(text)",
  "parley_private.may_administer()",
  "parley_private.me()",
  "parley_private.messages_with(tsquery)",
  "parley_private.note_call(text)",
  "parley_private.person_id()",
  "parley_private.post_plainly(jsonb)",
  "parley_private.questions_to(uuid)",
  "parley_private.search_messages(uuid,tsquery)",
  "parley_private.sees_all()",
  "parley_private.sight()",
  "parley_private.sign_in_by_link(text,text)",
  "parley_private.sign_in_by_name(text)",
  "parley_private.sign_in_by_oidc(text,text,text)",
  "parley_private.sign_out(boolean)",
  "parley_private.take_interrupt(text)",
  "parley_private.take_seat(text,boolean)",
  "parley_private.unread(parley.participants,integer,parley.messages)",
];

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await connected(database.url(), seed);
});

afterAll(() => database?.drop());

const names = async (client: pg.Client, query: string): Promise<string[]> =>
  (await client.query<{ name: string }>(query)).rows.map((row) => row.name);

test("the grid has every table", async () => {
  const tables = await connected(database.url(), (client) =>
    names(
      client,
      `select format('%s.%s', schemaname, tablename) as name from pg_tables
       where schemaname in ('parley', 'parley_private') order by 1`,
    ),
  );
  expect(Object.keys(ALLOWED).sort()).toEqual(tables);
});

describe.each(ROLES)("as %s", (role) => {
  test.each(Object.keys(ALLOWED))("%s", async (table) => {
    const allowed = await tryEverything(database.url(), role, table);
    expect(allowed.join(" ")).toBe(ALLOWED[table]?.[role] ?? "");
  });
});

/** Triggers that are not "always" keep silent in such a connection; only a superuser can make one. */
const asReplica = (url: string) =>
  `${url}${url.includes("?") ? "&" : "?"}options=${encodeURIComponent("-c session_replication_role=replica")}`;

describe.each([
  ["a superuser", (url: string) => url],
  ["a superuser that calls itself a replica", asReplica],
])("not even %s", (_, connection) => {
  test.each(["parley.messages", "parley.session_doc_history", "parley_private.doc_patches"])(
    "can change, delete or truncate %s",
    async (table) => {
      expect(await tryEverything(connection(database.url()), "postgres", table)).toEqual(["select", "insert"]);
    },
  );

  test("can remove a setting", async () => {
    expect(await tryEverything(connection(database.url()), "postgres", "parley.settings")).toEqual([
      "select",
      "insert",
      "update",
    ]);
  });
});

test("a session cannot be deleted together with its messages", async () => {
  await connected(database.url(), async (client) => {
    await expect(client.query("truncate parley.sessions cascade")).rejects.toMatchObject({ code: "PT403" });
    await expect(client.query("delete from parley.sessions")).rejects.toMatchObject({ code: "23503" });
  });
});

test("the worker may sweep, index, analyse and remove what is old, the login may do nothing itself", async () => {
  const executable = (role: string) => `
    select oid::regprocedure::text as name from pg_proc
    where pronamespace in ('parley'::regnamespace, 'parley_private'::regnamespace)
      and has_function_privilege('${role}', oid, 'execute') order by 1`;
  await connected(database.url(), async (client) => {
    expect(await names(client, executable("parley_worker"))).toEqual([
      "parley_private.analyze_new_tables()",
      "parley_private.drop_push(text)",
      "parley_private.forget_old(integer)",
      "parley_private.index_docs(integer)",
      "parley_private.index_words(integer)",
      "parley_private.index_words_in(uuid,integer)",
      "parley_private.push_keys(text,text)",
      "parley_private.remove_an_old_session()",
      "parley_private.spare_runs()",
      "parley_private.sweep_asks()",
      "parley_private.sweep_claims(timestamp with time zone)",
      "parley_private.sweep_counters()",
      "parley_private.sweep_presence(timestamp with time zone)",
      "parley_private.sweep_runs(timestamp with time zone)",
      "parley_private.take_pushes(integer)",
    ]);
    expect(await names(client, executable("parley_server"))).toEqual([]);
  });
});

test("of what runs with the rights of the owner, the caller may call the verbs and what is listed here", async () => {
  const definers = await connected(database.url(), (client) =>
    names(
      client,
      `select oid::regprocedure::text as name from pg_proc
       where pronamespace = 'parley_private'::regnamespace and prosecdef
         and has_function_privilege('parley_caller', oid, 'execute')
       order by oid::regprocedure::text collate "C"`,
    ),
  );
  expect(definers).toEqual([...PRIVATE_DEFINERS_OF_THE_CALLER].sort());
});

test("the caller cannot look into the job queue or the migrations", async () => {
  const open = await connected(database.url(), (client) =>
    names(
      client,
      `select nspname as name from pg_namespace
       where has_schema_privilege('parley_caller', oid, 'usage') and nspname ~ '^(graphile|parley)' order by 1`,
    ),
  );
  expect(open).toEqual(["parley", "parley_private"]);
});

test("no role of the server can create anything beside the job queue", async () => {
  await connected(database.url(), async (client) => {
    for (const role of ["parley_caller", "parley_server"]) {
      const where = `from pg_namespace where has_schema_privilege('${role}', oid, 'create') and nspname !~ '^pg_temp'`;
      expect(await names(client, `select nspname as name ${where}`)).toEqual([]);
    }
    expect(
      await names(
        client,
        "select nspname as name from pg_namespace where has_schema_privilege('parley_worker', oid, 'create') and nspname !~ '^pg_temp'",
      ),
    ).toEqual(["graphile_worker"]);
  });
});
