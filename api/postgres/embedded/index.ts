import { accessSync, constants, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { StartError } from "../../start-error.ts";
import { locateBinaries } from "./binaries.ts";
import { type Cluster, describeCluster, prepareCluster } from "./cluster.ts";
import { claimFolder } from "./lock.ts";
import { adoptPostmaster, launchPostmaster, type Postmaster, stopPostmaster } from "./postmaster.ts";
import { chooseRunner } from "./runner.ts";
import { connectionUrl, query } from "./socket.ts";

export interface EmbeddedPostgres {
  /** Connection string for a role; the superuser "postgres" and the database "parley" unless told otherwise. */
  url(role?: string, database?: string): string;
  /** The postmaster; undefined while there is none. */
  readonly pid: number | undefined;
  /** Stops the database, harder as the time runs out, and lets go of the folder. */
  stop(withinMs?: number): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: Logger;
  /** Breaks off the start; a database that runs is stopped with stop(). */
  readonly signal?: AbortSignal;
  /** Further settings of the server, for tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

const DATABASE = "parley";
const FIRST_START_ATTEMPTS = 4;
const SHORT_LIFE_MS = 10_000;

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = openFolder(options.dataDir);
  const release = await claimFolder(dataDir);
  try {
    const dir = join(dataDir, "postgres");
    const binaries = await locateBinaries();
    const runner = await chooseRunner(binaries.postgres, dataDir, dir);
    const plan = { dataDir, dir, binaries, runner, settings: options.settings ?? {} };
    const cluster = describeCluster(plan);
    const adopted = await adoptPostmaster(cluster);
    if (adopted) options.log.info({ postmaster: adopted.pid }, "took over the PostgreSQL of an earlier Parley");
    else await prepareCluster(plan, cluster);
    return await supervise(cluster, adopted, options, release);
  } catch (error) {
    release();
    throw error;
  }
}

function openFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return realpathSync(path);
  } catch (error) {
    const reason = (error as Error).message;
    throw new StartError(`The data folder cannot be used (${reason}): set PARLEY_DATA to another folder.`, {
      cause: error,
    });
  }
}

/** Keeps a postmaster running until stop() is called. */
async function supervise(
  cluster: Cluster,
  adopted: Postmaster | undefined,
  { log, signal }: EmbeddedPostgresOptions,
  release: () => void,
): Promise<EmbeddedPostgres> {
  const stopping = new AbortController();
  let current: Postmaster | undefined =
    adopted ?? (await launchPatiently(cluster, log, signal ?? stopping.signal, FIRST_START_ATTEMPTS));
  try {
    await ensureDatabase(cluster);
  } catch (error) {
    await stopPostmaster(current.pid, cluster);
    throw error;
  }

  const watching = (async () => {
    for (let shortLives = 0; current; ) {
      const since = Date.now();
      const reason = await current.exited;
      current = undefined;
      if (stopping.signal.aborted) return;
      log.error({ reason }, "PostgreSQL stopped by itself; starting it again");
      shortLives = Date.now() - since < SHORT_LIFE_MS ? shortLives + 1 : 0;
      if (shortLives > 1) await pause(shortLives, stopping.signal);
      current = await launchPatiently(cluster, log, stopping.signal, Number.POSITIVE_INFINITY);
      if (stopping.signal.aborted) return stopPostmaster(current.pid, cluster);
      log.info({ postmaster: current.pid }, "PostgreSQL is running again");
    }
  })().catch((error: unknown) => {
    if (!stopping.signal.aborted) log.fatal({ err: error }, "PostgreSQL is no longer watched");
  });

  let stopped: Promise<void> | undefined;
  const stop = async (withinMs?: number) => {
    stopping.abort();
    if (current) await stopPostmaster(current.pid, cluster, withinMs);
    else await watching;
    current = undefined;
    release();
  };
  return {
    url: (role = "postgres", database = DATABASE) => connectionUrl(cluster.socketDir, role, database),
    get pid() {
      return current?.pid;
    },
    stop: (withinMs) => (stopped ??= stop(withinMs)),
  };
}

/** The processes of a killed postmaster need a moment to notice; until they are gone PostgreSQL refuses to start. */
async function launchPatiently(
  cluster: Cluster,
  log: Logger,
  signal: AbortSignal,
  attempts: number,
): Promise<Postmaster> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await launchPostmaster(cluster, signal);
    } catch (error) {
      if (attempt >= attempts || signal.aborted) throw error;
      log.warn({ err: error, attempt }, "PostgreSQL did not start; trying again");
      await pause(attempt, signal);
    }
  }
}

async function pause(failures: number, signal: AbortSignal): Promise<void> {
  await delay(Math.min(50 * 2 ** failures, 30_000), undefined, { signal });
}

async function ensureDatabase({ socketDir }: Cluster): Promise<void> {
  const found = await query(socketDir, `select from pg_database where datname = '${DATABASE}'`);
  if (found.length === 0) await query(socketDir, `create database ${DATABASE}`, 30_000);
}
