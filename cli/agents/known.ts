import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { Trouble } from "../errors.ts";

/** What is started: a program and its arguments, never a line for a shell. */
export interface AgentCommand {
  name: string;
  command: string;
  args: string[];
}

interface Known {
  program: string;
  args: string[];
  /** What npm installs it from. */
  package: string;
}

/** Agents that speak the Agent Client Protocol, themselves or by the adapter of their makers. */
export const KNOWN: Record<string, Known> = {
  claude: { program: "claude-agent-acp", args: [], package: "@agentclientprotocol/claude-agent-acp" },
  codex: { program: "codex-acp", args: [], package: "@agentclientprotocol/codex-acp" },
  gemini: { program: "gemini", args: ["--acp"], package: "@google/gemini-cli" },
  opencode: { program: "opencode", args: ["acp"], package: "opencode-ai" },
};

/** The command of an agent that is known by name; where it is not installed, the line that installs it. */
export function knownAgent(name: string, places = searched()): AgentCommand {
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  if (!known)
    throw new Trouble(
      `There is no agent ${name}: it is ${Object.keys(KNOWN).join(", ")}, or -- and the command of one that speaks the Agent Client Protocol.`,
    );
  const command = find(known.program, places);
  if (!command)
    throw new Trouble(
      `${known.program} was found neither on PATH nor in node_modules or npx's cache. Install it: npm install -g ${known.package}`,
    );
  return { name, command, args: known.args };
}

/** Of those known by name, where each is, or undefined. */
export const installedAgents = (places = searched()) =>
  Object.entries(KNOWN).map(([name, { program, package: from }]) => ({ name, from, at: find(program, places) }));

function searched(cwd = process.cwd()): string[] {
  const path = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return [...path, ...ancestors(cwd).map((folder) => join(folder, "node_modules/.bin")), ...npxCache()];
}

const ancestors = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...ancestors(dirname(folder))];

function npxCache(): string[] {
  const cache = join(process.env.npm_config_cache ?? join(homedir(), ".npm"), "_npx");
  if (!existsSync(cache)) return [];
  return readdirSync(cache).map((entry) => join(cache, entry, "node_modules/.bin"));
}

const find = (program: string, places: string[]) => places.map((place) => join(place, program)).find(isProgram);

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
