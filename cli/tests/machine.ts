import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Team } from "../team/teams.ts";

export const LAUNCHER = fileURLToPath(new URL("../parley.js", import.meta.url));
const OURS = /^(MCP_URL|PORT|PARLEY_.*|VITEST.*|NODE_ENV|NODE_OPTIONS)$/;
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name)));

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A machine of one's own, as far as the command can tell: a home, a working folder, an environment. */
export function createMachine(env: Record<string, string> = {}, script = LAUNCHER) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "parley-cli-")));
  const home = join(root, "home");
  const folder = join(root, "work");
  mkdirSync(folder);
  const environment = { ...inherited, PARLEY_HOME: home, ...env } as Record<string, string>;

  /** Starts the command; `said` grows while it runs. */
  const start = (args: string[], { input, cwd = folder }: { input?: string; cwd?: string } = {}) => {
    const child = spawn(process.execPath, [script, ...args], { cwd, env: environment });
    const said = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text) => (said.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (said.stderr += text));
    child.stdin.on("error", () => undefined).end(input ?? "");
    const ended = once(child, "close").then(([code]): Run => ({ code: code as number | null, ...said }));
    return { child, said, ended };
  };
  return {
    root,
    home,
    folder,
    environment,
    start,
    run: (args: string[], options?: { input?: string; cwd?: string }) => start(args, options).ended,
    teams: () => (JSON.parse(readFileSync(join(home, "teams.json"), "utf8")) as { teams: Team[] }).teams,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export type Machine = ReturnType<typeof createMachine>;
