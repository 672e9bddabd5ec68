import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashSecret } from "../../api/http/caller.ts";
import { makeKey } from "../../testing/access-key.ts";
import { connected, createTestDatabase, rolledBack, type TestDatabase } from "../../testing/postgres.ts";
import { seed } from "./attempts.ts";
import { type Calls, connectCallers, type Team } from "./calls.ts";

const SESSION = "00000000-0000-4000-8000-000000000001";
/** What is never changed or deleted otherwise. */
const KEPT = ["parley.messages", "parley.session_doc_history", "parley_private.doc_patches"];
const GUARDED = [...KEPT, "parley.presence_changes", "parley_private.doc_keys"];

let database: TestDatabase;
let calls: Calls;
let other: Team;

beforeAll(async () => {
  database = await createTestDatabase();
  await connected(database.url(), seed);
  calls = connectCallers(database.url("parley_caller"));
  other = await calls.create();
  await calls.must("append_to_session_doc", { session_id: other.ref, text: "x", idempotency_key: "k" }, other);
  await calls.must("post_message", { session_id: other.ref, content: "stays" }, other);
});
afterAll(async () => {
  await calls?.end();
  await database?.drop();
});

const asRole = (role: string, work: (client: pg.Client) => Promise<unknown>) =>
  rolledBack(database.url(), async (client) => {
    await client.query(`set local role ${role}`);
    await work(client);
  });
const claimRemoval = "select set_config('parley.removing', $1, true), set_config('parley.shown', '   on', true)";
const remove = (client: pg.Client, session: string) =>
  client.query("select * from parley.delete_session($1)", [session]).then(({ rows }) => rows[0]);

/** How many rows each table has of each session. */
async function countAll(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string }>(
    "select t::text as name from unnest(parley_private.tables_of_sessions() || array['parley.sessions'::regclass]) as t",
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) {
    const key = name === "parley.sessions" ? "id" : "session_id";
    for (const { session, count } of (
      await client.query(`select ${key} as session, count(*)::int from ${name} group by 1`)
    ).rows)
      counts[`${name} of ${session}`] = count;
  }
  return counts;
}

test("a session goes with every row of every table, and nothing of another one does", async () => {
  await rolledBack(database.url(), async (client) => {
    const before = await countAll(client);
    // That another one comes from it goes, too.
    const goes = (key: string) => key.endsWith(SESSION) || key.startsWith("parley.lineage of ");
    const [gone, staying] = [true, false].map((is) => Object.keys(before).filter((key) => goes(key) === is));
    expect(gone?.length).toBeGreaterThan(12);
    expect(staying?.length).toBeGreaterThan(6);
    await client.query("set local role parley_caller; set local parley.shown = '   on'");
    expect(await remove(client, "calm-otter-17")).toMatchObject({ session_id: SESSION, ref: "calm-otter-17" });
    await client.query("reset role");
    const after = await countAll(client);
    expect(after).toEqual(Object.fromEntries(staying?.map((key) => [key, before[key]]) ?? []));
  });
});

test("a table that a DBA adds is emptied of it too, and what says that it outlives sessions is not", async () => {
  await rolledBack(database.url(), async (client) => {
    await client.query(`
      set local role parley_owner;
      create table parley.marks (session_id uuid references parley.sessions, sequence integer, primary key (session_id, sequence));
      create table parley.records (session_id uuid);
      comment on table parley.records is E'@outlives sessions\\nWhat has happened.';
      insert into parley.marks values ('${SESSION}', 1);
      insert into parley.records values ('${SESSION}')`);
    await client.query("set local role parley_caller; set local parley.shown = '   on'");
    await remove(client, SESSION);
    await client.query("reset role");
    expect((await client.query("select from parley.marks")).rowCount).toBe(0);
    expect((await client.query("select from parley.records")).rowCount).toBe(1);
  });
});

describe.each(["parley_caller", "parley_worker", "parley_server"])("as %s", (role) => {
  test.each(GUARDED)("nobody deletes from %s by pretending that a session is being removed", async (table) => {
    await asRole(role, async (client) => {
      await client.query(claimRemoval, [SESSION]);
      await expect(client.query(`delete from ${table} where session_id = '${SESSION}'`)).rejects.toMatchObject({
        code: "42501",
      });
    });
  });

  test("the function that removes cannot be called, nor can the owner be become", async () => {
    for (const text of [
      `select parley_private.remove_session('${SESSION}', '')`,
      "select parley_private.session_being_removed()",
    ])
      await asRole(role, (client) => expect(client.query(text)).rejects.toMatchObject({ code: "42501" }));
    await connected(database.url("parley_server"), (client) =>
      expect(client.query("set role parley_owner")).rejects.toMatchObject({ code: "42501" }),
    );
  });
});

test("whoever pretends it and then calls a verb has deleted nothing", async () => {
  await connected(database.url("parley_caller"), async (client) => {
    const before = (await client.query("select count(*) from parley.messages")).rows;
    await client.query("select set_config('parley.removing', $1, false)", [SESSION]);
    const { rows } = await client.query("select to_json(parley.create_session('T', '', 'Team')) ->> 'ref' as ref");
    await expect(client.query("select parley.delete_session($1)", [rows[0].ref])).rejects.toMatchObject({
      code: "PT403",
    });
    expect((await client.query("select count(*) from parley.messages")).rows).toEqual(before);
  });
});

describe.each(KEPT)("%s", (table) => {
  test("not even a superuser deletes from it by pretending", async () => {
    await rolledBack(database.url(), async (client) => {
      await client.query(claimRemoval, [SESSION]);
      await expect(client.query(`delete from ${table}`)).rejects.toMatchObject({ code: "PT403" });
    });
  });

  test("not even the owner empties, changes or reaches beyond the session that is being removed", async () => {
    const attempt = (text: string) =>
      rolledBack(database.url(), async (client) => {
        await client.query("set local role parley_owner");
        await client.query(claimRemoval, [SESSION]);
        return client.query(text);
      });
    await expect(attempt(`truncate ${table} cascade`)).rejects.toMatchObject({ code: "PT403" });
    await expect(attempt(`update ${table} set session_id = session_id`)).rejects.toMatchObject({ code: "PT403" });
    expect((await attempt(`delete from ${table} where session_id = '${other.session_id}'`)).rowCount).toBe(0);
  });

  test("after a removal, the rest of its transaction may delete as little as before", async () => {
    await rolledBack(database.url(), async (client) => {
      await client.query("set local role parley_owner; set local parley.shown = '   on'");
      await remove(client, SESSION);
      await expect(client.query(`delete from ${table}`)).rejects.toMatchObject({ code: "PT403" });
    });
  });
});

test("only who is on the server's machine may, or has a key with the scope admin that is not bound to another session", async () => {
  expect(await calls.call("delete_session", { session_id: SESSION })).toMatchObject({ status: 403, code: "forbidden" });
  expect(await calls.call("delete_session", { session_id: other.ref }, other)).toMatchObject({ status: 403 });
  const attempt = (shown: string, session: string | null, access = "open") =>
    rolledBack(database.url(), async (client) => {
      await client.query(
        `set local parley.access = '${access}'; set local parley.shown = '${shown}'; set local role parley_caller`,
      );
      const { rows } = await client.query("select (parley.delete_session($1)).ref", [session]);
      return rows[0].ref;
    });
  const here = "   on";
  expect(await attempt(here, SESSION)).toBe("calm-otter-17");
  await expect(attempt(here, "no-such-1")).rejects.toMatchObject({ code: "PT404" });
  await expect(attempt(here, null)).rejects.toMatchObject({ code: "PT400" });
  await expect(attempt(here, SESSION, "keys")).rejects.toMatchObject({ code: "PT401" });

  const hashOf = async (options: Parameters<typeof makeKey>[1]) => hashSecret(await makeKey(database, options));
  const admin = await hashOf({ scopes: ["admin"] });
  const team = await hashOf({ scopes: ["read", "team", "run"] });
  const bound = await hashOf({ scopes: ["admin"], session: other.ref });
  expect(await attempt(admin, SESSION, "keys")).toBe("calm-otter-17");
  await expect(attempt(team, SESSION, "keys")).rejects.toMatchObject({ code: "PT403" });
  for (const access of ["keys", "open"]) {
    await expect(attempt(bound, SESSION, access)).rejects.toMatchObject({ code: "PT404" });
    expect(await attempt(bound, other.ref, access)).toBe(other.ref);
  }
});

test("the audit keeps that it happened, and who did it; keys and invitations to it are gone", async () => {
  await rolledBack(database.url(), async (client) => {
    await client.query("select parley_private.make_key('bound', array['team'], $1)", [SESSION]);
    await client.query("set local role parley_caller; set local parley.shown = '  192.0.2.7 on'");
    await remove(client, SESSION);
    await client.query("reset role");
    const { rows } = await client.query(
      "select actor, session_ref, details from parley_private.audit where event = 'session_deleted'",
    );
    expect(rows).toEqual([
      { actor: "192.0.2.7", session_ref: "calm-otter-17", details: { messages: 0, reason: "asked for" } },
    ]);
    expect(
      (await client.query("select from parley_private.keys where session_id is not null and name = 'bound'")).rowCount,
    ).toBe(0);
  });
});

test("what continues it stays, without link and hand-off, and whoever watches either is told", async () => {
  const first = await calls.create();
  await calls.must("conclude_session", { session_id: first.ref, summary_section: "Done." }, first);
  const next: Team = await calls.must("resume_session", { session_id: first.ref, team_name: "Next" });
  await calls.must("conclude_session", { session_id: next.ref, summary_section: "Done too." }, next);
  const last: Team = await calls.must("resume_session", { session_id: next.ref, team_name: "Last" });
  const heard = await connected(database.url(), async (client) => {
    const topics = new Set<string>();
    client.on("notification", ({ payload = "" }) => topics.add(payload));
    await client.query("listen parley");
    await client.query("begin; set local role parley_caller; set local parley.shown = '   on'");
    await remove(client, next.ref);
    await client.query("commit");
    await client.query("select");
    return topics;
  });
  for (const topic of ["session", "feed", "roster", "doc"]) expect(heard).toContain(`${topic} ${next.session_id}`);
  for (const { session_id } of [first, last]) expect(heard).toContain(`session ${session_id}`);
  expect(await calls.must("get_session", { session_id: last.ref }, last)).toMatchObject({
    continues: null,
    status: "active",
  });
  expect(await calls.must("get_session", { session_id: first.ref }, first)).toMatchObject({ continued_by: null });
  const joined = await calls.must("join_session", { session_id: last.ref, team_name: "Later" });
  expect(joined.handoff).toBeNull();
  expect(await calls.call("get_session", { session_id: next.ref }, next)).toMatchObject({ status: 404 });
  expect(await calls.call("get_history", { session_id: next.ref }, last)).toMatchObject({ status: 404 });
});

test("concluded sessions go when their days are over, the oldest first, one at a time, and only if that is switched on", async () => {
  await rolledBack(database.url(), async (client) => {
    const age = (ref: string, days: number) =>
      client.query(`insert into parley.sessions (ref, title, description, status, closed_at)
        values ('${ref}', 'T', '', 'closed', now() - interval '${days} days')`);
    await age("old-one-1", 40);
    await age("older-one-1", 400);
    await age("young-one-1", 20);
    const sweep = async () => {
      await client.query("set local role parley_worker");
      const { rows } = await client.query("select parley_private.remove_an_old_session() as removed");
      await client.query("reset role");
      const left = await client.query("select ref from parley.sessions where ref like '%-one-1' order by 1");
      return [rows[0].removed, ...left.rows.map(({ ref }) => ref)];
    };
    expect(await sweep()).toEqual([false, "old-one-1", "older-one-1", "young-one-1"]);
    await client.query("update parley.settings set value = '30' where name = 'delete_closed_after'");
    expect(await sweep()).toEqual([true, "old-one-1", "young-one-1"]);
    expect(await sweep()).toEqual([true, "young-one-1"]);
    expect(await sweep()).toEqual([false, "young-one-1"]);
    expect((await client.query("select from parley.sessions where id = $1", [SESSION])).rowCount).toBe(1);
  });
});
