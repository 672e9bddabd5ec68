import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { clearAllPools } from "graphile-migrate/dist/pgReal.js";
import { pino } from "pino";
import { exportSchema } from "../graphql/export-schema.ts";
import { asRole } from "../postgres/database.ts";
import { migrate } from "../postgres/migrate.ts";
import { applyCurrent, commit, isBlank } from "./current.ts";
import { watch } from "./watch.ts";
import { databaseOf, inDatabase, openWorkbench, untilUnused, withClient } from "./workbench.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { yes: { type: "boolean" }, message: { type: "string", short: "m" } },
});
const log = pino({ level: "warn" });

const COMMANDS: Record<string, (url: string) => Promise<void>> = {
  /** Applies the committed migrations, as the server does when it starts. */
  migrate: async (url) => {
    await migrate(url, log);
    console.log(`${databaseOf(url)} is up to date.`);
  },

  /** Applies current.sql and the sources whenever one of them changes, until Ctrl-C. */
  watch: async (url) => {
    await migrate(url, log, { sources: isBlank() });
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
    await watch(url, log, stop.signal);
  },

  /** Writes the GraphQL schema that the page is made against. */
  schema: async (url) => {
    await migrate(url, log, { sources: isBlank() });
    await applyCurrent(url, log);
    await writeFile("web/schema.graphql", await exportSchema(asRole(url, "parley_caller")));
  },

  commit: (url) => commit(url, log, values.message),

  reset: async (url) => {
    const database = databaseOf(url);
    const root = inDatabase(url, "postgres");
    await untilUnused(root, database);
    await withClient(root, async (client) => {
      await client.query(`drop database if exists ${client.escapeIdentifier(database)}`);
      await client.query(`create database ${client.escapeIdentifier(database)}`);
    });
    await migrate(url, log);
    console.log(`${database} is empty and up to date.`);
  },
};

async function main(): Promise<void> {
  const [command = ""] = positionals;
  if (command === "blank") {
    if (!isBlank()) throw new Error("migrations/current.sql is not blank: finish the change with npm run db:commit.");
    return;
  }
  const run = COMMANDS[command];
  if (!run) throw new Error(`Say one of: ${Object.keys(COMMANDS).join(", ")}, blank.`);
  if (command === "reset" && !values.yes) {
    throw new Error("This deletes every session in the database. If that is meant: npm run db:reset -- --yes");
  }
  const workbench = await openWorkbench(log);
  try {
    await run(workbench.url);
  } finally {
    // A connection of the tool that breaks ends this process at once: they have to be gone before the database stops.
    clearAllPools();
    await sleep(100);
    await workbench.close();
  }
}

main().then(
  () => process.exit(0),
  (error: Error & { _gmlogged?: boolean }) => {
    // The migration tool has shown its own errors already, with the place in the SQL.
    if (!error._gmlogged) console.error(error.message);
    process.exit(1);
  },
);
