import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Trouble } from "../errors.ts";
import { locked } from "./lock.ts";

/** A team that was joined from here: what the next command needs to speak for it. */
export interface Team {
  url: string;
  ref: string;
  session_id: string;
  team_id: string;
  handle: string;
  title: string;
  /** What has been printed; the next wait confirms it to the server. */
  cursor: number;
  doc_version: number;
  folder: string;
  joined_at: string;
}

const home = () => process.env.PARLEY_HOME || join(homedir(), ".parley");
const file = () => join(home(), "teams.json");

// Not by the address: a server may have several, and --url names another one.
const isSame = (a: Team) => (b: Team) => a.session_id === b.session_id && a.handle === b.handle;

/** All of them, the one joined last at the end. */
export function readTeams(): Team[] {
  let text: string;
  try {
    text = readFileSync(file(), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new Trouble(`${file()} cannot be read: ${(error as Error).message}`);
  }
  try {
    return (JSON.parse(text) as { teams: Team[] }).teams;
  } catch {
    throw new Trouble(`${file()} is not valid JSON. Mend it, or move it away and join again.`);
  }
}

/** Before a credential is asked for: one that cannot be kept would be lost. */
export const makeReady = () => change((teams) => teams);

export const remember = (team: Team) => change((teams) => [...teams.filter((other) => !isSame(team)(other)), team]);

export const forget = (team: Team) => change((teams) => teams.filter((other) => !isSame(team)(other)));

/** Keeps how far a team has heard. Never backwards: two waits of one team may overlap. */
export const advance = (team: Team, cursor: number, docVersion: number) =>
  change((teams) =>
    teams.map((other) =>
      isSame(team)(other)
        ? {
            ...other,
            cursor: Math.max(other.cursor, cursor),
            doc_version: Math.max(other.doc_version, docVersion),
          }
        : other,
    ),
  );

/** Whole or not at all, and readable by nobody else: it holds credentials. */
async function change(edit: (teams: Team[]) => Team[]): Promise<void> {
  try {
    mkdirSync(home(), { recursive: true, mode: 0o700 });
    chmodSync(home(), 0o700);
  } catch (error) {
    throw new Trouble(`${home()} cannot be used: ${(error as Error).message}. Set PARLEY_HOME to a folder of yours.`);
  }
  await locked(`${file()}.lock`, () => {
    const draft = `${file()}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify({ teams: edit(readTeams()) }, null, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, file());
  });
}
