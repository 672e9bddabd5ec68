import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { version } from "../../version.ts";
import { cutOff } from "../database.ts";
import { BackupError, countRows, END_OF_ROWS, type Ending, type Heading, MAGIC, type Section } from "./format.ts";
import { PORTABLE, readMigration, readSequences, readTables, type Table } from "./tables.ts";

export interface Made {
  heading: Heading;
  rows: Record<string, number>;
}

/** All of a database as it is at one moment, while it is used. The file appears when it is whole, for its owner alone. */
export async function backUp(url: string, file: string, signal?: AbortSignal): Promise<Made> {
  const unfinished = `${file}.${randomBytes(6).toString("hex")}.unfinished`;
  try {
    const out = createWriteStream(unfinished, { flags: "wx", mode: 0o600, flush: true });
    await once(out, "open");
    const made = await writeBackup(url, out, signal);
    await rename(unfinished, file);
    return made;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

export async function writeBackup(url: string, out: Writable, signal?: AbortSignal): Promise<Made> {
  const client = new pg.Client({ connectionString: url, application_name: "parley backup" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const made = { rows: {} } as Made;
    await pipeline(Readable.from(contents(client, made)), createGzip({ level: 4 }), out, { signal });
    return made;
  } finally {
    // It may be in the middle of a COPY that nobody reads.
    cutOff(client);
  }
}

async function* contents(client: pg.Client, made: Made): AsyncGenerator<Buffer | string, void> {
  const { tables, reader } = await freeze(client);
  made.heading = {
    version,
    migration: (await readMigration(client)) as string,
    made_at: new Date().toISOString(),
    tables: tables.map(({ name }) => name),
  };
  yield `${MAGIC}\n${JSON.stringify(made.heading)}\n`;
  for (const table of tables) {
    const { name, columns } = table;
    yield `${JSON.stringify({ table: name, columns } satisfies Section)}\n`;
    await client.query(`set local role ${reader(table)}`);
    let rows = 0;
    for await (const chunk of client.query(copyTo(`copy ${name} (${columns}) to stdout`))) {
      rows += countRows(chunk);
      yield chunk;
    }
    made.rows[name] = rows;
    yield `${END_OF_ROWS}\n${JSON.stringify({ rows })}\n`;
  }
  const sequences = await lastValues(client);
  const rows = Object.values(made.rows).reduce((sum, count) => sum + count, 0);
  yield `${JSON.stringify({ whole: true, rows, sequences } satisfies Ending)}\n`;
  await client.query("commit");
}

/**
 * The locks come before the snapshot: a table that is rewritten or emptied between the two would look empty. They stop
 * nobody but whoever wants to change the tables themselves.
 */
async function freeze(client: pg.Client) {
  await client.query(`begin; ${PORTABLE}`);
  const seen = await readTables(client);
  if (seen.length === 0) throw new BackupError("There is no Parley in this database.");
  await client.query(`commit; begin isolation level repeatable read read only; ${PORTABLE}`);
  for (const { name, owner } of seen)
    await client.query(`set local role ${owner}; lock table ${name} in access share mode`);
  await client.query("reset role");
  const tables = await readTables(client);
  if (JSON.stringify(tables) !== JSON.stringify(seen))
    throw new BackupError("The tables of this database were being changed. Try again.");

  const { rows } = await client.query(
    "select rolsuper or rolbypassrls as above, quote_ident(rolname) as name from pg_roles where rolname = current_user",
  );
  const [me] = rows as [{ above: boolean; name: string }];
  const hidden = tables.filter(({ readable }) => !me.above && !readable).map(({ name }) => name);
  if (hidden.length > 0)
    throw new BackupError(
      `Row security hides rows of ${hidden.join(", ")} from its owner. Give it a policy for select that is true, or use a login with bypassrls.`,
    );
  if (me.above) await client.query("set local row_security = off");
  return { tables, reader: ({ owner }: Table) => (me.above ? me.name : owner) };
}

/** Sequences know no snapshot: what is read now is at least what the rows have used. */
async function lastValues(client: pg.Client): Promise<Ending["sequences"]> {
  const values: Ending["sequences"] = [];
  for (const { name, owner } of await readSequences(client)) {
    await client.query(`set local role ${owner}`);
    const { rows } = await client.query(`select last_value::text as value, is_called as called from ${name}`);
    values.push({ name, ...rows[0] });
  }
  return values;
}
