import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { BackupError, type BackupReader, countRows, type Ending, type Heading, type Section } from "./format.ts";
import { PORTABLE, readMigration, readSequences, readTables, type Table } from "./tables.ts";

const LOCK_MS = 10_000;

/** Fills the empty tables of a migrated database, inside a transaction; tells how many rows each has. */
export async function load(client: pg.Client, heading: Heading, backup: BackupReader): Promise<Record<string, number>> {
  await client.query(`${PORTABLE}; set local lock_timeout = ${LOCK_MS}`);
  const tables = await findTables(client, heading);
  const undo = await makeReady(client, tables, heading);
  const rows = await fill(client, tables, heading, backup);
  await settle(client, undo);
  await client.query("set local role parley_owner");
  await client.query("select parley_private.after_restore()");
  return rows;
}

async function findTables(client: pg.Client, heading: Heading): Promise<Map<string, Table>> {
  const migration = await readMigration(client);
  if (migration !== heading.migration)
    throw new BackupError(
      `The backup was made by Parley ${heading.version}, at migration ${heading.migration}, and this database is at ${migration ?? "none"}. ` +
        "Restore it with the version that made it, then start this one on that database: it migrates.",
    );
  const tables = new Map((await readTables(client)).map((table) => [table.name, table]));
  const missing = heading.tables.filter((name) => !tables.has(name));
  if (missing.length > 0)
    throw new BackupError(
      `The backup has tables that this database does not have: ${missing.join(", ")}. Make them first; they are not part of Parley.`,
    );
  return tables;
}

/** What was done to a table so that it can be filled, and undoes it. */
type Undo = [table: Table, action: string][];

/**
 * Nothing but the rows moves: no trigger tells of them or refuses them, no policy is in the way of COPY, which only the owner
 * of a table can see to. A foreign key to what comes later is checked at the end.
 */
async function makeReady(client: pg.Client, tables: Map<string, Table>, { tables: order }: Heading): Promise<Undo> {
  const undo: Undo = [];
  for (const table of tables.values())
    await asOwner(client, table, `lock table ${table.name} in access exclusive mode`);
  for (const table of tables.values()) {
    await asOwner(client, table, `alter table ${table.name} no force row level security, disable trigger user`);
    if (table.forced) undo.push([table, "force row level security"]);
    for (const { name, enabled } of table.triggers) undo.push([table, `${enabled} trigger ${name}`]);
    if (table.seeded) await asOwner(client, table, `delete from ${table.name}`);
    else await refuseRows(client, table);
  }
  const later = new Set(order);
  for (const name of order) {
    const table = tables.get(name) as Table;
    later.delete(name);
    for (const key of table.foreign_keys.filter(({ to }) => later.has(to))) {
      await asOwner(client, table, `alter table ${name} alter constraint ${key.name} deferrable initially deferred`);
      undo.push([table, `alter constraint ${key.name} ${key.checked}`]);
    }
  }
  return undo;
}

async function refuseRows(client: pg.Client, table: Table) {
  const { rowCount } = await asOwner(client, table, `select from ${table.name} limit 1`);
  if (rowCount)
    throw new BackupError(
      `This database is not empty: ${table.name} has rows. A backup is restored into a new one: another PARLEY_DATA folder, or another database in DATABASE_URL.`,
    );
}

async function fill(client: pg.Client, tables: Map<string, Table>, heading: Heading, backup: BackupReader) {
  const counts: Record<string, number> = {};
  for (const name of heading.tables) {
    const section = await backup.json<Section>();
    const table = tables.get(name);
    if (section.table !== name || !table)
      throw new BackupError("The file is damaged: its tables are not those it names.");
    const unknown = section.columns.filter((column) => !table.columns.includes(column));
    if (unknown.length > 0)
      throw new BackupError(`The backup has columns that ${name} does not have here: ${unknown.join(", ")}.`);
    await client.query(`set local role ${table.owner}`);
    let rows = 0;
    const counted = async function* () {
      for await (const chunk of backup.rows()) {
        rows += countRows(chunk);
        yield chunk;
      }
    };
    await pipeline(Readable.from(counted()), client.query(copyFrom(`copy ${name} (${section.columns}) from stdin`)));
    if (rows !== (await backup.json<{ rows: number }>()).rows)
      throw new BackupError(`The file is damaged: ${name} does not have as many rows as it says.`);
    counts[name] = rows;
  }
  await setSequences(client, await backup.json<Ending>());
  await backup.end();
  return counts;
}

async function setSequences(client: pg.Client, { whole, sequences }: Ending) {
  if (!whole) throw new BackupError("The file is damaged: its last line is not that of a backup.");
  const known = new Map((await readSequences(client)).map((sequence) => [sequence.name, sequence]));
  for (const { name, value, called } of sequences) {
    const sequence = known.get(name);
    if (!sequence) continue;
    await client.query(`set local role ${sequence.owner}`);
    await client.query("select setval($1::regclass, $2::bigint, $3)", [name, value, called]);
  }
}

/** Every foreign key holds, and everything is as it was before. */
async function settle(client: pg.Client, undo: Undo) {
  await client.query("reset role; set constraints all immediate");
  for (const [table, action] of undo) await asOwner(client, table, `alter table ${table.name} ${action}`);
}

const asOwner = async (client: pg.Client, { owner }: Table, statement: string) => {
  await client.query(`set local role ${owner}`);
  return client.query(statement);
};
