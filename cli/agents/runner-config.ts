import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, isAbsolute, join, resolve } from "node:path";
import { Trouble, UsageError } from "../errors.ts";
import { topOf } from "../git.ts";
import { type AgentCommand, knownAgent } from "./known.ts";

/** What a machine offers. Commands, folders and arguments stand here, and come from nowhere else. */
export interface RunnerConfig {
  name: string;
  agents: Record<string, AgentCommand>;
  /** Folders by the names that others know them by. */
  repos: Record<string, string>;
  max: number;
  accept: "key" | "anyone";
}

// As the server takes them: looked up here, and never more than that.
export const NAME = /^[a-z0-9]([a-z0-9._-]{0,38}[a-z0-9])?$/;

interface Given {
  name?: string | undefined;
  agents?: string | undefined;
  repo?: string[] | undefined;
  max?: number | undefined;
  accept?: string | undefined;
  config?: string | undefined;
}

/**
 * The file (~/.parley/runner.json), and over it what the command was given:
 * {"name": "studio", "agents": {"claude": {}, "mine": {"command": ["node", "/opt/agent.js"]}}, "repos": {"billing": "~/code/billing"}, "max": 4}
 */
export function runnerConfig(given: Given): RunnerConfig {
  const file = read(given.config);
  const name = given.name ?? file.name;
  if (name === undefined) throw new UsageError("Say the name of this machine, e.g. --name studio.");
  const wanted = given.agents?.split(",").map((agent) => agent.trim()) ?? Object.keys(file.agents ?? {});
  if (wanted.length === 0) throw new UsageError("Say which agents it runs, e.g. --agents claude,codex.");
  const repos = given.repo ? Object.fromEntries(given.repo.map(named)) : mapped(file.repos ?? {}, folder);
  const accept = given.accept ?? file.accept ?? "key";
  if (accept !== "key" && accept !== "anyone") throw new UsageError("--accept is key or anyone.");
  const agents = Object.fromEntries(wanted.map((agent) => [agent, command(agent, file.agents?.[agent])]));
  for (const word of [name, ...wanted, ...Object.keys(repos)])
    if (!NAME.test(word))
      throw new UsageError(`${JSON.stringify(word)} is no name: up to 40 of a to z, 0 to 9, and . _ - between them.`);
  return { name, agents, repos, max: given.max ?? file.max ?? 1, accept };
}

interface File {
  name?: string;
  agents?: Record<string, { command?: string[] }>;
  repos?: Record<string, string>;
  max?: number;
  accept?: string;
}

function read(config: string | undefined): File {
  const path = config ?? join(process.env.PARLEY_HOME || join(homedir(), ".parley"), "runner.json");
  if (config === undefined && !existsSync(path)) return {};
  try {
    return JSON.parse(readFileSync(path, "utf8")) as File;
  } catch (error) {
    throw new Trouble(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function command(name: string, own: { command?: string[] } | undefined): AgentCommand {
  if (own?.command === undefined) return knownAgent(name);
  const [program, ...args] = own.command;
  if (typeof program !== "string" || !args.every((arg) => typeof arg === "string"))
    throw new UsageError(`The command of ${name} must be a list of texts: ["node", "/opt/agent.js"].`);
  return { name, command: program, args };
}

const named = (path: string): [string, string] => {
  const top = folder(path);
  return [
    basename(top)
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, "-"),
    top,
  ];
};

function folder(path: string): string {
  const whole = path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
  const top = topOf(isAbsolute(whole) ? whole : resolve(whole));
  if (!top) throw new UsageError(`${path} is no git repository.`);
  return top;
}

const mapped = <T, U>(from: Record<string, T>, to: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(from).map(([name, value]) => [name, to(value)]));
