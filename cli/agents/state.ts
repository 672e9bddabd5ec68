import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Trouble } from "../errors.ts";

/** A turn that has begun. It is over only when what came of it has been said. */
export interface Turn {
  number: number;
  prompt: string;
  /** The last message that it was given. */
  upTo: number;
  /** The message that its words answer. */
  replyTo?: number;
  /** What it was given by, if somebody prompted it. */
  order?: number;
  /** The end of the feed when it began: what the team posted later, it said in this turn. */
  since: number;
  /** How often the agent has failed at it, and how often a provider's quota has held it up. */
  tries: number;
  parked?: number;
  /** It has ended with these words; they may not be posted yet. */
  words?: string;
}

/** What a run needs to go on after this process was killed. It holds the team's credential. */
export interface RunState {
  /** Of this run alone: what is posted for the agent is named after it, so that a repeat is known as one. */
  id: string;
  url: string;
  ref: string;
  session_id: string;
  team_id: string;
  /** For this session alone, where access keys are asked for. */
  key?: string;
  handle: string;
  team_name: string;
  agent: string;
  cwd: string;
  /** The process that runs it, or ran it last. */
  pid: number;
  /** What it was started for, besides what the session says. */
  instructions?: string;
  /** How the session ended that this one goes on with. */
  handoff?: string;
  /** The machine that was asked to run it; undefined: started by hand. */
  runner?: string;
  /** Whether the folder is a worktree of its own. */
  worktree?: boolean;
  /** The agent's own name for the conversation. */
  conversation?: string;
  /** Given to a turn that has begun. */
  told: number;
  /** Heard from the server; what lies between came while nothing gave a turn. */
  heard: number;
  turns: number;
  tokens: number;
  cost: number;
  task?: number;
  turn?: Turn;
}

/** Where the state of one run is kept. */
export interface Store {
  read(): RunState | undefined;
  write(state: RunState): void;
  remove(): void;
}

const folder = () => join(process.env.PARLEY_HOME || join(homedir(), ".parley"), "runs");
const slug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);

/** A file for each team that an agent speaks for; whole or not at all, readable by nobody else. */
export function runFile(url: string, ref: string, name: string): Store {
  const file = join(folder(), `${slug(new URL(url).host)}-${slug(ref)}-${slug(name)}.json`);
  return {
    read() {
      try {
        return JSON.parse(readFileSync(file, "utf8")) as RunState;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw new Trouble(`${file} cannot be read (${(error as Error).message}). Move it away to begin anew.`);
      }
    },
    write(state) {
      mkdirSync(folder(), { recursive: true, mode: 0o700 });
      const draft = `${file}.${process.pid}`;
      writeFileSync(draft, JSON.stringify(state), { mode: 0o600 });
      chmodSync(draft, 0o600);
      renameSync(draft, file);
    },
    remove: () => rmSync(file, { force: true }),
  };
}

/** Runs that were begun from here and have not ended. */
export function keptRuns(): RunState[] {
  let names: string[];
  try {
    names = readdirSync(folder());
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder(), name), "utf8")) as RunState);
}
