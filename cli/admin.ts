import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "./command.ts";
import { Trouble } from "./errors.ts";

/** Beside the server: from the sources, or from the bundle one folder below. */
const SCRIPTS = ["../api/scripts/admin.ts", "../../api/scripts/admin.ts"];

/** It works on the database itself, so it is a script of the server, which this file, made to be handed out, does not carry. */
export const admin: Command = {
  help: "parley admin link, key, sources: sign-in links, access keys, the functions that were changed in the database.",
  async run(args) {
    const script = SCRIPTS.map((path) => fileURLToPath(new URL(path, import.meta.url))).find(existsSync);
    if (!script)
      throw new Trouble("parley admin works where the server is installed: run npx parley admin in its folder.");
    const [code] = await once(spawn(process.execPath, [script, ...args], { stdio: "inherit" }), "exit");
    return code ?? 1;
  },
};
