import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { locked } from "../team/lock.ts";
import { advance, readTeams, type Team } from "../team/teams.ts";
import { newsFor, newsOf } from "./news.ts";
import { Table } from "./table.ts";

/** What a hook knows of the world: itself, the session that has started it, and the way to its model. */
export interface Border {
  pid: number;
  /** The process of the session. */
  parent: number;
  isAlive(pid: number): boolean;
  /** Fails if nobody is there to read it. */
  tell(text: string): Promise<void>;
}

/**
 * Blocks until somebody speaks to the team, and tells it once: true, so that the session wakes. One at a time waits for
 * a team; one whose session has ended is relieved by the next, and tells nothing more.
 */
export async function watch(
  { session_id, handle }: Team,
  border: Border,
  signal: AbortSignal,
  table?: Pick<Table, "wait">,
): Promise<boolean> {
  const post = join(process.env.PARLEY_HOME || join(homedir(), ".parley"), "hooks", `${session_id}-${handle}`);
  const now = () => readTeams().find((team) => team.session_id === session_id && team.handle === handle);
  if (!(await take(post, border))) return false;
  try {
    while (!signal.aborted) {
      const team = now();
      if (!team) return false;
      const messages = await newsFor(team, wokenAt(post), signal, table ?? new Table(team, "hook"));
      // Whose session is gone is not there to be woken: what came stays unheard.
      if (messages.length === 0 || signal.aborted || !border.isAlive(border.parent) || !holds(post, border))
        return false;
      // Meanwhile read by other means: what is left of it is looked at again.
      if (now()?.cursor !== team.cursor) continue;
      await border.tell(`${newsOf(messages, team)}\n`);
      if (!holds(post, border)) return true;
      await advance(team, messages.at(-1)?.cursor ?? team.cursor, team.doc_version);
      writeFileSync(`${post}.woken`, "");
      return true;
    }
    return false;
  } finally {
    if (holds(post, border)) rmSync(post, { force: true });
  }
}

const nameOf = ({ pid, parent }: Border) => `${pid} ${parent}`;

/** Whether nobody else waits already. A process that died holds nothing, nor does one whose session has. */
function take(post: string, border: Border): Promise<boolean> {
  mkdirSync(dirname(post), { recursive: true, mode: 0o700 });
  return locked(`${post}.lock`, () => {
    const holder = readOr(post).split(" ").map(Number);
    if (holder.length === 2 && holder.every((pid) => pid > 0 && border.isAlive(pid))) return false;
    writeFileSync(post, nameOf(border));
    chmodSync(post, 0o600);
    return true;
  });
}

const holds = (post: string, border: Border) => readOr(post) === nameOf(border);

const readOr = (file: string) => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
};

const wokenAt = (post: string) => statSync(`${post}.woken`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
