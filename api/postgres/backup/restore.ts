import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import pg from "pg";
import type { Logger } from "pino";
import { cutOff } from "../database.ts";
import { migrate, replaceSources } from "../migrate.ts";
import { BackupError, BackupReader, type Heading } from "./format.ts";
import { load } from "./load.ts";

export interface Restored {
  heading: Heading;
  rows: Record<string, number>;
}

/** Fills a new database from a backup, "-" for what comes on stdin: all of it or nothing. The database is asked for when it is one. */
export const restore = (file: string, openDatabase: () => Promise<string>, log: Logger): Promise<Restored> =>
  opened(file, async (backup) => {
    const heading = await backup.heading();
    const url = await openDatabase();
    await migrate(url, log);
    const rows = await inTransaction(url, (client) => load(client, heading, backup));
    // The backup may know less than this version: what the sources put into tables themselves is put there again.
    await replaceSources(url, log, { everything: true });
    await inTransaction(url, async (client) => {
      await client.query("set local role parley_owner");
      await client.query("select parley_private.analyze_new_tables()");
      await client.query(
        "select parley_private.notify('settings'), parley_private.notify('session ' || gen_random_uuid())",
      );
    });
    return { heading, rows };
  });

async function opened<T>(file: string, read: (backup: BackupReader) => Promise<T>): Promise<T> {
  const stream = file === "-" ? process.stdin : createReadStream(file);
  const unpacked = createGunzip();
  stream.on("error", (error: Error) => unpacked.destroy(error));
  // Whoever reads on is told; what comes between two reads must not end the process.
  unpacked.on("error", () => undefined);
  try {
    return await read(new BackupReader(stream.pipe(unpacked)));
  } catch (error) {
    throw explained(error);
  } finally {
    stream.destroy();
    unpacked.destroy();
  }
}

async function inTransaction<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: "parley restore" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    return result;
  } finally {
    // It may be in the middle of a COPY whose end never comes.
    cutOff(client);
  }
}

function explained(error: unknown): unknown {
  const { code = "", message, table } = error as pg.DatabaseError;
  if (code === "ENOENT" || code === "EACCES" || code === "EISDIR")
    return new BackupError(`The file cannot be read: ${message}.`);
  if (code === "55P03") return new BackupError("The database is in use. Nothing was restored; try again.");
  if (/^2[23]/.test(code))
    return new BackupError(`The backup does not fit${table ? ` ${table}` : ""}: ${message}. Nothing was restored.`);
  return error;
}
