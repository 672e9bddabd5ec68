import { readFileSync, writeFileSync } from "node:fs";
import * as graphileMigrate from "graphile-migrate";
import type { Logger } from "pino";
import { asRole } from "../postgres/database.ts";
import { graphileLogger, migrate, migrateSettings, replaceSources } from "../postgres/migrate.ts";
import { databaseOf, inDatabase, untilUnused, withClient } from "./workbench.ts";

export const CURRENT = new URL("../../migrations/current.sql", import.meta.url);

/** Whether current.sql holds nothing but comments; an include looks like one, but is not. */
export function isBlank(): boolean {
  return readFileSync(CURRENT, "utf8")
    .split("\n")
    .every((line) => line.trim() === "" || /^\s*--(?!!)/.test(line));
}

/** Brings a database to what is being worked on: current.sql, then the sources as they are, also where they were turned back. */
export async function applyCurrent(url: string, log: Logger): Promise<void> {
  await graphileMigrate.watch({ ...migrateSettings(url), logger: graphileLogger(log) }, true);
  await replaceSources(url, log, { rollBack: true, everything: !isBlank(), remember: isBlank() });
}

/** Makes a committed migration of current.sql, if it runs twice on a clean database. */
export async function commit(url: string, log: Logger, message?: string): Promise<void> {
  if (isBlank()) throw new Error("migrations/current.sql is blank: there is nothing to commit.");
  await migrate(url, log, { sources: false });
  const shadow = inDatabase(url, `${databaseOf(url)}_shadow`);
  const settings = shadowSettings(url, shadow);
  const written = readFileSync(CURRENT);
  await untilUnused(url, databaseOf(shadow));
  await graphileMigrate.reset(settings, true);
  await proveCurrent(settings, shadow);
  await replaceSources(shadow, log, { everything: true });
  await untilUnused(url, databaseOf(shadow));
  try {
    await graphileMigrate.commit(settings, message);
  } catch (error) {
    // The tool has put the text of every include in the place of the include.
    writeFileSync(CURRENT, written);
    throw error;
  }
  await untilUnused(url, databaseOf(shadow));
  await withClient(url, (client) => client.query(`drop database ${client.escapeIdentifier(databaseOf(shadow))}`));
}

function shadowSettings(url: string, shadow: string): graphileMigrate.Settings {
  return {
    ...migrateSettings(url),
    shadowConnectionString: asRole(shadow, "parley_owner"),
    rootConnectionString: url,
    databaseOwner: "parley_owner",
    afterReset: "!fixtures/roles.sql",
  };
}

/** Twice, because watching runs it again and again: what works only once would stop the next developer. */
async function proveCurrent(settings: graphileMigrate.Settings, shadow: string): Promise<void> {
  await graphileMigrate.watch(settings, true, true);
  await withClient(asRole(shadow, "parley_owner"), (client) => client.query("delete from graphile_migrate.current"));
  await graphileMigrate.watch(settings, true, true);
}
