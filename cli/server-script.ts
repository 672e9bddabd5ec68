import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Trouble } from "./errors.ts";
import { interruption } from "./interrupt.ts";

/** Beside the server: from the sources, or from the bundle one folder below. */
const FOLDERS = ["../api/scripts/", "../../api/scripts/"];

/** What works on the database itself is a script of the server, which this file, made to be handed out, does not carry. */
export async function runServerScript(name: string, command: string, args: string[]): Promise<number> {
  const script = FOLDERS.map((folder) => fileURLToPath(new URL(folder + name, import.meta.url))).find(existsSync);
  if (!script)
    throw new Trouble(
      `parley ${command} works where the server is installed: run npx parley ${command} in its folder.`,
    );
  // Ctrl-C reaches the script too, which puts in order what it has begun.
  interruption();
  const [code] = await once(spawn(process.execPath, [script, ...args], { stdio: "inherit" }), "exit");
  return code ?? 1;
}
