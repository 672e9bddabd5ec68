import { existsSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { readConfig } from "../config.ts";
import { startEmbeddedPostgres } from "../postgres/embedded/index.ts";
import { connectionUrl, prepareSocketDir, query } from "../postgres/embedded/socket.ts";

export interface Workbench {
  readonly url: string;
  close(): Promise<void>;
}

/** The database to work on: that of DATABASE_URL, of the Parley that runs on PARLEY_DATA, or one started for now. */
export async function openWorkbench(log: Logger): Promise<Workbench> {
  const { databaseUrl, dataDir } = readConfig(process.env);
  const url = databaseUrl ?? (await findRunning(dataDir));
  if (url) return { url, close: async () => {} };
  const embedded = await startEmbeddedPostgres({ dataDir, log });
  return { url: embedded.url(), close: () => embedded.stop() };
}

/** The database of the Parley that runs on a folder. */
export async function findRunning(dataDir: string): Promise<string | undefined> {
  const cluster = join(dataDir, "postgres");
  if (!existsSync(cluster)) return undefined;
  const socketDir = prepareSocketDir(realpathSync(dataDir), [process.getuid?.(), statSync(cluster).uid]);
  try {
    await query(socketDir, "select");
    return connectionUrl(socketDir, "postgres", "parley");
  } catch {
    return undefined;
  }
}

export const databaseOf = (url: string) => decodeURIComponent(new URL(url).pathname.slice(1));

export function inDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(database)}`;
  return other.href;
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: "parley db script" });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The migration tool hangs up a little late. */
export function untilUnused(url: string, database: string): Promise<void> {
  return withClient(url, async (client) => {
    for (const deadline = Date.now() + 5_000; Date.now() < deadline; await sleep(50)) {
      const { rowCount } = await client.query("select from pg_stat_activity where datname = $1", [database]);
      if (rowCount === 0) return;
    }
    throw new Error(
      `Somebody is connected to the database ${database}: stop Parley and what else uses it, then try again.`,
    );
  });
}
