import type { Command } from "../command.ts";
import { runServerScript } from "../server-script.ts";

const script = (command: "backup" | "restore", help: string): Command => ({
  help,
  run: (args) => runServerScript("backup.ts", command, [command, ...args]),
});

export const backup = script("backup", "parley backup FILE: everything in the server's database, in one file.");
export const restore = script("restore", "parley restore FILE: a backup into a new database.");
