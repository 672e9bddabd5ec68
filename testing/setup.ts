import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { clearAllPools } from "graphile-migrate/dist/pgReal.js";
import pg from "pg";
import { pino } from "pino";
import type { TestProject } from "vitest/node";
import { startEmbeddedPostgres } from "../api/postgres/embedded/index.ts";
import { migrate } from "../api/postgres/migrate.ts";
import { applyCurrent, isBlank } from "../api/scripts/current.ts";
import { NO_RULES } from "./no-rules.ts";
import { makeDataFolder } from "./scratch.ts";

declare module "vitest" {
  interface ProvidedContext {
    superuserUrl: string;
    templateDatabase: string;
  }
}

const log = pino({ level: "fatal" });
const SETTINGS = {
  max_connections: "300",
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  // Pages are logged whole with their first hint all the same: to compress them takes longer than to write them.
  wal_compression: "off",
};

/** One PostgreSQL for the whole run, or the one that TEST_DATABASE_URL names, with a migrated database to clone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = process.env.TEST_DATABASE_URL ? external(process.env.TEST_DATABASE_URL) : await embedded();
  try {
    await withClient(server.url(), (client) => client.query(`create database ${server.template}`));
    await fillTemplate(server.url(server.template));
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide("superuserUrl", server.url());
  project.provide("templateDatabase", server.template);
  return server.stop;
}

interface Server {
  readonly template: string;
  url(database?: string): string;
  stop(): Promise<void>;
}

async function embedded(): Promise<Server> {
  const dataDir = makeDataFolder("tests");
  const starting = startEmbeddedPostgres({ dataDir, log, settings: SETTINGS });
  const stop = async () => {
    await (await starting).stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  // Vitest ends at a signal without tearing down, and PostgreSQL would go on without it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => stop().finally(() => process.exit(1)));
  }
  const postgres = await starting;
  return { template: "parley_template", url: (database = "postgres") => postgres.url("postgres", database), stop };
}

/** Other runs may use the same server: hence the pid in the name. */
function external(connectionString: string): Server {
  const template = `parley_template_${process.pid}`;
  return {
    template,
    url: (database) =>
      database ? new URL(`/${database}${new URL(connectionString).search}`, connectionString).href : connectionString,
    stop: async () => {
      await withClient(connectionString, (client) => client.query(`drop database if exists ${template} with (force)`));
    },
  };
}

export async function fillTemplate(connectionString: string): Promise<void> {
  // What is being worked on belongs to the tests too, and the sources may need it.
  await migrate(connectionString, log, { sources: isBlank() });
  if (!isBlank()) await applyCurrent(connectionString, log);
  await liftRules(connectionString);
  await untilAlone(connectionString);
}

/** Tests post, create and join as fast as they can. Those of the rules switch them on. */
async function liftRules(connectionString: string): Promise<void> {
  await withClient(connectionString, (client) =>
    client.query("update parley.settings s set value = r.value from jsonb_each($1) r where r.key = s.name", [NO_RULES]),
  );
}

/** A database cannot be cloned or dropped while somebody is connected to it, and the migration tool hangs up late. */
async function untilAlone(connectionString: string): Promise<void> {
  clearAllPools();
  await withClient(connectionString, async (client) => {
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(20)) {
      const { rowCount } = await client.query(
        "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'",
      );
      if (rowCount === 0) return;
    }
    throw new Error("the database is still in use");
  });
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
