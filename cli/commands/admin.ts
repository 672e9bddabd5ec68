import type { Command } from "../command.ts";
import { runServerScript } from "../server-script.ts";

export const admin: Command = {
  help: "parley admin link, key, sources: sign-in links, access keys, the functions that were changed in the database.",
  run: (args) => runServerScript("admin.ts", "admin", args),
};
