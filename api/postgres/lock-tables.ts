import type pg from "pg";
import { StartError } from "../start-error.ts";

const FIRST_MS = 1_500;
const OTHERS_MS = 300;

/** Somebody else holds it: a long transaction, a dump. */
export class TableInUse extends StartError {
  readonly table: string;
  constructor(table: string) {
    super(
      `The table ${table} is in use (a dump, a long transaction?), and what is to be applied changes it. Start again when it is free.`,
    );
    this.table = table;
  }
}

/**
 * All of these at once, before anything else: triggers and policies want them to themselves, and whoever takes them one by one
 * meets calls that hold the next one and wait for the last. The first may take longer than PostgreSQL needs to see a deadlock
 * (a vacuum gives way then): nothing else is held yet. The others may not, so that no call is ever the one that is given up.
 * Those that were in use before come first: so the order becomes the one in which the calls take them.
 */
export async function lockTables(client: pg.Client, tables: string[], first: string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('parley', 'parley_private') and c.relkind in ('r', 'p') and n.nspname || '.' || c.relname = any ($1)
    order by array_position($2, c.oid::regclass::text), c.oid`,
    [tables, first],
  );
  let until: number | undefined;
  for (const { name } of rows) {
    await client.query(`set local lock_timeout = ${until ? Math.max(1, until - Date.now()) : FIRST_MS}`);
    await client.query(`lock table ${name} in access exclusive mode`).catch((error: pg.DatabaseError) => {
      throw error.code === "55P03" ? new TableInUse(name) : error;
    });
    until ??= Date.now() + OTHERS_MS;
  }
}
