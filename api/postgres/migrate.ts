import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as graphileMigrate from "graphile-migrate";
import { clearAllPools } from "graphile-migrate/dist/pgReal.js";
import { runMigrations as migrateWorker, Logger as WorkerLogger } from "graphile-worker";
import pg from "pg";
import type { Logger } from "pino";
import { StartError } from "../start-error.ts";
import { asRole } from "./database.ts";
import { setFirst } from "./first-settings.ts";
import { type ApplyOptions, applySources, rememberChanges, tellOfChanges } from "./sources.ts";

const ROLES_SQL = readFileSync(new URL("../../db/roles.sql", import.meta.url), "utf8");
const MIGRATIONS = fileURLToPath(new URL("../../migrations", import.meta.url));
const LOCK = 74_23;
const OLDEST = 150_000;

/** Settings of graphile-migrate that the server and the db: scripts share. */
export const migrateSettings = (connectionString: string): graphileMigrate.Settings => ({
  connectionString: asRole(connectionString, "parley_owner"),
  migrationsFolder: MIGRATIONS,
  pgSettings: { search_path: "pg_catalog" },
});

interface MigrateOptions {
  /** The first value of the setting mcp_url. */
  mcpUrl?: string | undefined;
  /** The first values of others. */
  settings?: Record<string, unknown> | undefined;
  /** False while what is being worked on has to come before them. */
  sources?: boolean;
}

/** Makes the roles and brings the database up to date; any number of replicas may do so at once. */
export function migrate(
  connectionString: string,
  log: Logger,
  { mcpUrl, settings, sources = true }: MigrateOptions = {},
): Promise<void> {
  return withMigrationLock(connectionString, log, async (client) => {
    await checkServer(client, log);
    await refuseOtherHistory(client);
    await client.query(ROLES_SQL);
    await rememberChanges(client);
    await graphileMigrate.migrate({ ...migrateSettings(connectionString), logger: graphileLogger(log) });
    // The tool keeps its connections for a while, and ends the whole process if one breaks meanwhile.
    clearAllPools();
    await migrateWorker({ connectionString: asRole(connectionString, "parley_worker"), logger: workerLogger(log) });
    if (!sources) return;
    await applySources(client, log);
    if (mcpUrl) await setFirst(client, "MCP_URL", { mcp_url: mcpUrl });
    if (settings) await setFirst(client, "PARLEY_SETTINGS", settings);
    await tellOfChanges(client, log);
  });
}

/** What can be replaced, without the migrations. */
export function replaceSources(connectionString: string, log: Logger, options: ApplyOptions): Promise<void> {
  return withMigrationLock(connectionString, log, async (client) => {
    await applySources(client, log, options);
    await tellOfChanges(client, log);
  });
}

async function withMigrationLock<T>(
  connectionString: string,
  log: Logger,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString, application_name: "parley migrate" });
  client.on("notice", ({ severity, message }) => severity === "WARNING" && log.warn(message));
  await client.connect();
  try {
    // Polled: a session that blocks in pg_advisory_lock would hold a snapshot that others wait for.
    while (!(await tryLock(client))) await sleep(100);
    return await work(client);
  } finally {
    await client.end();
  }
}

async function checkServer(client: pg.Client, log: Logger) {
  const { rows } = await client.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('server_version_num', 'server_version', 'fsync', 'full_page_writes', 'synchronous_commit')",
  );
  const setting = Object.fromEntries(rows.map((row) => [row.name, row.setting]));
  if (Number(setting.server_version_num) < OLDEST) {
    throw new StartError(`DATABASE_URL leads to PostgreSQL ${setting.server_version}; Parley needs 15 or newer.`);
  }
  for (const name of ["fsync", "full_page_writes", "synchronous_commit"]) {
    if (setting[name] === "off")
      log.warn(`${name} is off on this database: acknowledged messages may be lost in a crash`);
  }
}

/** A database that other migrations have made looks up to date by their numbers, and is not. A newer one may be used. */
async function refuseOtherHistory(client: pg.Client) {
  const { rows: known } = await client.query("select to_regclass('graphile_migrate.migrations') is not null as yes");
  if (!known[0]?.yes) return;
  const files = readdirSync(join(MIGRATIONS, "committed")).sort();
  const hashes = files.map((file) => hashOf(readFileSync(join(MIGRATIONS, "committed", file), "utf8")));
  // The tool keeps the number of a migration, not the rest of its name.
  const { rows } = await client.query<{ filename: string }>(
    "select filename from graphile_migrate.migrations where filename <= $1 and hash <> all ($2)",
    [`${files.at(-1)?.slice(0, 6)}.sql`, hashes],
  );
  if (rows.length === 0) return;
  throw new StartError(
    "This database was made by another build of Parley, from before its first release, and cannot be carried on. " +
      "Start with an empty one: another PARLEY_DATA folder, or another database in DATABASE_URL.",
  );
}

const hashOf = (migration: string) => /^--! Hash: (\S+)$/m.exec(migration)?.[1];

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>("select pg_try_advisory_lock($1) as locked", [LOCK]);
  return rows[0]?.locked === true;
}

/** What graphile-migrate and graphile-worker say goes to our log; their chatter is for debugging only. */
const graphileLog =
  (log: Logger) =>
  () =>
  (level: string, message: string, meta: { error?: unknown; fatalError?: unknown } = {}) => {
    const to = level === "error" ? "error" : level === "warning" ? "warn" : "debug";
    const err = meta.error ?? meta.fatalError;
    // A failed task repeats its error, values and all.
    log[to]({ ...(err !== undefined && { err }) }, message.replace(/ with error '.*/s, "."));
  };

export const workerLogger = (log: Logger) => new WorkerLogger(graphileLog(log));
export const graphileLogger = (log: Logger) => new graphileMigrate.Logger(graphileLog(log));
