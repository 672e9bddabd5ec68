import type pg from "pg";
import { rolledBack } from "../../testing/postgres.ts";

const SESSION = "'00000000-0000-4000-8000-000000000001'";

/** A row in every table, so that an attempt that is allowed finds something to do. */
export async function seed(client: pg.Client): Promise<void> {
  await client.query(`
    insert into parley.sessions (id, ref, title, description) values (${SESSION}, 'calm-otter-17', 'Title', '');
    insert into parley.participants (session_id, id, handle, team_name) values (${SESSION}, 1, 'team', 'Team');
    insert into parley.sessions (ref, title, description) values ('warm-otter-17', 'Title', '');
    insert into parley.lineage (session_id, origin_id, relation) select id, ${SESSION}, 'forked' from parley.sessions where ref = 'warm-otter-17';
    insert into parley.boards (slug, name, zones) values ('board', 'Board', '{Zone}');
    insert into parley.placements (session_id, board, zone) values (${SESSION}, 'board', 'Zone');
    insert into parley.messages (session_id, sequence, posted_by, type, content) values (${SESSION}, 1, 1, 'chat', '{"text": "Hi"}');
    insert into parley.session_doc_history (session_id, version, written_by, size) values (${SESSION}, 1, 1, 2);
    insert into parley_private.credentials (session_id, participant_id, hash) values (${SESSION}, 1, sha256('secret'));
    insert into parley_private.team_keys (hash, session_id, participant_id, fingerprint)
      values (sha256('key'), ${SESSION}, 1, sha256('arguments'));
    insert into parley_private.message_words (session_id, sequence, words) values (${SESSION}, 1, 'hi');
    insert into parley_private.doc_words (session_id, piece, version, words) values (${SESSION}, 1, 1, 'hi');
    insert into parley_private.doc_keys (session_id, participant_id, key, version, fingerprint)
      values (${SESSION}, 1, 'key', 1, sha256('Hi'));
    insert into parley_private.doc_patches (session_id, version, key_frame, start_at, removed, inserted, bytes_to_apply)
      values (${SESSION}, 1, true, 0, 0, 'Hi', 0);
    insert into parley.tasks (session_id, task, title, created_by) values (${SESSION}, 1, 'Title', 1);
    insert into parley_private.task_keys (session_id, participant_id, key, first_task, last_task, fingerprint)
      values (${SESSION}, 1, 'key', 1, 1, sha256('tasks'));
    insert into parley.held_paths (session_id, participant_id, path, base) values (${SESSION}, 1, 'src/', 'src/');
    insert into parley.changed_paths (session_id, participant_id, path, base) values (${SESSION}, 1, 'src/a.ts', 'src/a.ts/');
    insert into parley_private.known_overlaps (session_id, one_team, other_team, path) values (${SESSION}, 1, 2, 'src/a.ts');
    insert into parley.open_questions (session_id, sequence, asked_by) values (${SESSION}, 1, 1);
    insert into parley_private.counters (rule, subject, used, ends_at) values ('hops', 'address 192.0.2.7', 1, 'infinity');
    insert into parley_private.interrupts (session_id, participant_id, by, reason, cursor) values (${SESSION}, 1, 'team', 'why', 1);
    insert into parley.asks (session_id, sequence) values (${SESSION}, 1);
    insert into parley_private.handoffs (session_id, handoff) values (${SESSION}, '{}');
    insert into parley_private.changed_functions (signature, definition, granted_to, was_ours)
      values ('parley.whoami(text)', 'create function …', '{}', true);
    insert into parley_private.waits (id, session_id, participant_id, since_cursor, expires_at)
      values (${SESSION}, ${SESSION}, 1, 1, 'infinity');
    insert into parley_private.users (id, name, role) values (${SESSION}, 'Ada', 'owner');
    insert into parley_private.keys (prefix, hash, name, scopes, made_by) values ('pk_12345678', sha256('pk'), 'Key', '{read}', 'Ada');
    insert into parley_private.sign_ins (hash, user_id, by, expires_at) values (sha256('cookie'), ${SESSION}, 'link', 'infinity');
    insert into parley_private.members (session_id, user_id) values (${SESSION}, ${SESSION});
    insert into parley_private.invites (hash, session_id, uses_left, made_by, expires_at) values (sha256('invite'), ${SESSION}, 1, 'Ada', 'infinity');
    insert into parley.blockers (session_id, sequence, raised_by) values (${SESSION}, 1, 1);
    insert into parley_private.archived_sessions (user_id, session_id) values (${SESSION}, ${SESSION});
    insert into parley_private.push_keys (public_key, private_key) values ('public', 'private');
    insert into parley_private.push_subscriptions (endpoint, user_id, p256dh, auth) values ('https://push.example.com', ${SESSION}, 'key', 'secret');
    insert into parley_private.notices (user_id, session_id, kinds) values (${SESSION}, ${SESSION}, '{question}');
    insert into parley_private.notified (user_id, session_id, need) values (${SESSION}, ${SESSION}, 'idle');
    insert into parley.runs (session_id, run, participant_id, agent, status, alive_until) values (${SESSION}, 1, 1, 'claude', 'working', 'infinity');
    insert into parley.run_events (session_id, run, event, kind, title) values (${SESSION}, 1, 1, 'say', 'Hi');
    insert into parley.run_permissions (session_id, run, request, tool, options, expires_at) values (${SESSION}, 1, 'r', 'Write', '[]', 'infinity');
    insert into parley_private.run_orders (session_id, run, nth, kind, by) values (${SESSION}, 1, 1, 'stop', 'team');
    insert into parley_private.run_waits (id, session_id, verb, expires_at) values (${SESSION}, ${SESSION}, 'take_run', 'infinity');
    insert into parley_private.rings (session_id, participant_id, by) values (${SESSION}, 1, 'team');
    insert into parley_private.runners (name, hash, agents, max_runs, accept, offered_by, expires_at)
      values ('studio', sha256('token'), '{claude}', 1, 'key', 'Ada', 'infinity');
    insert into parley_private.audit (actor, event) values ('Ada', 'key_created');
  `);
}

// Reached only by those who are allowed: the row that is there already, the rows that refer to this one.
const ALLOWED_BUT_IMPOSSIBLE = ["23505", "23503"];
const FORBIDDEN = ["42501", "PT403"];

/** Tries every command on the table as the role; tells which are allowed. Nothing of it lasts. */
export function tryEverything(superuserUrl: string, role: string, table: string): Promise<string[]> {
  return rolledBack(superuserUrl, async (client) => {
    const { rows } = await client.query(`select to_jsonb(t) as row from ${table} t limit 1`);
    const row = client.escapeLiteral(JSON.stringify(rows[0].row));
    const given = await client.query(
      "select attname from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''",
      [table],
    );
    const columns = given.rows.map(({ attname }) => client.escapeIdentifier(attname));
    const [column] = columns;
    const attempts = {
      select: `select * from ${table}`,
      insert: `insert into ${table} (${columns}) select ${columns.map((name) => `(r).${name}`)} from (select jsonb_populate_record(null::${table}, ${row})) as one (r)`,
      update: `update ${table} set ${column} = ${column}`,
      delete: `delete from ${table}`,
      truncate: `truncate ${table} cascade`,
    };
    const allowed: string[] = [];
    for (const [command, sql] of Object.entries(attempts)) {
      if (await isAllowed(client, role, sql)) allowed.push(command);
    }
    return allowed;
  });
}

/** Row security hides rows instead of refusing: what touches none was not allowed. */
async function isAllowed(client: pg.Client, role: string, sql: string): Promise<boolean> {
  await client.query(`savepoint attempt; set local role ${role}`);
  try {
    const { command, rowCount } = await client.query(sql);
    return command === "TRUNCATE" || rowCount !== 0;
  } catch (error) {
    const { code = "" } = error as pg.DatabaseError;
    if (ALLOWED_BUT_IMPOSSIBLE.includes(code)) return true;
    if (FORBIDDEN.includes(code)) return false;
    throw error;
  } finally {
    await client.query("rollback to attempt; reset role");
  }
}
