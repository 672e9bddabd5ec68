import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { readConfig } from "../config.ts";
import { backUp, writeBackup } from "../postgres/backup/backup.ts";
import { restore } from "../postgres/backup/restore.ts";
import { listChanges } from "../postgres/sources.ts";
import { openWorkbench, type Workbench, withClient } from "./workbench.ts";

const HELP: Record<string, string> = {
  backup: `parley backup FILE: everything in the server's database as it is at one moment, in one file. Run it where the server runs, with
its DATABASE_URL or PARLEY_DATA, while it runs or not. A file of that name is replaced when the new one is whole;
"-" is stdout.

It holds what teams have written, and the hashes of their credentials: keep it as you keep the database. Functions, tables and
roles that you have added to the database yourself are not in it; pg_dump has those.`,
  restore: `parley restore FILE: fills a new, empty database from a backup ("-" is stdin): all of it, or nothing. Run it with the DATABASE_URL or PARLEY_DATA
of the new one; a server may run on it already. Teams go on with the credentials that they have.`,
};

const log = pino({ level: "error" });
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());

type Counts = Record<string, number>;
const counted = (rows: Counts) =>
  `${rows["parley.sessions"] ?? 0} sessions, ${rows["parley.messages"] ?? 0} messages, ${Object.keys(rows).length} tables`;

async function backup(file: string, openDatabase: () => Promise<string>): Promise<void> {
  refuseNowhere();
  const url = await openDatabase();
  const { signal } = interrupted;
  const { rows } = file === "-" ? await writeBackup(url, process.stdout, signal) : await backUp(url, file, signal);
  console.error(`${file}: ${counted(rows)}`);
  const changed = await withClient(url, listChanges);
  if (changed.length > 0)
    console.error(
      `Not in it: ${changed.map(({ name }) => name).join(", ")}, changed in this database. npx parley admin sources --show has them.`,
    );
}

async function restoreFrom(file: string, openDatabase: () => Promise<string>): Promise<void> {
  const { heading, rows } = await restore(file, openDatabase, log);
  console.error(`restored: ${counted(rows)}, as of ${heading.made_at}`);
}

/** Whoever has mistaken the folder should not get a new, empty database there. */
function refuseNowhere() {
  const { databaseUrl, dataDir } = readConfig(process.env);
  if (!databaseUrl && !existsSync(join(dataDir, "postgres")))
    throw new Error(
      `There is no database in ${dataDir}. Say where it is: PARLEY_DATA or DATABASE_URL, as the server has it.`,
    );
}

async function main([command = "", ...args]: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" } },
  });
  if (values.help) return console.log(HELP[command]);
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new Error(`Say: parley ${command} FILE. --help tells more.`);
  let workbench: Workbench | undefined;
  const openDatabase = async () => {
    workbench = await openWorkbench(log);
    return workbench.url;
  };
  try {
    await (command === "restore" ? restoreFrom : backup)(file, openDatabase);
  } finally {
    await workbench?.close();
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    console.error(`parley: ${interrupted.signal.aborted ? "interrupted; nothing was written." : error.message}`);
    process.exit(1);
  },
);
