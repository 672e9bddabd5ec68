import { parseArgs } from "node:util";
import { pino } from "pino";
import { key, keyOptions, link, linkOptions } from "./admin/doors.ts";
import { sources, options as sourcesOptions } from "./admin/sources.ts";
import { openWorkbench } from "./workbench.ts";

const HELP = `parley admin: run it where the server runs, with its DATABASE_URL or PARLEY_DATA; also while it runs.

parley admin link             a sign-in link for a person, alone on the last line; it works once, within a day
  --name NAME                 for the person of that name, or for somebody new; default: an owner
  --role ROLE                 what somebody new becomes: owner, member or viewer
parley admin key NAME         an access key, alone on the last line; it is shown this once
  --scopes read,team          of read, team, run and admin; default read,team
  --session REF               opens this session and no other
  --expires 12h               ends by itself: 90m, 12h, 30d
parley admin sources          the functions of Parley that were changed in the database
  --show NAME                 both versions of one
  --reset NAME                take ours again
  --apply                     take all functions of this version, also if the database has newer ones; what was changed there stays`;

const log = pino({ level: "error" });
const help = { help: { type: "boolean", short: "h" } } as const;

/** What each command takes, and what it does with it on the database. */
const COMMANDS: Record<string, (args: string[]) => ((url: string) => Promise<void>) | undefined> = {
  link(args) {
    const { values } = parseArgs({ args, options: { ...linkOptions, ...help } });
    return values.help ? undefined : (url) => link(url, values);
  },
  key(args) {
    const { values, positionals } = parseArgs({ args, options: { ...keyOptions, ...help }, allowPositionals: true });
    if (positionals.length > 1)
      throw new Error(`The name is one word, or in quotes: ${JSON.stringify(positionals.join(" "))}.`);
    return values.help ? undefined : (url) => key(url, positionals[0], values);
  },
  sources(args) {
    const { values } = parseArgs({ args, options: { ...sourcesOptions, ...help } });
    return values.help ? undefined : (url) => sources(url, values, log);
  },
};

async function main([name = "--help", ...args]: string[]): Promise<void> {
  if (name === "--help" || name === "-h") return console.log(HELP);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new Error("Say: parley admin link, key or sources. --help tells more.");
  const work = command(args);
  if (!work) return console.log(HELP);
  const workbench = await openWorkbench(log);
  try {
    await work(workbench.url);
  } finally {
    await workbench.close();
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    console.error(`parley: ${error.message}`);
    process.exit(1);
  },
);
